"""Maps judged on pairs that they were not learnt from.

Groups are divided into ten folds. The pairs of each fold are mapped by what was learnt from the
other nine. If a method is to be chosen, it is chosen for each fold within the other nine, by the
same scheme: so the choice is judged too.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Generic

import numpy as np
from numpy.typing import NDArray

from calibrant.calibration.recalibration.folded import Folded, M
from calibrant.calibration.recalibration.method import Method
from calibrant.calibration.scores import MeanLoss
from calibrant.checks.arrays import Numbers

Float = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class CrossFit(Generic[M]):
    """The map of each fold, learnt without it, and the method that was chosen for it."""

    fold: Numbers  # of each observation
    maps: tuple[M, ...]
    chosen: tuple[str, ...]  # the printed form of a method, or "none" to leave predictions

    def mapped(self, values: Float, how: Callable[[M, Float], Float]) -> Float:
        """Every prediction, or row of them, by the map of its fold; `how` applies a map."""
        found = np.empty_like(values)
        for fold, each in enumerate(self.maps):
            inside = self.fold == fold
            found[inside] = how(each, values[inside])
        return found


def cross_fit(data: Folded[M], methods: Sequence[Method], rule: MeanLoss) -> CrossFit[M]:
    """Learn the map of each fold without it; with several methods, choose within the others."""
    folds = range(data.folds)
    if len(methods) == 1:
        maps = tuple(data.learnt(methods, fold)[0] for fold in folds)
        return CrossFit(data.fold, maps, (repr(methods[0]),) * data.folds)
    losses = _pair_losses(data, methods, rule)
    best = [_best(losses[fold].sum(axis=0)) for fold in folds]
    maps = tuple(
        data.unchanged if m is None else data.learnt([methods[m]], fold)[0]
        for fold, m in enumerate(best)
    )
    chosen = tuple("none" if m is None else repr(methods[m]) for m in best)
    return CrossFit(data.fold, maps, chosen)


def choose_method(data: Folded[M], methods: Sequence[Method], rule: MeanLoss) -> Method | None:
    """The method with the smallest loss on folds that it did not learn from; None: leave it."""
    if len(methods) == 1:
        return methods[0]
    total = np.zeros(len(methods) + 1)
    for fold in range(data.folds):
        maps = [*data.learnt(methods, fold), data.unchanged]
        total += [data.loss(fold, each, rule) for each in maps]
    best = _best(total)
    return None if best is None else methods[best]


def _pair_losses(data: Folded[M], methods: Sequence[Method], rule: MeanLoss) -> Float:
    """The loss on fold b of what was learnt without folds a and b, [a, b, method]."""
    found = np.zeros((data.folds, data.folds, len(methods) + 1))
    for a, b in combinations(range(data.folds), 2):
        for m, learnt in enumerate([*data.learnt(methods, a, b), data.unchanged]):
            found[a, b, m] = data.loss(b, learnt, rule)
            found[b, a, m] = data.loss(a, learnt, rule)
    return found


def _best(losses: Float) -> int | None:
    """The method with the smallest loss; None if leaving predictions is as good."""
    best = int(np.argmin(losses))
    return None if best == losses.size - 1 or losses[best] >= losses[-1] else best
