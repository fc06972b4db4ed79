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
LEAST = 1e-100  # the lower limit if 0 is rejected and no larger c is certain
CLOSE = 1e-6  # tolerance of a limit, relative to the range of c: far below resampling noise
STEPS = 22  # of the root finder: halving takes 20, and a range below one ulp would never end
TRUNCATION = 0.2  # of the ITP method, as its authors choose it


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
    c can exceed `most`. It is 0 exactly if `observed` is not in the upper tail for c = 0.
    """
    best = min(best, most)

    def surplus(family: Family, c: float) -> float:
        return quantile(family(c), (1 + level) / 2) - observed

    def lowest(family: Family) -> float:
        return root(lambda c: surplus(family, c), 0.0, best)

    calibrated = worlds(0.0)
    if share_beyond(calibrated(0.0), observed) > (1 - level) / 2:  # as the test of calibration
        return 0.0
    low = lowest(calibrated)
    if low > 0.0:
        low = _settle(worlds, lowest, surplus, calibrated, low, (0.0, best))
    return max(low, LEAST)


def upper_limit(
    worlds: Worlds, observed: float, best: float, most: float, level: float, least: float = 0.0
) -> float:
    """The largest c under which `observed` is not in the lower tail of the replicates.

    The noise is first drawn for the best guess. An observed score below 0 counts as 0, and a
    score exactly on the limit is still included. A limit below `least` need not be found: if the
    noise does not depend on c and `least` is in the tail, the answer is `least`.
    """
    best = min(best, most)

    def surplus(family: Family, c: float) -> float:
        return quantile(family(c), (1 - level) / 2) - max(observed, 0.0) - ROUNDING

    def highest(family: Family) -> float:
        return root(lambda c: surplus(family, c), best, most)

    guessed = worlds(best)
    if best < least < most and worlds(least) == guessed and surplus(guessed, least) >= 0:
        return least
    return _settle(worlds, highest, surplus, guessed, highest(guessed), (best, most))


def _settle(
    worlds: Worlds,
    limit: Callable[[Family], float],
    surplus: Callable[[Family, float], float],
    family: Family,
    c: float,
    within: tuple[float, float],
) -> float:
    """Find the c that is the limit under its own noise, starting from the limit of a family."""
    least, most = low, high = within
    for _ in range(ROUNDS):
        redrawn = worlds(c)
        if redrawn == family:  # its noise does not depend on c
            return c
        family, found = redrawn, limit(redrawn)
        if abs(found - c) <= NEAR * c and least < c < most:
            return found
        if found > c:
            low = c
        else:
            high = c
        c = found if low < found < high else (low + high) / 2
    # without noise (all q = 0, say) iteration fails: redraw the noise for each c
    return root(lambda c: 1.0 if surplus(worlds(c), c) >= 0 else -1.0, least, most)


def root(surplus: Callable[[float], float], low: float, high: float) -> float:
    """The root of an increasing function, by the ITP method; else an end.

    Oliveira & Takahashi (2020). It is about as fast as secants where the function is smooth, and
    takes at most one step more than bisection where it is not: quantiles may be step functions.
    """
    below, above = surplus(low), surplus(high)
    if below >= 0:
        return low
    if above <= 0:
        return high
    start = high - low
    radius = start  # the farthest from the middle that the guarantee allows, plus half the range
    for _ in range(STEPS):
        if high - low <= CLOSE * start:
            break
        middle, width = (low + high) / 2, high - low
        secant = high - above * width / (above - below)
        towards = np.sign(middle - secant)
        truncation = min(TRUNCATION * width * (width / start), abs(middle - secant))
        shifted = secant + towards * truncation
        allowed = max(radius - width / 2, 0.0)
        c = shifted if abs(shifted - middle) <= allowed else middle - towards * allowed
        value = surplus(c)
        if value < 0:
            low, below = c, value
        else:
            high, above = c, value
        radius /= 2
    return high
