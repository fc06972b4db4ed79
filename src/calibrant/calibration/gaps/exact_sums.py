"""Sums of floats that do not depend on the order of their terms."""

import numpy as np
from numpy.typing import NDArray

Float = NDArray[np.float64]
BITS = 50  # kept of the sum: three fewer than a float has, so that no partial sum is rounded
NEAR = 1e-9  # sums that are a power of two but for rounding are taken to be one


def order_free(values: Float) -> Float:
    """The values rounded to a grid on which sums of them are exact, in any order."""
    total = float(np.abs(values).sum())
    if not 0 < total < np.inf:
        return values
    step = 2.0 ** (np.ceil(np.log2(total) - NEAR) - BITS)
    if step == 0:  # numbers so small are all multiples of the smallest: their sums are exact
        return values
    rounded: Float = np.rint(values / step) * step
    return rounded


def order_free_sum(values: Float) -> float:
    """A sum that does not depend on the order of the values."""
    return float(order_free(values).sum())
