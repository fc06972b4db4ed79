"""Sum floats in a way that does not depend on their order."""

import numpy as np
from numpy.typing import NDArray

Float = NDArray[np.float64]
BITS = 50  # kept in the sum: three fewer than a float has, so no partial sum is rounded
NEAR = 1e-9  # tolerance for treating a sum as a power of two


def order_free(values: Float) -> Float:
    """Round the values to a grid on which their sums are exact in any order."""
    total = float(np.abs(values).sum())
    if not 0 < total < np.inf:
        return values
    step = 2.0 ** (np.ceil(np.log2(total) - NEAR) - BITS)
    if step == 0:  # subnormal numbers: their sums are exact already
        return values
    rounded: Float = np.rint(values / step) * step
    return rounded


def order_free_sum(values: Float) -> float:
    """A sum that does not depend on the order of the values."""
    return float(order_free(values).sum())
