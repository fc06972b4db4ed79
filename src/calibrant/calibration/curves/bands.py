"""Bands around a frequency: Wilson (the default) and Wald (as in the thesis)."""

import numpy as np
from numpy.typing import NDArray

from calibrant.calibration.groups.few_groups import reaches
from calibrant.checks.parameters import check_level
from calibrant.errors import UnknownName

Float = NDArray[np.float64]
BANDS = ("wilson", "wald")


def band(
    kind: str, p: Float, n: Float, level: float, effective: float | Float = 0.0
) -> tuple[Float, Float]:
    """Lower and upper limits of frequencies p observed in n independent pairs.

    With groups, n is the number of independent pairs that the variance over groups amounts to, and
    `effective` the effective number of groups (one number, or one per frequency): z is then the
    quantile of Student's t.

    Wilson inverts the test of each possible frequency: (p + z²/2n ± z√(p(1−p)/n + z²/4n²)) /
    (1 + z²/n). It has positive width even if p is 0 or 1. Wald is p ± z√(p(1−p)/n), which has
    width 0 there.
    """
    z = reaches(check_level(level), np.asarray(effective, np.float64))
    if kind == "wilson":
        scale = 1 + z * z / n
        centre = (p + z * z / (2 * n)) / scale
        half = z * np.sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / scale
    elif kind == "wald":
        centre, half = p, z * np.sqrt(p * (1 - p) / n)
    else:
        raise UnknownName("band", kind, BANDS)
    return np.clip(centre - half, 0.0, p), np.clip(centre + half, p, 1.0)
