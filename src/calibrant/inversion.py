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

STEPS = 20  # halvings of the range of c
ROUNDS = 6  # times that noise is drawn anew for the limit it led to


def invert(
    worlds: Worlds, observed: float, best: float, most: float, level: float
) -> tuple[float, float]:
    """The smallest and largest c under which `observed` is not in a tail of the replicates.

    How noisy the bins are depends on c. So the noise is drawn in a world near the limit: for the
    lower limit first in the calibrated world, for the upper first in the best guess, and then in
    the world that the limit itself describes, until it settles. No c can exceed `most`.
    """
    tail = (1 - level) / 2
    best = min(best, most)

    def lowest(family: Family) -> float:
        def allowed(c: float) -> bool:
            return float(np.quantile(family(c), 1 - tail)) >= observed

        if allowed(0.0):
            return 0.0
        return _bisect(allowed, 0.0, best)[1] if allowed(best) else best

    def excludes(family: Family, c: float) -> bool:  # below 0 is no more surprising than 0
        return float(np.quantile(family(c), tail)) > max(observed, 0.0)

    def highest(family: Family) -> float:
        if not excludes(family, most):
            return most
        return _bisect(lambda c: excludes(family, c), best, most)[0]

    low = lowest(worlds(0.0))
    if low > 0.0:  # the calibrated world is excluded, and stays so
        low = _settle(worlds, lowest, low, 0.0, best)
    high = highest(worlds(best))
    if high > best + 1e-4 * most:
        return low, _settle(worlds, highest, high, best, most)
    # a world without noise, such as all q = 0, tells nothing: look at each c in its own world
    return low, _bisect(lambda c: excludes(worlds(c), c), best, most)[0]


def _settle(
    worlds: Worlds, limit: Callable[[Family], float], c: float, least: float, most: float
) -> float:
    """Find the c between `least` and `most` that is the limit in its own world."""
    for _ in range(ROUNDS):
        found = limit(worlds(c))
        if abs(found - c) <= 0.02 * c:
            return found
        if found > c:
            least = c
        else:
            most = c
        c = found if least < found < most else (least + most) / 2
    return c


def _bisect(reached: Callable[[float], bool], low: float, high: float) -> tuple[float, float]:
    for _ in range(STEPS):
        middle = (low + high) / 2
        if reached(middle):
            high = middle
        else:
            low = middle
    return low, high
