"""What maps are learnt from: the pairs of each fold, summed over cells of q."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from calibrant.calibration.recalibration.dependence import Dependence, dependence_of
from calibrant.calibration.recalibration.folded import Folded
from calibrant.calibration.recalibration.maps import IDENTITY, Map, logits
from calibrant.calibration.recalibration.method import Method, PairMethod
from calibrant.calibration.scores import MeanLoss
from calibrant.checks.arrays import Numbers, sum_by
from calibrant.pairs import Pairs

Float = NDArray[np.float64]
Int = NDArray[np.int64]
CELLS = 4096  # of about equally many pairs: within one, q hardly changes
FOLDS = 10


@dataclass(frozen=True, eq=False)
class Lesson:
    """Pairs to learn from: n of them in each cell, k of which have y = 1.

    `worth` is how much independent information a pair of them holds: 1 if pairs are independent,
    less if those of a group repeat each other.
    """

    x: Float  # the logit of each cell
    q: Float
    n: Float
    k: Float
    worth: float


@dataclass(frozen=True, eq=False)
class FoldedCells(Folded[Map]):
    """The pairs of each fold, summed over cells; and how those of a group depend on each other."""

    fold: Numbers  # of each pair
    q: Float  # the mean prediction of each cell
    n: Float  # (folds, cells)
    k: Float
    dependence: Dependence | None  # None if pairs are independent
    unchanged: Map = IDENTITY

    @property
    def folds(self) -> int:
        """The number of folds."""
        return int(self.n.shape[0])

    @cached_property
    def x(self) -> Float:
        """The logit of each cell."""
        return logits(self.q)

    def without(self, *folds: int) -> Lesson:
        """All pairs but those of some folds."""
        kept = np.ones(self.folds, bool)
        kept[list(folds)] = False
        n, k = self.n[kept].sum(axis=0), self.k[kept].sum(axis=0)
        known = self.dependence
        worth = 1.0 if known is None else known.worth(kept, self.x, n, k)
        return Lesson(self.x, self.q, n, k, worth)

    def learnt(self, methods: Sequence[Method], *left_out: int) -> list[Map]:
        """The maps that methods learn from all folds but those that are left out."""
        lesson = self.without(*left_out)
        return [each.learn(lesson) for each in methods if isinstance(each, PairMethod)]

    def loss(self, fold: int, mapped: Map, rule: MeanLoss) -> float:
        """The summed loss of the pairs of a fold, mapped."""
        p = mapped(self.q)
        n, k = self.n[fold], self.k[fold]
        return float(np.sum(k * rule.loss(p, 1) + (n - k) * rule.loss(p, 0)))


def folded_cells(pairs: Pairs, seed: int) -> FoldedCells:
    """Divide pairs into folds of whole groups, and sum them over cells."""
    from calibrant.kernels.calibration.cells_of import cells_of

    fold = folds_of(pairs, seed)
    many = int(fold.max()) + 1
    edges = _edges(pairs)
    cell = cells_of(edges, pairs.q)
    weight = np.ones(len(pairs)) if pairs.weight is None else pairs.weight.astype(np.float64)
    y, q = pairs.y.astype(np.float64), pairs.q.astype(np.float64)
    count = edges.size + 1
    at = fold.astype(np.int64) * count + cell
    n, k = (sum_by(at, each, many * count).reshape(many, count) for each in (weight, weight * y))
    total = sum_by(cell, weight * q, count)
    used = n.sum(axis=0) > 0
    mean = total[used] / n.sum(axis=0)[used]
    n, k = n[:, used], k[:, used]
    cell = (np.cumsum(used) - 1)[cell]
    depends = dependence_of(pairs, fold, cell, n.sum(axis=0), weight)
    return FoldedCells(fold, mean, n, k, depends)


def _edges(pairs: Pairs) -> Float:
    """The upper edges of all cells but the last; a cell for each distinct q if they are few."""
    ordered = np.sort(pairs.q.astype(np.float64))
    distinct = np.unique(ordered[:: max(1, ordered.size // (4 * CELLS))])
    if ordered.size <= 4 * CELLS and distinct.size <= CELLS:
        return distinct[:-1]
    at = np.linspace(0, ordered.size - 1, CELLS + 1).astype(np.int64)[1:-1]
    return np.unique(ordered[at])


def folds_of(pairs: Pairs, seed: int) -> Numbers:
    """The fold of each pair; pairs of a group share one, and folds have about equal weight.

    Groups are put in an order that depends on their contents, and is the same if yes and no are
    swapped. So neither labels nor the order of rows matter.
    """
    if pairs.codes is None:
        agrees = np.where(pairs.q > 0.5, pairs.y, 1 - pairs.y)
        order = np.lexsort((pairs.y, agrees, np.abs(pairs.q - 0.5)))
        folds = min(FOLDS, len(pairs))
        found = np.empty(len(pairs), np.int64)
        drawn = np.random.default_rng(seed).permutation(len(pairs))
        found[order] = drawn % folds
        return found
    size = pairs.group_weights
    weight = np.ones(len(pairs)) if pairs.weight is None else pairs.weight.astype(np.float64)
    total = sum_by(pairs.codes, weight * pairs.q)
    positive = sum_by(pairs.codes, weight * pairs.y)
    shuffled = np.random.default_rng(seed).random(size.size)
    ranked = np.lexsort((np.abs(positive - size / 2), np.abs(total - size / 2), size))
    order = ranked[np.argsort(shuffled, kind="stable")]
    of_group = _spread(size, order, min(FOLDS, size.size))
    return of_group[pairs.codes]


def _spread(size: Float, order: Int, folds: int) -> Int:
    """Put groups, the largest first, into the fold that holds least; ties in the given order."""
    by_size = order[np.argsort(-size[order], kind="stable")]
    held, found = np.zeros(folds), np.empty(size.size, np.int64)
    even = size.size > 100 * folds  # many groups even out by themselves
    if even:
        found[order] = np.arange(size.size) % folds
        return found
    for group in by_size.tolist():
        lightest = int(np.argmin(held))
        found[group] = lightest
        held[lightest] += size[group]
    return found
