"""Limits of a non-decreasing curve that hold whatever its shape.

If frequencies never fall, the mean frequency of a block of pairs with predictions up to x is at
most the frequency at x. So a lower limit for such a block is a lower limit at x, and an upper
limit for a block of pairs from x on is an upper limit at x. How far a block extends is chosen from
the predictions alone, as if they were calibrated: a poor model widens the limits, but does not
invalidate them.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibrant.calibration.curves.bands import band
from calibrant.calibration.curves.cells import GroupCells
from calibrant.calibration.curves.worth import Spread, worth
from calibrant.calibration.groups.few_groups import normal_quantile
from calibrant.checks.arrays import sum_by
from calibrant.pairs import Pairs

Float = NDArray[np.float64]
Int = NDArray[np.int64]


class Counts(NamedTuple):
    """Pairs in cells that are in ascending order of q."""

    q: Float
    n: Float
    k: Float  # positives
    alone: Float  # Σ weight² over rows; n if every pair counts once


class Blocks(NamedTuple):
    """Ranges of cells: from `first` up to, but without, `last`."""

    first: Int
    last: Int

    def sums(self, values: Float) -> Float:
        """The sum over each block."""
        edges = np.column_stack([self.first, self.last]).ravel()
        found = np.add.reduceat(np.append(values, 0.0), edges)[::2]
        return np.where(self.last > self.first, found, 0.0)


def monotone_limits(
    pairs: Pairs, cells: Counts, grouped: GroupCells | None, at: Float, level: float
) -> tuple[Float, Float]:
    """Lower and upper limits of a non-decreasing curve at the predictions `at`, ascending.

    A limit that is not monotone is moved outwards. Independent pairs get the exact limits of
    Clopper and Pearson (1934), which also hold for pairs with different frequencies (Hoeffding
    1956). Groups get Wilson's, with Student's t.
    """
    below, above = chosen_blocks(cells, at, 1.0, level)
    if grouped is None:
        low, high = exact(cells, below, level)[0], exact(cells, above, level)[1]
    else:
        effect = np.median(
            [each for side in (below, above) for each in _effects(pairs, cells, grouped, side)]
        )
        below, above = chosen_blocks(cells, at, float(effect), level)
        low = over_groups(pairs, cells, grouped, below, level)[0]
        high = over_groups(pairs, cells, grouped, above, level)[1]
    return np.minimum.accumulate(low[::-1])[::-1], np.maximum.accumulate(high)


def chosen_blocks(cells: Counts, at: Float, effect: float, level: float) -> tuple[Blocks, Blocks]:
    """The blocks up to each prediction, and from each on; `effect` multiplies their variance.

    Each block minimises bias + noise, |q − mean q| + z √(q(1 − q)/n) + z²/n, if predictions are
    calibrated.
    """
    z = normal_quantile(level)
    stop = np.searchsorted(cells.q, at, side="right")
    begin = np.searchsorted(cells.q, at, side="left")

    def best(n: Float, total: Float, x: float) -> int:
        """How many of these cells, nearest first, make the best block; 0 if there are none."""
        if n.size == 0:
            return 0
        n = np.cumsum(n)
        away, size = np.abs(x - np.cumsum(total) / n), n / effect
        return int(np.argmin(away + z * np.sqrt(x * (1 - x) / size) + z * z / size)) + 1

    n, total = cells.n, cells.n * cells.q
    first = [b - best(n[:b][::-1], total[:b][::-1], x) for b, x in zip(stop, at, strict=True)]
    last = [a + best(n[a:], total[a:], x) for a, x in zip(begin, at, strict=True)]
    return Blocks(np.array(first), stop), Blocks(begin, np.array(last))


def exact(cells: Counts, blocks: Blocks, level: float) -> tuple[Float, Float]:
    """The limits of Clopper and Pearson; 0 and 1 for blocks without pairs."""
    from scipy.special import betaincinv

    n, k = blocks.sums(cells.n), blocks.sums(cells.k)
    tail = (1 - level) / 2
    low = betaincinv(np.maximum(k, 1e-9), n - k + 1, tail)
    high = betaincinv(k + 1, np.maximum(n - k, 1e-9), 1 - tail)
    return np.where(k > 0, low, 0.0), np.where(k < n, high, 1.0)


def over_groups(
    pairs: Pairs, cells: Counts, grouped: GroupCells, blocks: Blocks, level: float
) -> tuple[Float, Float]:
    """Wilson's limits, with the variance over groups; 0 and 1 for blocks without pairs."""
    found = _spread(cells, grouped, blocks)
    count, groups = worth(found, pairs)
    low, high = band("wilson", found.p, count, level, groups)
    empty = blocks.first == blocks.last
    return np.where(empty, 0.0, low), np.where(empty, 1.0, high)


def _effects(pairs: Pairs, cells: Counts, grouped: GroupCells, blocks: Blocks) -> Float:
    """How much groups multiply the variance of each block."""
    found = _spread(cells, grouped, blocks)
    return np.asarray(found.n / worth(found, pairs).pairs)


def _spread(cells: Counts, grouped: GroupCells, blocks: Blocks) -> Spread:
    """Sums over the groups of each block; an empty block counts as one pair."""
    order = np.argsort(grouped.column, kind="stable")
    owner, n, k = grouped.owner[order], grouped.n[order], grouped.k[order]
    reached = np.searchsorted(grouped.column[order], np.arange(cells.q.size + 1))
    some = blocks.last > blocks.first
    total = np.where(some, blocks.sums(cells.n), 1.0)
    p = np.clip(blocks.sums(cells.k) / total, 0.0, 1.0)
    squares, residual = np.zeros((2, total.size))
    for i, (first, last) in enumerate(zip(blocks.first, blocks.last, strict=True)):
        rows = slice(reached[first], reached[last])
        weight, positive = (sum_by(owner[rows], x[rows], grouped.groups) for x in (n, k))
        squares[i] = (weight**2).sum()
        residual[i] = ((positive - p[i] * weight) ** 2).sum()
    return Spread(total, p, np.where(some, blocks.sums(cells.alone), 1.0), squares, residual)
