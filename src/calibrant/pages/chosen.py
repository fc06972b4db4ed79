"""Which rows a page shows as examples.

Predictions are divided into cells. Of each cell, the page keeps the most surprising rows and a
random sample. A reader selects whole cells. Of the rows in all of them, the most surprising ones
are among the most surprising of each cell. The same holds for a random order that is drawn once:
the first rows of several cells are a random sample of all their rows. So what the page shows for
any selection is exact, although it holds only a few rows of each cell.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibrant.errors import UnsupportedError
from calibrant.pairs import Pairs
from calibrant.pairs.examples import Seen, every_row

Float = NDArray[np.float64]
Int = NDArray[np.int64]
EVEN = 50  # cells of equal width, as in the histogram


def rows_behind(pairs: Pairs) -> Seen | None:
    """The prediction of each row; None if pairs are sums over rows that they do not know."""
    try:
        return every_row(pairs)
    except UnsupportedError:
        return None


def edges_of(upper: Float) -> Float:
    """The edges of the cells: those of the bins, and 50 cells of equal width.

    A cell holds predictions above its lower edge, up to and including its upper one; the first
    also holds 0.
    """
    edges = np.unique(np.concatenate([np.arange(EVEN + 1) / EVEN, np.asarray(upper, np.float64)]))
    found: Float = edges[(edges >= 0) & (edges <= 1)]
    return found


class Chosen(NamedTuple):
    """The rows to show, as places in `Seen`, cell by cell."""

    rows: Int  # how many each cell has
    weight: Float | None  # of the rows of each cell; None: that of a row is 1
    positive: Float  # weight of the rows with y = 1
    total: Float  # weighted sum of q in each cell
    surprising: list[Int]
    random: list[Int]
    order: Int  # the random order of all rows


def choose(seen: Seen, edges: Float, count: int, seed: int) -> Chosen:
    """Keep `count` surprising rows and `count` random ones of each cell."""
    cells = edges.size - 1
    cell = np.minimum(np.searchsorted(edges[1:], seen.q), cells - 1)
    order = np.random.default_rng(seed).permutation(seen.q.size)
    ends = np.cumsum(np.bincount(cell, minlength=cells))
    weight = np.ones(seen.q.size) if seen.weight is None else seen.weight
    held = np.bincount(cell, weight, minlength=cells).astype(np.float64)
    positive = np.bincount(cell, weight * seen.y, minlength=cells).astype(np.float64)
    return Chosen(
        rows=np.bincount(cell, minlength=cells),
        weight=None if seen.weight is None else held,
        positive=positive,
        total=np.bincount(cell, weight * seen.q, minlength=cells).astype(np.float64),
        surprising=_first(np.lexsort((seen.row, -seen.surprise, cell)), ends, count),
        random=_first(np.lexsort((order, cell)), ends, count),
        order=order,
    )


def _first(ordered: Int, ends: Int, count: int) -> list[Int]:
    """The first rows of each cell."""
    starts = np.concatenate([[0], ends[:-1]])
    return [ordered[a : min(a + count, b)] for a, b in zip(starts, ends, strict=True)]
