"""Sums over bins of the noise of drawn counts, without keeping the counts."""

import numpy as np

from calibrant.kernels.compiled import compiled


@compiled(nogil=True)
def add_noise(drawn, scale, centre, mean, linear, straight, square, slope, rest):
    """Add the noise of some bins to two sums for each replicate.

    `drawn` has a row for each bin and a column for each replicate. The count is drawn · scale +
    centre, rounded, and its noise is d = count − mean. `slope` grows by linear · d, and `rest` by
    straight · d + square · d².
    """
    for b in range(drawn.shape[0]):
        for r in range(drawn.shape[1]):
            d = np.rint(np.float64(drawn[b, r]) * scale[b] + centre[b]) - mean[b]
            slope[r] += linear[b] * d
            rest[r] += (straight[b] + square[b] * d) * d
