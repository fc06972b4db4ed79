"""How far sums over groups may stray: the sign of every group is drawn anew."""

import numpy as np
from numpy.typing import NDArray

from calibrant.errors import UnsupportedError

Float = NDArray[np.float64]

REPLICATES = 1999
FEWEST = 10  # groups: with fewer, too little is known of how they differ
BLOCK = 250  # replicates drawn at once


def check_groups(groups: int, fewest: int = FEWEST) -> None:
    """Enough groups to tell how much they differ."""
    if groups < fewest:
        raise UnsupportedError(
            f"There {'is' if groups == 1 else 'are'} only {groups} group{'s' * (groups != 1)}, too "
            f"few to tell how much groups differ (at least {fewest} are needed)."
        )


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
    """What `level` of the replicates stay within, the data themselves counted in."""
    beyond = int((1 - level) * (drawn.size + 1) + 1e-9)
    return float(np.sort(drawn)[::-1][max(beyond - 1, 0)])


def share_beyond(drawn: Float, observed: float) -> float:
    """The share of replicates at least as large, the data themselves counted in."""
    return float((1 + np.sum(drawn >= observed * (1 - 1e-12))) / (1 + drawn.size))
