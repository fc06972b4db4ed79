"""Products of errors in sums of squares, whose variance the jackknife counts twice.

A sum of squared gaps multiplies the errors of every two units of a bin. The variance of these
products appears once in the leave-one-out changes of each of the two units, so the sum of the
squared changes contains it twice (Efron and Stein, 1981, doi:10.1214/aos/1176345462). Products of
two models with the same outcomes nearly cancel in their difference; if models have answers of their
own, they do not.
"""

import numpy as np
from numpy.typing import NDArray

from calibrant.calibration.analyses.leaving_out import NEGLIGIBLE, Folds
from calibrant.calibration.curves import BinnedCurve
from calibrant.calibration.gaps.clusters import clusters
from calibrant.calibration.gaps.norms import Squared
from calibrant.calibration.scores import CalibrationError, Score
from calibrant.pairs import Pairs

Float = NDArray[np.float64]


def products(score: Score, pairs: Pairs, folds: Folds) -> Float | None:
    """What every two folds together add to a sum of squares over bins; None for other scores."""
    if not isinstance(score, CalibrationError) or not isinstance(score.norm, Squared):
        return None
    if not isinstance(score.curve, BinnedCurve):
        return None
    bins = score.curve.bins(pairs)
    found = clusters(pairs.with_group(folds.of_rows(pairs)), bins)
    assert found is not None  # folds are groups
    found = found.by_code()
    error, weight = np.zeros((2, found.groups, bins.n.size))
    error[found.owner, found.column] = found.error
    weight[found.owner, found.column] = found.weight
    n, own = weight.sum(axis=0), (weight**2).sum(axis=0)
    residual = error - error.sum(axis=0) / n * weight
    apart = n**2 - own if score.debiased else n**2
    scale = np.where(apart > NEGLIGIBLE * n**2, n / n.sum() / np.maximum(apart, NEGLIGIBLE), 0.0)
    both: Float = 2 * (residual * scale) @ residual.T
    np.fill_diagonal(both, 0.0)
    return both


def counted_twice(a: Float | None, b: Float | None) -> float:
    """The variance that the squared changes of a difference count twice."""
    if a is None or b is None:
        return 0.0
    return float(np.sum((a - b) ** 2)) / 2  # each two folds are there in both orders
