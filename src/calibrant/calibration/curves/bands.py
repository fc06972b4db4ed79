"""Bands around a frequency: Wilson (the default) and Wald (as in the thesis)."""

import numpy as np
from numpy.typing import NDArray

from calibrant.checks.parameters import check_level
from calibrant.errors import UnknownName

Float = NDArray[np.float64]
BANDS = ("wilson", "wald")


def normal_quantile(level: float) -> float:
    """The z of a two-sided interval at `level`: 1.96 for 0.95."""
    from scipy.special import ndtri

    return float(-ndtri((1 - level) / 2))


def band(kind: str, p: Float, n: Float, level: float) -> tuple[Float, Float]:
    """Lower and upper limits of frequencies p observed in n independent pairs.

    Wilson inverts the test of each possible frequency: (p + z²/2n ± z√(p(1−p)/n + z²/4n²)) /
    (1 + z²/n). It has positive width even if p is 0 or 1. Wald is p ± z√(p(1−p)/n), which has
    width 0 there.
    """
    z = normal_quantile(check_level(level))
    if kind == "wilson":
        scale = 1 + z * z / n
        centre = (p + z * z / (2 * n)) / scale
        half = z * np.sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / scale
    elif kind == "wald":
        centre, half = p, z * np.sqrt(p * (1 - p) / n)
    else:
        raise UnknownName("band", kind, BANDS)
    return np.clip(centre - half, 0.0, p), np.clip(centre + half, p, 1.0)
