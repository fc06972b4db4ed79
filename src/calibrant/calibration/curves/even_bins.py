"""Bins of equal count that look the same from both ends, and the usual number of them."""

from math import isqrt
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from calibrant.calibration.curves.estimator import LARGE
from calibrant.calibration.gaps.bins import Bins, as_bytes, columns, distinct, places
from calibrant.calibration.groups.units import sums_by_unit
from calibrant.checks.arrays import sum_by
from calibrant.pairs import Pairs

if TYPE_CHECKING:
    from calibrant.kernels.calibration.groups import GroupSums

Float = NDArray[np.float64]
Int = NDArray[np.int64]
USUAL = 25  # bins: more add noise, and fewer hide too much of a truth that jumps (n = 1000)
LEAST_GROUPS = 3.0  # effective groups in a bin: with fewer, one group decides its gap
LOOK = 100  # rows per bin that show whether there are more distinct predictions than bins
NEAR = 1e-9  # relative difference of effective groups that is rounding error


def usual_count(pairs: Pairs) -> int:
    """The default number of bins: odd, so that no bin ends in the very middle.

    Where the truth jumps, or predictions crowd near 0, the score loses a share that falls as
    1/bins, while its noise falls as 1/√n. So the number grows with the root of n. Rows of one
    group bring little new, so it is never larger than the root of the number of groups.
    """
    root = isqrt(int(pairs.n) if pairs.counted else len(pairs))
    grown = root // 2
    if pairs.codes is not None:
        grown = min(grown, isqrt(int(pairs.effective_groups)))
    return (max(min(root, USUAL), grown) - 1) | 1


def usual_bins(pairs: Pairs) -> Bins:
    """The default bins: the usual number, merged where few groups are present."""
    bins = even_bins(pairs, usual_count(pairs))
    if pairs.codes is None or bins.n.size == 1:
        return bins
    size = pairs.group_weights
    if bins.n.min() >= LEAST_GROUPS * size.max():  # no bin can hold fewer
        return bins
    sums = sums_by_unit(pairs, columns(pairs.q, bins.upper), pairs.y, bins.n.size)
    assert sums is not None  # there are groups
    return bins.joined(few_groups_merged(sums, bins.n.size, min(LEAST_GROUPS, _half(size))))


def _half(size: Float) -> float:
    """Half of the effective number of all groups, which no bin needs to exceed."""
    return float(size.sum() ** 2 / np.sum(size**2) / 2)


def few_groups_merged(sums: "GroupSums", count: int, least: float) -> Int:
    """The number of the merged bin of each bin, so that each has `least` effective groups.

    The bins with the fewest effective groups are merged first, each with its weaker neighbour
    (with both, if they are equal). So the direction of q does not matter.
    """
    label = np.arange(count)
    owner = np.repeat(np.arange(sums.start.size - 1), np.diff(sums.start))
    while count > 1:
        cell = owner * count + label[sums.column]
        kept, where = np.unique(cell, return_inverse=True)
        weight = sum_by(where, sums.weight, kept.size)
        column = kept % count
        effective = sum_by(column, weight, count) ** 2 / sum_by(column, weight**2, count)
        fewest = effective.min() * (1 + NEAR)
        if fewest >= least:
            break
        around = np.concatenate([[np.inf], effective, [np.inf]])
        below, above = around[:-2], around[2:]
        weak = effective <= fewest
        joins = np.zeros(count + 1, bool)  # whether bins i − 1 and i become one
        joins[:-1] |= weak & (below <= above * (1 + NEAR))
        joins[1:] |= weak & (above <= below * (1 + NEAR))
        merged = np.cumsum(~joins[:-1] | (np.arange(count) == 0)) - 1
        label, count = merged[label], int(merged[-1]) + 1
    return label


def even_bins(pairs: Pairs, count: int) -> Bins:
    """At most `count` bins; equal predictions share the bin of their middle rank."""
    if pairs.weight is None and len(pairs) >= LARGE:
        from calibrant.kernels.calibration.bins.even_bins import even_bins as from_rows

        return Bins(*from_rows(as_bytes(pairs.y), pairs.q, count))
    tally = pairs.tally
    every = Bins(tally.weight, tally.positive, tally.weight * tally.q, tally.q)
    return every.joined(places(tally.weight, tally.q, count))


def merged(pairs: Pairs, count: int) -> Bins:
    """One bin per distinct prediction, or bins of neighbours if that is more than `count`."""
    if pairs.many and np.unique(pairs.q[: count * LOOK]).size > count:
        return even_bins(pairs, count)  # the same bins, without all distinct predictions
    return distinct(pairs).merged(count)
