"""How far sums over groups may stray, if the sign of every group is random."""

import numpy as np
from numpy.typing import NDArray

Float = NDArray[np.float64]

REPLICATES = 1999  # the smallest p-value is 0.0005
BLOCK = 250  # replicates drawn at once, which bounds the memory that signs take
ROUNDING = 1e-9  # of (1 − level) times the replicates, so that a whole number stays one


def largest_flipped(sums: Float, scale: Float, seed: int) -> Float:
    """The largest |Σ ± sums| / scale over the columns, in each replicate.

    Rows are groups. They are put in the order of what they hold, so that labels cannot matter.
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
    """The bound that a share `level` of the replicates and the data stay within."""
    beyond = int((1 - level) * (drawn.size + 1) + ROUNDING)
    return float(np.sort(drawn)[::-1][max(beyond - 1, 0)])
