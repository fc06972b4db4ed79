"""`Losses`: the evidence of scores that are mean losses."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from calibrant.calibration.gaps.foreseen import Column, Foreseen, foreseen_losses, promises
from calibrant.calibration.groups.exact_sums import column_sum, order_free, order_free_sum
from calibrant.calibration.groups.pooling import Promise
from calibrant.calibration.groups.units import Rows, Units, resampling_units, unit_weights
from calibrant.checks.arrays import chunks, sum_by
from calibrant.pairs import Pairs

Float = NDArray[np.float64]
KINDS = 4096  # distinct losses kept for a bootstrap without groups: 1/4096 of their range is far
# below the noise of replicates


@dataclass(frozen=True, eq=False)
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
    foretell: Callable[[], Promise | None] = lambda: None

    @cached_property
    def promise(self) -> Promise | None:
        """What the predictions say of the losses, which takes a while; None if unknown."""
        return self.foretell()

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
    value = min(max(value, least), most)
    units_of = value, total[nameless], weights[nameless], True, least, most
    if pairs.held is not None:
        return Losses(*units_of)
    return Losses(*units_of, promises(pairs, units, foreseen, nameless))


def _unbounded(value: float, least: float, most: float) -> Losses:
    return Losses(value, np.array([value]), np.ones(1), False, least, most)


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
