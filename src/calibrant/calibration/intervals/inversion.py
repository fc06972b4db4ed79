"""Find the limits of an interval by inverting a test.

Consider forecasters whose gaps are c times one pattern. A limit is the smallest or largest c for
which the observed score is not in a tail of the scores that such a forecaster would show.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from calibrant.results.verdict import share_beyond

Float = NDArray[np.float64]
Family = Callable[[float], Float]  # the score of each replicate, as a function of c
Worlds = Callable[[float], Family]  # the family whose noise is drawn for this c

ROUNDS = 6  # maximum redraws of the noise at the current limit; two or three are typical
NEAR = 0.02  # relative change of c below which the noise is not redrawn
ROUNDING = 1e-12  # rounding error of a score
CLOSE = 1e-6  # tolerance of a limit, relative to the range of c: far below resampling noise
STEPS = 40  # maximum steps; every other one halves the range, and 2^-20 is below CLOSE


def quantile(values: Float, share: float) -> float:
    """The quantile of numpy, interpolated linearly, without its overhead.

    >>> quantile(np.array([3.0, 1.0, 2.0]), 0.25)
    1.5
    """
    if values.size == 1:
        return float(values[0])
    place = share * (values.size - 1)
    below = min(int(place), values.size - 2)
    low, high = np.partition(values, [below, below + 1])[below : below + 2]
    part = place - below
    # as numpy does: rounding errors stay on the side of the nearer value
    return float(high - (high - low) * (1 - part) if part >= 0.5 else low + (high - low) * part)


def lower_limit(worlds: Worlds, observed: float, best: float, most: float, level: float) -> float:
    """The smallest c under which `observed` is not in the upper tail of the replicates.

    The noise of the bins depends on c. So the noise is first drawn for a calibrated model, then
    for the limit found, until the limit settles. The limit cannot exceed the guess `best`, and no
    c can exceed `most`.
    """
    best = min(best, most)

    def surplus(family: Family, c: float) -> float:
        return quantile(family(c), (1 + level) / 2) - observed

    def lowest(family: Family) -> float:
        return _root(lambda c: surplus(family, c), 0.0, best)

    if share_beyond(worlds(0.0)(0.0), observed) > (1 - level) / 2:  # as the test of calibration
        return 0.0
    low = lowest(worlds(0.0))
    return _settle(worlds, lowest, surplus, low, 0.0, best) if low > 0.0 else low


def upper_limit(worlds: Worlds, observed: float, best: float, most: float, level: float) -> float:
    """The largest c under which `observed` is not in the lower tail of the replicates.

    The noise is first drawn for the best guess. An observed score below 0 counts as 0, and a
    score exactly on the limit is still included.
    """
    best = min(best, most)

    def surplus(family: Family, c: float) -> float:
        return quantile(family(c), (1 - level) / 2) - max(observed, 0.0) - ROUNDING

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
    """Find the c between `least` and `most` that is the limit under its own noise."""
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
    # without noise (all q = 0, say) iteration fails: redraw the noise for each c
    return _root(lambda c: 1.0 if surplus(worlds(c), c) >= 0 else -1.0, least, most)


def _root(surplus: Callable[[float], float], low: float, high: float) -> float:
    """The root of an increasing function, by alternating secants and bisection; else an end."""
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
        if step % 2 == 0:  # otherwise bisect, since quantiles may be step functions
            secant = high - above * (high - low) / (above - below)
            # overshoot slightly towards the farther end, so that both ends converge
            secant += close / 2 if secant < c else -close / 2
            c = min(max(secant, low + close / 4), high - close / 4)
        value = surplus(c)
        if value < 0:
            low, below = c, value
        else:
            high, above = c, value
    return high
