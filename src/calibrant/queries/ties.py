"""Probabilities that are equal, but for the rounding of sums."""

import numpy as np
from numpy.typing import NDArray

BITS = 42  # of 53 that are kept: differences of 2e-13


def settled(q: NDArray[np.float64]) -> NDArray[np.float64]:
    """Without the last bits, the noise of sums, so that equal probabilities are equal.

    Scores put ties in one bin: they must not depend on the order in which a machine adds.
    """
    mantissa, exponent = np.frexp(q)
    return np.ldexp(np.round(mantissa * 2.0**BITS) / 2.0**BITS, exponent)
