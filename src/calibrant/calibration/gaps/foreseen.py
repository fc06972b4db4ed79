"""What predictions say of losses: how large they should be, and how much they should vary."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from calibrant.calibration.groups.exact_sums import column_sum
from calibrant.calibration.groups.pooling import ENOUGH, Expected, Promise
from calibrant.calibration.groups.units import Rows, Units
from calibrant.pairs import Pairs

Float = NDArray[np.float64]
Int = NDArray[np.int64]
Column = Callable[[Rows], Float]
NOTHING = 1e-100  # a smaller variance is none: predictions are certain


@dataclass(frozen=True, slots=True, eq=False)
class Foreseen:
    """What predictions say of the losses of rows, computed for some rows at a time."""

    mean: Column
    spread: Column  # the standard deviation of the loss of one pair
    surprise: Column  # the squared difference of the loss from its mean


def foreseen_losses(pairs: Pairs, loss: Callable[[Float, int], Float]) -> Foreseen:
    """What predictions of one event say of its loss, which may be infinite at 0 and 1."""
    all_q, all_y = pairs.q, pairs.y  # not the pairs, which may remember the result

    def both(rows: Rows) -> tuple[Float, Float, Float]:
        q = all_q[rows].astype(np.float64, copy=False)
        with np.errstate(all="ignore"):
            return q, loss(q, 1), loss(q, 0)

    def mean(rows: Rows) -> Float:
        return _mean(*both(rows))

    def spread(rows: Rows) -> Float:
        q, yes, no = both(rows)
        with np.errstate(invalid="ignore"):
            found = np.sqrt(q * (1 - q)) * np.abs(yes - no)
        return np.where((q > 0) & (q < 1), found, 0.0)

    def surprise(rows: Rows) -> Float:
        q, yes, no = both(rows)
        expected = _mean(q, yes, no)
        return _mean(all_y[rows].astype(np.float64), (yes - expected) ** 2, (no - expected) ** 2)

    return Foreseen(mean, spread, surprise)


def _mean(p: Float, yes: Float, no: Float) -> Float:
    """The mean of two values, of which the first has probability p; what is impossible is 0."""
    with np.errstate(invalid="ignore"):
        return np.where(p > 0, p * yes, 0.0) + np.where(p < 1, (1 - p) * no, 0.0)


def promises(
    pairs: Pairs, units: Units, foreseen: Foreseen, order: Int
) -> Callable[[], Promise | None]:
    """A function that finds what predictions say of the losses of units, in this order.

    It finds None if they promise an infinite loss. On the whole, losses of single pairs vary as
    much as they were seen to.
    """
    weight, counted, rows = pairs.weight, pairs.counted, len(pairs)
    dependent = 0 < pairs.effective_groups <= ENOUGH

    def weighted(each: Column) -> Column:
        return each if weight is None else lambda some: weight[some] * each(some)

    def find() -> Promise | None:
        total = units.sums(weighted(foreseen.mean))[order]
        if not np.isfinite(total).all():
            return None
        return Promise(total, variance() if dependent else None)

    def variance() -> Expected | None:
        apart = weighted(lambda some: foreseen.spread(some) ** 2)
        alone = units.sums(apart if counted else weighted(apart))[order]
        supposed = float(alone.sum()) if counted else column_sum(apart, rows)
        if supposed < NOTHING:
            return None
        together = units.sums(weighted(foreseen.spread))[order]
        seen = column_sum(weighted(foreseen.surprise), rows) / supposed
        return Expected.of(seen * alone, np.sqrt(seen) * together)

    return find
