"""Null distribution of sums over groups, by random signs of the groups."""

import numpy as np
from numpy.typing import NDArray

Float = NDArray[np.float64]

REPLICATES = 1999  # the smallest p-value is 0.0005
BLOCK = 250  # replicates drawn at once, which bounds the memory for signs
ROUNDING = 1e-9  # tolerance that keeps (1 − level) times the replicates a whole number


def largest_flipped(sums: Float, scale: Float, seed: int) -> Float:
    """The largest |Σ ± sums| / scale over the columns, in each replicate.

    Rows are groups. They are sorted by content, so results do not depend on their labels.
    """
    order = np.lexsort((sums @ np.arange(sums.shape[1]), np.abs(sums).sum(axis=1)))
    scaled = sums[order] / scale
    generator = np.random.default_rng(seed)
    found = []
    for begin in range(0, REPLICATES, BLOCK):
        size = (min(BLOCK, REPLICATES - begin), scaled.shape[0])
        signs = 2.0 * generator.integers(0, 2, size, dtype=np.int8) - 1.0
        found.append(np.abs(signs @ scaled).max(axis=1))
    return np.concatenate(found)


def critical(drawn: Float, level: float) -> float:
    """The `level`-quantile of the replicates, with the data counted as one of them."""
    beyond = int((1 - level) * (drawn.size + 1) + ROUNDING)
    return float(np.sort(drawn)[::-1][max(beyond - 1, 0)])
