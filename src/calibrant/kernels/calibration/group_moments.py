"""Variances over groups of local fits."""

import numpy as np
from numpy.typing import NDArray

from calibrant.kernels.compiled import compiled

Float = NDArray[np.float64]
MOST_LEVERAGE = 0.9  # a group with a larger share has no other groups to be compared with


@compiled(nogil=True)
def group_moments(start, column, n, k, pull, p, out):
    """For every point: Σ over groups of squared residuals, of squared noise and of squared shares.

    `pull` is how far the fit at a point moves with one more positive in a cell, and p the fitted
    frequency there; both have a row per point. A residual is divided by 1 − the share of its
    group. The noise of a group is that of pairs which all agree.
    """
    inner = pull.shape[1]
    for i in range(pull.shape[0]):
        total = 0.0
        for r in range(column.size):
            j = column[r]
            if j < inner:
                total += n[r] * abs(pull[i, j]) * p[i, j] * (1.0 - p[i, j])
        squares = noise = shares = 0.0
        for g in range(start.size - 1):
            residual = agreed = share = 0.0
            for r in range(start[g], start[g + 1]):
                j = column[r]
                if j < inner and pull[i, j] != 0.0:
                    v = p[i, j] * (1.0 - p[i, j])
                    residual += pull[i, j] * (k[r] - n[r] * p[i, j])
                    agreed += pull[i, j] * n[r] * np.sqrt(v)
                    share += n[r] * abs(pull[i, j]) * v
            share = share / total if total > 0.0 else 0.0
            squares += (residual / (1.0 - min(share, MOST_LEVERAGE))) ** 2
            noise += agreed**2
            shares += share**2
        out[0, i] = squares
        out[1, i] = noise
        out[2, i] = shares
