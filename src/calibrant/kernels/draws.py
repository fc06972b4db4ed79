"""Draws split into two parts, in all ways at once."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Float = NDArray[np.float64]
Int = NDArray[np.int64]
HELD = 5  # draws at most that are held back


class Split(NamedTuple):
    """Each row once for every count of yes that the larger part may have."""

    row: Int
    share: Float  # of yes in the larger part
    held: Float  # share of yes in the part held back
    weight: Float  # how likely this count is, over all ways to split


def held_back(draws: Int) -> Int:
    """How many draws are held back: a quarter, at least one, at most HELD."""
    return np.clip(draws // 4, 1, HELD)


def split_draws(yes: Int, draws: Int) -> Split:
    """Split `yes` of `draws`; the count in either part is hypergeometric."""
    base = int(draws.max()) + 1 if draws.size else 1
    kinds, kind = np.unique(draws * base + yes, return_inverse=True)
    parts = [_split(each % base, each // base) for each in kinds.tolist()]
    size = np.array([part.shape[1] for part in parts])
    first = np.cumsum(size) - size
    row = np.repeat(np.arange(yes.size), size[kind])
    begins = np.cumsum(size[kind]) - size[kind]
    at = np.repeat(first[kind] - begins, size[kind]) + np.arange(row.size)
    share, held, weight = np.concatenate(parts, axis=1)[:, at]
    return Split(row, share, held, weight)


def _split(yes: int, draws: int) -> Float:
    from scipy.special import gammaln

    back = int(held_back(np.array(draws)))
    kept = draws - back
    count = np.arange(max(0, yes - back), min(yes, kept) + 1)

    def ways(n: Int | int, k: Int) -> Float:
        chosen: Float = gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)
        return chosen

    weight = np.exp(ways(yes, count) + ways(draws - yes, kept - count))
    return np.array([count / kept, (yes - count) / back, weight / weight.sum()])
