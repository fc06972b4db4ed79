"""Sums over all pairs of points, with weights that decay exponentially with distance."""

import numpy as np

from calibrant.kernels.compiled import compiled


@compiled(nogil=True)
def forms(start, q, mass, width):
    """Σ mass_i mass_j exp(−|q_i − q_j| / width) within each segment.

    The q of a segment are ascending, so the contribution of all earlier points is a running sum.
    """
    found = np.zeros(start.size - 1)
    for s in range(start.size - 1):
        total, earlier, last = 0.0, 0.0, 0.0
        for j in range(start[s], start[s + 1]):
            earlier *= np.exp((last - q[j]) / width)
            total += mass[j] * (mass[j] + 2.0 * earlier)
            earlier += mass[j]
            last = q[j]
        found[s] = total
    return found
