"""The joint distribution of the counts of uniform draws below several points.

The count of n uniform draws below z is binomial. The surprise γ of a count is twice the smaller of
its two binomial tails; the surprise of all counts is the smallest γ. Its distribution is computed
exactly, by a recursion over the points.

Reference: Säilynoja, Bürkner and Vehtari (2022), doi:10.1007/s11222-022-10090-6.
"""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

Float = NDArray[np.float64]
Int = NDArray[np.int64]

CLOSE = 1e-4  # relative accuracy of the pointwise surprise: finer than a band can show
ROUNDING = 1e-9  # surprises that differ by less are equal
TINY = 1e-9  # below it 1 − P loses its digits, so a bound is used instead
BACK = 2  # counts to step back from a guessed quantile, since rounding may overshoot
STEPS = 5  # counts to try from there


def windows(n: int, z: Float, surprise: Float | float) -> tuple[Int, Int]:
    """The least and the largest count below each z that is less surprising than `surprise`."""
    tail = np.broadcast_to(np.asarray(surprise) / 2 * (1 + ROUNDING), z.shape)
    return _least(n, z, tail), n - _least(n, 1 - z, tail)


def _least(n: int, z: Float, tail: Float) -> Int:
    """The smallest count whose lower tail exceeds `tail`."""
    from scipy.special import bdtr, bdtrik

    with np.errstate(invalid="ignore"):
        guess = np.nan_to_num(np.floor(bdtrik(tail, n, z)))
    guess = np.clip(guess - BACK, 0, n)
    for _ in range(STEPS):
        guess = np.where((bdtr(guess, n, z) <= tail) & (guess < n), guess + 1, guess)
    found: Int = guess.astype(np.int64)
    return found


def surprise_at(n: int, z: Float, count: Float) -> Float:
    """Twice the smaller tail of each count, at most 1."""
    from scipy.special import bdtr

    lower = bdtr(count, n, z)
    upper = np.where(count > 0, bdtr(n - count, n, 1 - z), 1.0)
    return np.asarray(np.minimum(1.0, 2 * np.minimum(lower, upper)), np.float64)


def probability_inside(n: int, z: Float, low: Int, high: Int) -> float:
    """P(low ≤ count ≤ high at every z)."""
    from calibrant.kernels.calibration.ecdf import stay_inside

    return min(1.0, float(stay_inside(n, np.diff(z, prepend=0.0), low, high)))


def simultaneous(n: int, z: Float, level: float) -> tuple[Int, Int]:
    """The narrowest windows that contain the counts at all z with probability `level`."""
    return windows(n, z, _tuned(n, tuple(z.tolist()), level))


@lru_cache(maxsize=256)
def _tuned(n: int, points: tuple[float, ...], level: float) -> float:
    """The largest pointwise surprise that keeps all points inside with this probability."""
    z = np.array(points)
    low, high = (1 - level) / z.size, 1.0  # Bonferroni's bound is always small enough
    while high > low * (1 + CLOSE):
        middle = float(np.sqrt(low * high))
        if probability_inside(n, z, *windows(n, z, middle)) >= level:
            low = middle
        else:
            high = middle
    return low


def uniform_p_value(n: int, z: Float, count: Float) -> tuple[float, float]:
    """The smallest surprise of these counts, and its p-value for uniform draws."""
    found = float(surprise_at(n, z, count).min())
    p_value = 1 - probability_inside(n, z, *windows(n, z, found)) if found > 0 else 0.0
    return found, p_value if p_value > TINY else min(TINY, found * z.size)
