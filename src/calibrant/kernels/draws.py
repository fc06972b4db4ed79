"""Split draws into two parts, in all possible ways at once."""

from math import comb
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Float = NDArray[np.float64]
Int = NDArray[np.int64]
HELD = 5  # maximum draws to hold back, which limits rows per pair; they are only averaged


class Split(NamedTuple):
    """One row for each input row and each possible count of yes in its larger part."""

    row: Int
    share: Float  # share of yes in the larger part
    held: Float  # share of yes in the part held back
    weight: Float  # probability of this count over all splits


def held_back(draws: Int) -> Int:
    """How many draws are held back: a quarter, at least one, at most HELD."""
    return np.clip(draws // 4, 1, HELD)


def split_draws(yes: Int, draws: Int) -> Split:
    """Split `yes` of `draws`; the count in either part is hypergeometric."""
    sizes, of_size = np.unique(draws, return_inverse=True)
    counts, of_count = np.unique(yes, return_inverse=True)
    kinds, kind = np.unique(of_size * counts.size + of_count, return_inverse=True)
    parts = [
        _split(int(counts[each % counts.size]), int(sizes[each // counts.size]))
        for each in kinds.tolist()
    ]
    size = np.array([part.shape[1] for part in parts])
    first = np.cumsum(size) - size
    row = np.repeat(np.arange(yes.size), size[kind])
    begins = np.cumsum(size[kind]) - size[kind]
    at = np.repeat(first[kind] - begins, size[kind]) + np.arange(row.size)
    share, held, weight = np.concatenate(parts, axis=1)[:, at]
    return Split(row, share, held, weight)


def _split(yes: int, draws: int) -> Float:
    """Shares of both parts and the weight, for each count of yes in the larger part."""
    back = int(held_back(np.array(draws)))
    kept = draws - back
    held = np.arange(min(yes, back), max(0, yes - kept) - 1, -1)  # yes among the draws held back
    weight = np.array([comb(yes, k) * comb(draws - yes, back - k) for k in held.tolist()], float)
    return np.array([(yes - held) / kept, held / back, weight / weight.sum()])
