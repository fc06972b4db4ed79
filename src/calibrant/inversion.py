"""The limits of an interval by inverting a test.

Forecasters are imagined whose gaps have one pattern, c times as large as it was observed. A
limit is the smallest or largest c under which the observed score is not in a tail of what such a
forecaster would show.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Float = NDArray[np.float64]
Family = Callable[[float], Float]  # the score of each replicate, as a function of c
Worlds = Callable[[float], Family]  # the family whose noise belongs to forecasters of this c

STEPS = 14  # halvings: the limits are exact to 1e-4 of themselves
ROUNDS = 3  # times that noise is drawn anew for the limit it led to


def invert(worlds: Worlds, observed: float, best: float, level: float) -> tuple[float, float]:
    """The smallest and largest c under which `observed` is not in a tail of the replicates.

    How noisy the bins are depends on c. So the noise is drawn in a world near the limit: for the
    lower limit first in the calibrated world, for the upper first in the best guess, and then in
    the world that the limit itself describes, until it settles.
    """
    tail = (1 - level) / 2

    def lowest(family: Family) -> float:
        def allowed(c: float) -> bool:
            return float(np.quantile(family(c), 1 - tail)) >= observed

        return 0.0 if allowed(0.0) else _bisect(allowed, 0.0, _beyond(allowed, best))[1]

    def highest(family: Family) -> float:
        def excluded(c: float) -> bool:  # a score below 0 is no more surprising than 0
            return float(np.quantile(family(c), tail)) > max(observed, 0.0)

        return _bisect(excluded, best, _beyond(excluded, best))[0]

    low = _settle(worlds, lowest, 0.0)
    high = _settle(worlds, highest, best)
    return min(low, best), max(high, best)


def _settle(worlds: Worlds, limit: Callable[[Family], float], c: float) -> float:
    """Draw noise for c, find the limit, and go on from there until it stays where it is.

    Once the calibrated world is excluded it stays excluded: a limit of 0 is final in the first
    round and ignored later.
    """
    for _ in range(ROUNDS):
        before, c = c, limit(worlds(c))
        if c == 0.0:
            return before
        if abs(c - before) <= 0.02 * before:
            break
    return c


def _beyond(reached: Callable[[float], bool], start: float) -> float:
    c = max(2 * start, 1e-3)
    for _ in range(60):
        if reached(c):
            break
        c *= 2
    return c


def _bisect(reached: Callable[[float], bool], low: float, high: float) -> tuple[float, float]:
    for _ in range(STEPS):
        middle = (low + high) / 2
        if reached(middle):
            high = middle
        else:
            low = middle
    return low, high
