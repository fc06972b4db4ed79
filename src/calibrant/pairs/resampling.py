"""Draw groups with replacement."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Int = NDArray[np.int64]


class DrawnGroups(NamedTuple):
    """The rows of the drawn groups, one group after the other, and the number of each draw."""

    rows: Int
    draw: Int


def draw_groups(codes: Int, generator: np.random.Generator) -> DrawnGroups:
    """Draw as many groups as there are, with replacement; `codes` numbers them from 0."""
    rows = np.argsort(codes, kind="stable")
    sizes = np.bincount(codes)
    starts = np.cumsum(sizes) - sizes
    drawn = generator.integers(sizes.size, size=sizes.size)
    size = sizes[drawn]
    draw = np.repeat(np.arange(sizes.size), size)
    within = np.arange(draw.size) - np.repeat(np.cumsum(size) - size, size)
    return DrawnGroups(rows[np.repeat(starts[drawn], size) + within], draw)
