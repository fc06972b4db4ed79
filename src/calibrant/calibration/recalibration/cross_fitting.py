"""Maps judged on pairs that they were not learnt from.

Groups are divided into ten folds. The pairs of each fold are mapped by what was learnt from the
other nine. If a method is to be chosen, it is chosen for each fold within the other nine, by the
same scheme: so the choice is judged too.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from calibrant.calibration.recalibration.cells import FoldedCells
from calibrant.calibration.recalibration.maps import IDENTITY, Map
from calibrant.calibration.recalibration.method import Method
from calibrant.calibration.scores import MeanLoss
from calibrant.pairs import Pairs

Float = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class CrossFit:
    """The map of each fold, learnt without it, and the method that was chosen for it."""

    cells: FoldedCells
    maps: tuple[Map, ...]
    chosen: tuple[str, ...]  # the printed form of a method, or "none" to leave predictions

    def predictions(self, pairs: Pairs) -> Float:
        """The prediction of every pair, by the map of its fold."""
        q = pairs.q.astype(np.float64)
        for fold, each in enumerate(self.maps):
            inside = self.cells.fold == fold
            q[inside] = each(q[inside])
        return q


def cross_fit(cells: FoldedCells, methods: Sequence[Method], rule: MeanLoss) -> CrossFit:
    """Learn the map of each fold without it; with several methods, choose within the others."""
    if len(methods) == 1:
        maps = tuple(methods[0].learn(cells.without(fold)) for fold in range(cells.folds))
        return CrossFit(cells, maps, (repr(methods[0]),) * cells.folds)
    losses = _pair_losses(cells, methods, rule)
    best = [_best(losses[fold].sum(axis=0)) for fold in range(cells.folds)]
    maps = tuple(
        IDENTITY if m is None else methods[m].learn(cells.without(fold))
        for fold, m in enumerate(best)
    )
    return CrossFit(cells, maps, tuple("none" if m is None else repr(methods[m]) for m in best))


def choose_method(cells: FoldedCells, methods: Sequence[Method], rule: MeanLoss) -> Method | None:
    """The method with the smallest loss on folds that it did not learn from; None: leave it."""
    if len(methods) == 1:
        return methods[0]
    total = np.zeros(len(methods) + 1)
    for fold in range(cells.folds):
        lesson = cells.without(fold)
        for m, method in enumerate(methods):
            total[m] += _loss(cells, fold, method.learn(lesson), rule)
        total[-1] += _loss(cells, fold, IDENTITY, rule)
    best = _best(total)
    return None if best is None else methods[best]


def _pair_losses(cells: FoldedCells, methods: Sequence[Method], rule: MeanLoss) -> Float:
    """The loss on fold b of what was learnt without folds a and b, [a, b, method]."""
    found = np.zeros((cells.folds, cells.folds, len(methods) + 1))
    for a, b in combinations(range(cells.folds), 2):
        lesson = cells.without(a, b)
        for m, method in enumerate(methods):
            learnt = method.learn(lesson)
            found[a, b, m] = _loss(cells, b, learnt, rule)
            found[b, a, m] = _loss(cells, a, learnt, rule)
        found[a, b, -1] = _loss(cells, b, IDENTITY, rule)
        found[b, a, -1] = _loss(cells, a, IDENTITY, rule)
    return found


def _loss(cells: FoldedCells, fold: int, learnt: Map, rule: MeanLoss) -> float:
    """The summed loss of the pairs of a fold, mapped."""
    p = learnt(cells.q)
    n, k = cells.n[fold], cells.k[fold]
    return float(np.sum(k * rule.loss(p, 1) + (n - k) * rule.loss(p, 0)))


def _best(losses: Float) -> int | None:
    """The method with the smallest loss; None if leaving predictions is as good."""
    best = int(np.argmin(losses))
    return None if best == losses.size - 1 or losses[best] >= losses[-1] else best
