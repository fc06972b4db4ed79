"""Sums over all pairs of points, with weights that fall linearly with distance."""

import numpy as np

from calibrant.kernels.compiled import compiled


@compiled(nogil=True)
def two_bin_forms(start, q, mass):
    """∫ (Σ_{q < t} mass)² + (Σ_{q ≥ t} mass)² dt over [0, 1], for each segment.

    This is Σ mass_i mass_j (1 − |q_i − q_j|). The q of a segment are ascending, so both sums are
    constant between neighbours. All terms are squares, so nothing cancels.
    """
    found = np.zeros(start.size - 1)
    for s in range(start.size - 1):
        every = 0.0
        for j in range(start[s], start[s + 1]):
            every += mass[j]
        total, below, last = 0.0, 0.0, 0.0
        for j in range(start[s], start[s + 1]):
            total += (q[j] - last) * (below**2 + (every - below) ** 2)
            below += mass[j]
            last = q[j]
        found[s] = total + (1.0 - last) * every**2
    return found
