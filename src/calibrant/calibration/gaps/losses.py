"""`Losses`: the evidence of scores that are mean losses."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from calibrant.calibration.groups.exact_sums import column_sum, order_free, order_free_sum
from calibrant.calibration.groups.pooling import Expected, Promise
from calibrant.calibration.groups.units import Rows, Units, resampling_units, unit_weights
from calibrant.checks.arrays import chunks, sum_by
from calibrant.pairs import Pairs

Float = NDArray[np.float64]
Int = NDArray[np.int64]
Column = Callable[[Rows], Float]
KINDS = 4096  # distinct losses kept for a bootstrap without groups: 1/4096 of their range is far
# below the noise of replicates
NOTHING = 1e-100  # a smaller variance is none: predictions are certain


@dataclass(frozen=True, slots=True, eq=False)
class Foreseen:
    """What predictions say of the losses of rows, computed for some rows at a time."""

    mean: Column
    spread: Column  # the standard deviation of the loss of one pair
    surprise: Column  # the squared difference of the loss from its mean


@dataclass(frozen=True, slots=True, eq=False)
class Losses:
    """A mean loss, and the units that a bootstrap draws.

    With groups, each unit is a group with its total loss and weight. Without groups, each unit is
    a set of `weight` pairs with (nearly) the same loss, and `total` is the sum of their losses.
    """

    value: float
    total: Float
    weight: Float
    grouped: bool
    least: float  # no mean of the losses is smaller than the smallest of them,
    most: float  # or larger than the largest
    promise: Promise | None = None  # what the predictions say of the losses; None if unknown

    @property
    def groups(self) -> int | None:
        """How many groups a bootstrap draws from; None if it draws pairs."""
        return self.total.size if self.grouped else None

    @property
    def expected(self) -> float | None:
        """The mean that the predictions promise; None if unknown."""
        if self.promise is None:
            return None
        return float(self.promise.total.sum() / self.weight.sum())

    @property
    def too_small(self) -> int:
        """Always 0: a mean of losses has no bins."""
        return 0


def losses(
    pairs: Pairs,
    rows: Float,
    loss: Callable[[Float, int], Float],
    foreseen: Foreseen | None = None,
) -> Losses:
    """Collect the loss of each row into units; `loss` splits compressed rows by outcome."""
    units = resampling_units(pairs)
    if units is not None:
        foreseen = foreseen_losses(pairs, loss) if foreseen is None else foreseen
        return unit_losses(pairs, units, lambda each: rows[each], foreseen)
    weight = np.ones(len(pairs)) if pairs.weight is None else pairs.weight.astype(np.float64)
    least, most = float(rows.min()), float(rows.max())
    value = order_free_sum(rows * weight) / pairs.n
    if not np.isfinite(value):
        return _unbounded(value, least, most)
    value = min(max(value, least), most)
    if pairs.moments is not None:
        q = pairs.q.astype(np.float64, copy=False)
        rows = np.concatenate([loss(q, 1), loss(q, 0)])
        weight = np.concatenate([weight * pairs.y, weight * (1 - pairs.y)])
        rows, weight = rows[weight > 0], weight[weight > 0]
        least, most = min(least, float(rows.min())), max(most, float(rows.max()))
    return Losses(value, *_kinds(rows, weight), False, least, most)


def unit_losses(
    pairs: Pairs,
    units: Units,
    losses_of: Column,
    foreseen: Foreseen,
) -> Losses:
    """Collect losses, which are computed for a few rows at a time, into these units."""
    weight = 1.0 if pairs.weight is None else pairs.weight

    def weighted(rows: Rows) -> Float:
        return losses_of(rows) * (weight if isinstance(weight, float) else weight[rows])

    parts = [(each.min(), each.max()) for each in map(losses_of, chunks(len(pairs)))]
    least, most = float(min(low for low, _ in parts)), float(max(high for _, high in parts))
    value = column_sum(weighted, len(pairs)) / pairs.n
    if not np.isfinite(value):
        return _unbounded(value, least, most)
    total, weights = units.sums(weighted), unit_weights(pairs, units)
    nameless = np.lexsort((weights, total))  # labels of groups cannot matter
    promise = None if pairs.held is not None else _promise(pairs, units, foreseen, nameless)
    value = min(max(value, least), most)
    return Losses(value, total[nameless], weights[nameless], True, least, most, promise)


def _unbounded(value: float, least: float, most: float) -> Losses:
    return Losses(value, np.array([value]), np.ones(1), False, least, most)


def _promise(pairs: Pairs, units: Units, foreseen: Foreseen, order: Int) -> Promise | None:
    """What the predictions say of the losses of these units, in this order; None if infinite.

    On the whole, losses of single pairs vary as much as they were seen to.
    """
    weight = pairs.weight

    def weighted(each: Column) -> Column:
        return each if weight is None else lambda rows: weight[rows] * each(rows)

    def squared(rows: Rows) -> Float:
        return foreseen.spread(rows) ** 2

    total = units.sums(weighted(foreseen.mean))[order]
    if not np.isfinite(total).all():
        return None
    if pairs.codes is None:
        return Promise(total, None)
    apart = weighted(squared)
    alone = units.sums(apart if pairs.counted else weighted(apart))[order]
    supposed = column_sum(apart, len(pairs))
    if supposed < NOTHING:
        return Promise(total, None)
    together = units.sums(weighted(foreseen.spread))[order]
    seen = column_sum(weighted(foreseen.surprise), len(pairs)) / supposed
    return Promise(total, Expected.of(seen * alone, np.sqrt(seen) * together))


def foreseen_losses(pairs: Pairs, loss: Callable[[Float, int], Float]) -> Foreseen:
    """What predictions of one event say of its loss, which may be infinite at 0 and 1."""

    def both(rows: Rows) -> tuple[Float, Float, Float]:
        q = pairs.q[rows].astype(np.float64, copy=False)
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
        return _mean(pairs.y[rows].astype(np.float64), (yes - expected) ** 2, (no - expected) ** 2)

    return Foreseen(mean, spread, surprise)


def _mean(p: Float, yes: Float, no: Float) -> Float:
    """The mean of two values, of which the first has probability p; what is impossible is 0."""
    with np.errstate(invalid="ignore"):
        return np.where(p > 0, p * yes, 0.0) + np.where(p < 1, (1 - p) * no, 0.0)


def _kinds(rows: Float, weight: Float) -> tuple[Float, Float]:
    """Merge pairs with similar losses into at most KINDS units: total loss and weight of each."""
    span = rows.max() - rows.min()
    if weight.sum() > KINDS and span > 0:  # by weight, since a weight of 2 equals two rows
        label = ((rows - rows.min()) * ((KINDS - 1) / span)).astype(np.int64)
    else:
        _, label = np.unique(rows, return_inverse=True)
    many = sum_by(label, weight)
    total = sum_by(label, order_free(rows * weight))
    return total[many > 0], many[many > 0]
