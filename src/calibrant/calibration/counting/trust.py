"""Whether labels contradict the model's counts, or cannot tell."""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibrant.calibration.analyses.adjusting import holm
from calibrant.calibration.counting.shares import Shares
from calibrant.calibration.groups.few_groups import MOST_LEVERAGE, reaches

if TYPE_CHECKING:
    from calibrant.pairs.tallies import Tallies

Float = NDArray[np.float64]
Int = NDArray[np.int64]
REJECTED, UNKNOWN, FINE = "rejected", "cannot tell", "not rejected"


class Trust(NamedTuple):
    """The mean error of the model on the labels of each category (expected − true), and of all."""

    labels: Float
    groups: Float  # that have labels
    bias: Float
    half: Float  # of its interval
    p_value: Float  # of no bias, adjusted for the number of categories
    verdict: tuple[str, ...]


def trust(
    tallies: "Tallies", expected: Float, code: Int, count: int, shares: Shares, level: float
) -> Trust:
    """Test in each category whether the mean error of the model on its labels is 0.

    The verdict is "cannot tell" if labels do not exclude an error as large as the half-width of
    the model's own interval.
    """
    rows = np.flatnonzero(tallies.labelled)
    once = np.ones(rows.size) if tallies.weight is None else tallies.weight[rows]
    unit = rows if tallies.codes is None else np.asarray(tallies.codes, np.int64)[rows]
    columns = np.concatenate([code[rows], np.full(rows.size, count)])
    asked = np.tile(once * tallies.asked[rows], 2)
    error = np.tile(once * (expected[rows] - tallies.gold[rows]), 2)
    keys, at = np.unique(np.tile(unit, 2) * (count + 1) + columns, return_inverse=True)
    column = keys % (count + 1)
    held, sums = np.bincount(at, asked), np.bincount(at, error)
    total = np.bincount(column, held, minlength=count + 1)
    safe = np.where(total > 0, total, 1.0)
    bias = np.bincount(column, sums, minlength=count + 1) / safe
    share = held / safe[column]
    shift = (sums - bias[column] * held) / (1 - np.minimum(share, MOST_LEVERAGE)) / safe[column]
    spread = np.sqrt(np.bincount(column, shift**2, minlength=count + 1))
    groups = np.bincount(column, minlength=count + 1).astype(np.float64)
    square = np.bincount(column, held**2, minlength=count + 1)
    effective = np.divide(total**2, square, where=square > 0, out=np.zeros(count + 1))
    known = (groups > 1) & (spread > 0)
    half = np.where(known, reaches(level, effective) * spread, np.inf)
    p_value = _p_values(bias, spread, effective, known)
    return Trust(
        np.bincount(columns, minlength=count + 1).astype(np.float64),
        groups,
        np.where(total > 0, bias, np.nan),
        half,
        p_value,
        _verdicts(p_value, bias, half, (shares.high - shares.low) / 2, level),
    )


def _p_values(bias: Float, spread: Float, effective: Float, known: NDArray[np.bool_]) -> Float:
    """Two-sided p-values by Student's t; those of categories are adjusted together."""
    from scipy.special import stdtr

    t = np.divide(np.abs(bias), spread, where=known, out=np.zeros_like(bias))
    p = np.where(known, 2 * stdtr(np.maximum(effective - 1, 1.0), -t), 1.0)
    for k, adjusted in holm({k: p[k] for k in np.flatnonzero(known[:-1]).tolist()}).items():
        p[k] = adjusted
    return np.asarray(p)


def _verdicts(p: Float, bias: Float, half: Float, own: Float, level: float) -> tuple[str, ...]:
    excluded = np.abs(bias) + half <= own
    return tuple(
        REJECTED if each < 1 - level else FINE if fine else UNKNOWN
        for each, fine in zip(p.tolist(), excluded.tolist(), strict=True)
    )
