"""Exponentials that the compiler can vectorise.

The standard library function computes one at a time, and local fits spend most of their time on
it. The rounding must not be reordered, so functions here set `fastmath=False`; otherwise they
would inherit the setting of the caller.
"""

import math

from calibrant.kernels.bits import bits_float, float_bits
from calibrant.kernels.compiled import compiled

LOG2E = 1.4426950408889634
LN2_HIGH = 6.93147180369123816490e-01  # few bits, so that whole multiples of it are exact
LN2_LOW = 1.90821492927058770002e-10
ROUND = 6755399441055744.0  # 1.5 · 2⁵²: adding it rounds to whole numbers, in the lowest bits
MOST = 700.0  # for larger x, e^x counts as infinite and e^−x as 0


@compiled(inline="always")
def exponential(x):
    """e^x, accurate to about the last bit: 2^n times a series for the rest."""
    x = min(max(x, -MOST), MOST)
    shifted = x * LOG2E + ROUND
    n = shifted - ROUND
    r = (x - n * LN2_HIGH) - n * LN2_LOW
    p = r * (1.0 / 479001600.0) + 1.0 / 39916800.0
    p = p * r + 1.0 / 3628800.0
    p = p * r + 1.0 / 362880.0
    p = p * r + 1.0 / 40320.0
    p = p * r + 1.0 / 5040.0
    p = p * r + 1.0 / 720.0
    p = p * r + 1.0 / 120.0
    p = p * r + 1.0 / 24.0
    p = p * r + 1.0 / 6.0
    p = p * r + 0.5
    p = p * r + 1.0
    p = p * r + 1.0
    return p * bits_float((float_bits(shifted) + 1023) << 52)


@compiled(nogil=True, fastmath=False)
def fill_gaussian(x, x0, h, out):
    """exp(−u²/2) with u = (x − x0)/h."""
    for j in range(x.size):
        u = (x[j] - x0) / h
        out[j] = exponential(-0.5 * u * u)


@compiled(nogil=True, fastmath=False, error_model="numpy")  # no checks for division by 0
def fill_logistic(x, x0, level, slope, out):
    """The logistic function of level + slope · (x − x0)."""
    for j in range(x.size):
        out[j] = 1.0 / (1.0 + exponential(-(level + slope * (x[j] - x0))))


@compiled(inline="always")
def expit(z):
    """The logistic function of one number, without overflow."""
    e = math.exp(-abs(z))
    return (1.0 if z >= 0 else e) / (1.0 + e)
