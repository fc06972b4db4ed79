"""Sums over cells of equal width, of q or of its logit, regardless of row order."""

from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calibrant.kernels.compiled import compiled
from calibrant.kernels.threads import workers

UNIT = 2.0**26  # positions are summed as integers in this unit: 10⁸ logits fit in 64 bits
PART = 2.0**31  # q is summed as two 31-bit integers: 2³² of them fit in 64 bits

Float = NDArray[np.float64]
Labels = NDArray[np.signedinteger[Any]]


def sum_cells(
    y: NDArray[Any], q: NDArray[Any], low: float, width: float, count: int, logit: bool
) -> tuple[Labels, Float, Float, Float, Float]:
    """The cell of each row; n, positives, mean position and mean q of each cell.

    Rows with q of exactly 0 and 1 go to two extra cells at the end, 0 before 1.
    """
    cell: Labels = np.empty(q.size, np.min_scalar_type(-count - 2))
    cuts = np.linspace(0, q.size, workers() + 1).astype(int)
    lanes = list(pairwise(cuts))
    parts = np.zeros((len(lanes), 5, count + 2), np.int64)

    def add(lane: int) -> None:
        rows = slice(*lanes[lane])
        add_rows(y[rows], q[rows], low, width, count, logit, cell[rows], parts[lane])

    with ThreadPoolExecutor(len(lanes)) as pool:
        list(pool.map(add, range(len(lanes))))
    n, positive, position, high, rest = parts.sum(axis=0)
    many = np.maximum(n, 1)
    mean = (high + rest / PART) / PART / many
    return cell, n.astype(np.float64), positive.astype(np.float64), position / UNIT / many, mean


@compiled(nogil=True)
def inner_ends(q):
    """The smallest and the largest q between 0 and 1; the smallest is larger if there is none."""
    low, high = 1.0, 0.0
    for j in range(q.size):
        value = np.float64(q[j])
        if 0.0 < value < 1.0:
            low, high = min(low, value), max(high, value)
    return low, high


@compiled(nogil=True)
def add_rows(y, q, low, width, count, logit, cell, sums):
    """Add every row to its cell."""
    for j in range(q.size):
        value = np.float64(q[j])
        if value == 0.0 or value == 1.0:
            i = count + np.int64(value)
            x = 0.0
        else:
            x = np.log(value / (1.0 - value)) if logit else value
            i = min(max(np.int64((x - low) / width), 0), count - 1)
        cell[j] = i
        scaled = value * PART
        whole = np.int64(scaled)
        sums[0, i] += 1
        sums[1, i] += np.int64(y[j])
        sums[2, i] += np.int64(np.rint(x * UNIT))
        sums[3, i] += whole
        sums[4, i] += np.int64((scaled - whole) * PART)
