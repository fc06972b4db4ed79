"""Means over few and unequal groups: their spread, and how many groups they are worth.

With few groups the variance between them is itself uncertain, and a group with many pairs pulls
the mean towards itself, so that its own residual looks too small. Student's t on the effective
number of groups answers the first, the jackknife (CR3) the second.
"""

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calibrant.checks.arrays import sum_by
from calibrant.errors import CalibrantWarning
from calibrant.pairs.groups import effective_number

Float = NDArray[np.float64]
Int = NDArray[np.int64]
FEW = 5  # effective groups: with fewer, Student's t has heavy tails and intervals are wide
ROUNDING = 1e-9  # relative error of an effective number that is whole
MOST_LEVERAGE = 0.9  # a larger share of the weight leaves no other groups to compare with
MORE = 1.5  # power of a ratio of variances above 1: with 1, tests reject 9 to 11 % of calibrated
# models with rare positives in few groups


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


def effective_outcomes(codes: Int | None, weight: Float, y: NDArray[Any]) -> float:
    """The effective number of groups: of all rows, or of one outcome if that is less.

    If y = 1 (or 0) is rare, few groups may hold most of the rows that tell something about its
    frequency. `codes` has the group of each row; without groups the number is 0.

    >>> codes, y = np.array([0, 0, 1, 1, 2, 2]), np.array([1, 1, 0, 0, 0, 0])
    >>> effective_outcomes(codes, np.ones(6), y), effective_outcomes(codes, np.ones(6), 0 * y)
    (1.0, 3.0)
    """
    if codes is None:
        return 0.0
    return least_effective([sum_by(codes, weight * each) for each in (np.ones(y.size), y, 1 - y)])


def least_effective(held: list[Float]) -> float:
    """The smallest effective number of groups, by several things that groups hold."""
    return min(effective_number(each) for each in held if each.sum() > 0)


def grown(wanted: float, seen: float) -> float:
    """How much larger the variance between groups should be if `wanted` was expected, not `seen`.

    If few positives were seen by chance, groups also look too much alike, so the variance grows
    faster than the ratio. It never shrinks.

    >>> grown(4.0, 1.0), grown(1.0, 4.0)
    (8.0, 1.0)
    """
    return float(max(wanted / seen, 1.0) ** MORE) if seen > 0 else 1.0


def mean_shifts(total: Float, weight: Float) -> Float:
    """By how much Σ total / Σ weight changes if each group is left out (the sign reversed).

    `total` has one row per group and may have further axes; `weight` has one entry per group. The
    residual of a group is divided by 1 − its share of the weight (CR3).
    """
    across = (slice(None), *[None] * (total.ndim - 1))
    mean = total.sum(axis=0) / weight.sum()
    residual = total - mean * weight[across]
    return np.asarray(jackknife_residuals(residual, weight) / weight.sum())


def jackknife_spread(total: Float, weight: Float) -> Float:
    """The standard error of Σ total / Σ weight over groups, by leaving out one group at a time.

    >>> round(float(jackknife_spread(np.array([1.0, 2.0, 3.0]), np.ones(3))), 4)
    0.7071
    """
    return np.asarray(np.sqrt((mean_shifts(total, weight) ** 2).sum(axis=0)))


def jackknife_residuals(sums: Float, weight: Float) -> Float:
    """Sums of residuals by group, divided by 1 − the share of the weight that a group has (CR3).

    Like `sums`, they have one row per group; their squares add up to the variance of the total.

    >>> jackknife_residuals(np.array([3.0, -3.0]), np.ones(2))
    array([ 6., -6.])
    """
    share = np.minimum(weight / weight.sum(), MOST_LEVERAGE)
    return np.asarray(sums / (1 - share)[(slice(None), *[None] * (sums.ndim - 1))])


def jackknife_changes(score: Float, information: Float) -> Float:
    """How much fitted coefficients change if one group at a time is left out.

    `score` (groups, k) has the gradients of the log-likelihood at the fit, and `information`
    (groups, k, k) the negative second derivatives. One Newton step from the fit gives the change,
    so that a mean changes exactly. Squares of the changes add up to the variance (CR3).

    >>> changes = jackknife_changes(np.array([[1.0], [-1.0]]), np.ones((2, 1, 1)))
    >>> changes.round(6).tolist()
    [[1.0], [-1.0]]
    """
    values, vectors = np.linalg.eigh(information.sum(axis=0))
    known = values > values[-1] * values.size * np.finfo(np.float64).eps
    root = vectors[:, known] / np.sqrt(values[known])  # root @ root.T is the inverse
    leverage, turned = np.linalg.eigh(root.T @ information @ root)
    inner = np.einsum("gji,gj->gi", turned, score @ root)
    inner /= 1 - np.minimum(leverage, MOST_LEVERAGE)
    return np.asarray(np.einsum("gij,gj->gi", turned, inner) @ root.T)


def worth_less(effective: float, fewest: int) -> bool:
    """Whether groups are worth less than this number of equal groups, beyond rounding."""
    return effective < fewest * (1 - ROUNDING)


def warn_few(effective: float) -> None:
    """Warn if the effective number of groups is below five; 0 means no groups."""
    if effective > 0 and worth_less(effective, FEW):
        warnings.warn(
            f"The groups are worth only {effective:.1f} groups of equal size, so intervals are "
            "wide and less certain.",
            CalibrantWarning,
            stacklevel=4,
        )
