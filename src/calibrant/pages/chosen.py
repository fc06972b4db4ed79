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

from calibrant.pairs import Pairs

Float = NDArray[np.float64]
Int = NDArray[np.int64]
EVEN = 50  # cells of equal width, as in the histogram


class Answers(NamedTuple):
    """One prediction for each row of the source."""

    row: Int
    y: NDArray[np.bool_]
    q: Float

    @property
    def surprise(self) -> Float:
        """The log loss of each row; infinite if the impossible happened."""
        chance = np.where(self.y, self.q, 1 - self.q)
        with np.errstate(divide="ignore"):
            return -np.log(chance)


def answers_of(pairs: Pairs) -> Answers | None:
    """The prediction of each row; None if pairs are sums over many rows."""
    if pairs.moments is not None:
        return None
    if pairs.origin is None:
        return Answers(np.arange(len(pairs)), pairs.y == 1, pairs.q.astype(np.float64))
    if pairs.held is None:
        return Answers(pairs.origin, pairs.y == 1, pairs.q.astype(np.float64))
    return _shares(pairs, pairs.origin)


def _shares(pairs: Pairs, origin: Int) -> Answers:
    """The share of all draws of each row: the mean over their splits."""
    row, first, inverse = np.unique(origin, return_index=True, return_inverse=True)
    weight = np.ones(len(pairs)) if pairs.weight is None else pairs.weight.astype(np.float64)
    total = np.bincount(inverse, weight * pairs.q)
    return Answers(row, pairs.y[first] == 1, total / np.bincount(inverse, weight))


def edges_of(upper: Float) -> Float:
    """The edges of the cells: those of the bins, and 50 cells of equal width.

    A cell holds predictions above its lower edge, up to and including its upper one; the first
    also holds 0.
    """
    edges = np.unique(np.concatenate([np.arange(EVEN + 1) / EVEN, np.asarray(upper, np.float64)]))
    found: Float = edges[(edges >= 0) & (edges <= 1)]
    return found


class Chosen(NamedTuple):
    """The rows to show, as places in `Answers`, cell by cell."""

    rows: Int  # how many each cell has
    positive: Int
    total: Float  # sum of q in each cell
    surprising: list[Int]
    random: list[Int]
    order: Int  # the random order of all rows


def choose(answers: Answers, edges: Float, count: int, seed: int) -> Chosen:
    """Keep `count` surprising rows and `count` random ones of each cell."""
    cells = edges.size - 1
    cell = np.minimum(np.searchsorted(edges[1:], answers.q), cells - 1)
    order = np.random.default_rng(seed).permutation(answers.q.size)
    ends = np.cumsum(np.bincount(cell, minlength=cells))
    return Chosen(
        rows=np.bincount(cell, minlength=cells),
        positive=np.bincount(cell, answers.y, minlength=cells).astype(np.int64),
        total=np.bincount(cell, answers.q, minlength=cells).astype(np.float64),
        surprising=_first(np.lexsort((answers.row, -answers.surprise, cell)), ends, count),
        random=_first(np.lexsort((order, cell)), ends, count),
        order=order,
    )


def _first(ordered: Int, ends: Int, count: int) -> list[Int]:
    """The first rows of each cell."""
    starts = np.concatenate([[0], ends[:-1]])
    return [ordered[a : min(a + count, b)] for a, b in zip(starts, ends, strict=True)]
