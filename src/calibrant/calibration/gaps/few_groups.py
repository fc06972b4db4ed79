"""Means over few and unequal groups: their spread, and how many groups they are worth.

With few groups the variance between them is itself uncertain, and a group with many pairs pulls
the mean towards itself, so that its own residual looks too small. Student's t on the effective
number of groups answers the first, the jackknife (CR3) the second.
"""

import numpy as np
from numpy.typing import NDArray

Float = NDArray[np.float64]
MOST_LEVERAGE = 0.9  # a larger share of the weight leaves no other groups to compare with


def normal_quantile(level: float) -> float:
    """The z of a two-sided interval at `level`: 1.96 for 0.95."""
    from scipy.special import ndtri

    return float(-ndtri((1 - level) / 2))


def reach(level: float, effective: float) -> float:
    """How many standard errors an interval extends to either side.

    The quantile of Student's t with effective − 1 degrees of freedom, where `effective` is the
    effective number of groups; the normal quantile if it is 0 (no groups).

    >>> round(reach(0.95, 0), 2), round(reach(0.95, 2), 2)
    (1.96, 12.71)
    """
    return float(reaches(level, np.array(effective)))


def reaches(level: float, effective: Float) -> Float:
    """The `reach` of several intervals, each with its own effective number of groups.

    >>> reaches(0.95, np.array([0, 2, 11])).round(2)
    array([ 1.96, 12.71,  2.23])
    """
    from scipy.special import stdtrit

    student = stdtrit(np.maximum(effective - 1, 1.0), (1 + level) / 2)
    return np.where(effective > 0, student, normal_quantile(level))


def jackknife_residuals(total: Float, weight: Float) -> Float:
    """By how much Σ total / Σ weight changes if each group is left out (the sign reversed).

    `total` has one row per group and may have further axes; `weight` has one entry per group. The
    residual of a group is divided by 1 − its share of the weight (CR3).
    """
    share = weight / weight.sum()
    across = (slice(None), *[None] * (total.ndim - 1))
    mean = total.sum(axis=0) / weight.sum()
    residual = total - mean * weight[across]
    return np.asarray(residual / (1 - np.minimum(share, MOST_LEVERAGE))[across] / weight.sum())


def jackknife_spread(total: Float, weight: Float) -> Float:
    """The standard error of Σ total / Σ weight over groups, by leaving out one group at a time.

    >>> round(float(jackknife_spread(np.array([1.0, 2.0, 3.0]), np.ones(3))), 4)
    0.7071
    """
    return np.asarray(np.sqrt((jackknife_residuals(total, weight) ** 2).sum(axis=0)))
