"""Student's t for few groups: intervals widen if the variance is uncertain."""

import numpy as np
from numpy.typing import NDArray

from calibrant.calibration.curves.bands import band, normal_quantile

Float = NDArray[np.float64]


def reach(level: float, groups: int) -> float:
    """How many standard errors an interval extends to either side.

    The quantile of Student's t with groups − 1 degrees of freedom; the normal one without groups.

    >>> round(reach(0.95, 0), 2), round(reach(0.95, 2), 2)
    (1.96, 12.71)
    """
    from scipy.special import stdtrit

    if groups < 2:
        return normal_quantile(level)
    return float(stdtrit(groups - 1, (1 + level) / 2))


def wilson(p: Float, worth: Float, level: float, groups: int) -> tuple[Float, Float]:
    """Wilson's interval for frequencies with these effective numbers of pairs.

    It depends on z²/n alone, so a larger quantile is equivalent to fewer pairs.
    """
    fewer = (normal_quantile(level) / reach(level, groups)) ** 2
    return band("wilson", p, worth * fewer, level)
