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
Search = Callable[[Worlds, float, float, float, float], float]  # `lower_limit` or `upper_limit`

ROUNDS = 6  # times that noise is drawn anew for the limit it led to: two or three are the rule
NEAR = 0.02  # of c: noise changes so little within it that it need not be drawn anew
ROUNDING = 1e-12  # what rounding may add to a score
CLOSE = 1e-6  # of the range of c: limits are found so closely, far below the noise of replicates
STEPS = 40  # at most, since every other one halves the range: 2^-20 of it is less than CLOSE


def lower_limit(worlds: Worlds, observed: float, best: float, most: float, level: float) -> float:
    """The smallest c under which `observed` is not in the upper tail of the replicates.

    How noisy the bins are depends on c. So the noise is first drawn in the calibrated world, and
    then in the world that the limit itself describes, until it settles. `best` is a guess that
    the limit cannot exceed, and no c can exceed `most`.
    """
    best = min(best, most)

    def surplus(family: Family, c: float) -> float:
        return float(np.quantile(family(c), (1 + level) / 2)) - observed

    def lowest(family: Family) -> float:
        return _root(lambda c: surplus(family, c), 0.0, best)

    low = lowest(worlds(0.0))
    return _settle(worlds, lowest, surplus, low, 0.0, best) if low > 0.0 else low


def upper_limit(worlds: Worlds, observed: float, best: float, most: float, level: float) -> float:
    """The largest c under which `observed` is not in the lower tail of the replicates.

    The noise is first drawn in the world of the best guess. An observed score below 0 is no
    more surprising than 0, and a score just on the limit is still allowed.
    """
    best = min(best, most)

    def surplus(family: Family, c: float) -> float:
        return float(np.quantile(family(c), (1 - level) / 2)) - max(observed, 0.0) - ROUNDING

    def highest(family: Family) -> float:
        return _root(lambda c: surplus(family, c), best, most)

    return _settle(worlds, highest, surplus, highest(worlds(best)), best, most)


def _settle(
    worlds: Worlds,
    limit: Callable[[Family], float],
    surplus: Callable[[Family, float], float],
    c: float,
    least: float,
    most: float,
) -> float:
    """Find the c between `least` and `most` that is the limit in its own world."""
    low, high = least, most
    for _ in range(ROUNDS):
        found = limit(worlds(c))
        if abs(found - c) <= NEAR * c and least < c < most:
            return found
        if found > c:
            low = c
        else:
            high = c
        c = found if low < found < high else (low + high) / 2
    # worlds without noise, such as all q = 0, lead nowhere: look at each c in its own world
    return _root(lambda c: 1.0 if surplus(worlds(c), c) >= 0 else -1.0, least, most)


def _root(surplus: Callable[[float], float], low: float, high: float) -> float:
    """Where a growing function reaches 0, by secants and halvings in turn; an end if nowhere."""
    below, above = surplus(low), surplus(high)
    if below >= 0:
        return low
    if above <= 0:
        return high
    close = CLOSE * (high - low)
    for step in range(STEPS):
        if high - low <= close:
            break
        c = (low + high) / 2
        if step % 2 == 0:  # else it is halved, since quantiles may be steps
            secant = high - above * (high - low) / (above - below)
            # a little beyond the root, towards the further end, so that both ends close in
            secant += close / 2 if secant < c else -close / 2
            c = min(max(secant, low + close / 4), high - close / 4)
        value = surplus(c)
        if value < 0:
            low, below = c, value
        else:
            high, above = c, value
    return high
