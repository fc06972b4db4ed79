"""Shares of categories with their limits: what every estimator returns."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from calibrant.calibration.groups.few_groups import normal_quantile, reaches

Float = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Shares:
    """The share of each category, and of all units together (the last entry).

    `covariance` is that of their errors, which labels and maps make dependent. `effective` is how
    many labelled units each is worth; 0 if limits do not depend on labels. NaN says that a share
    cannot be estimated.
    """

    share: Float
    covariance: Float
    low: Float
    high: Float
    effective: Float
    told: str  # what was fitted, in words


def bounded(
    share: Float, spread: Float, effective: Float, level: float, skewness: Float, most: Float
) -> tuple[Float, Float]:
    """Limits of shares between 0 and `most` (inf: no bound) from their standard errors.

    The quantile is that of Student's t on the effective number of labelled units. A standard error
    estimated at a share holds near it; that of a share x is taken to be proportional to
    √(x(1 − x)), as in Wilson's interval. Shares without a bound, or beyond it, have limits at a
    distance that grows with skewness (Johnson, 1978).
    """
    half = reaches(level, effective) * spread
    factor = normal_quantile(level) / 3
    low = share - half * (1 + np.maximum(-skewness, 0) * factor)
    high = share + half * (1 + np.maximum(skewness, 0) * factor)
    inside = np.isfinite(most) & (share > 0) & (share < most)
    value = np.where(inside, share / np.where(inside, most, 1.0), 0.5)
    ratio = (half / np.where(inside, most, 1.0)) ** 2 / (value * (1 - value))
    middle = value + ratio / 2
    away = np.sqrt(ratio * (value * (1 - value) + ratio / 4))
    low = np.where(inside, most * (middle - away) / (1 + ratio), low)
    high = np.where(inside, most * (middle + away) / (1 + ratio), high)
    return low, high
