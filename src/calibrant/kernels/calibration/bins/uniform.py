"""Sums over bins of equal width, exact regardless of row order."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calibrant.kernels.compiled import compiled
from calibrant.kernels.threads import workers

APART = 4  # counters per cell, so that neighbouring rows do not wait for each other
SCALE = 2.0**31  # q is summed as two 31-bit integers: 2³² of them fit in 64 bits


def uniform(
    y: NDArray[Any], q: NDArray[Any], edges: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return n, positives and Σq of the bins [edges[i], edges[i+1]); the last includes 1."""
    parts = np.zeros((workers(), 4, edges.size - 1), np.int64)
    _share_out(q.size, lambda lane, rows: accumulate(y[rows], q[rows], edges, *parts[lane]))
    sums = parts.sum(axis=0)
    total = (sums[2] + sums[3] / SCALE) / SCALE
    return sums[0].astype(np.float64), sums[1].astype(np.float64), total


def count_cells(q: NDArray[Any], cells: int) -> NDArray[np.int64]:
    """Count the q in each of `cells` cells of equal width."""
    parts = np.zeros((workers(), cells), np.int64)
    _share_out(q.size, lambda lane, rows: count(q[rows], parts[lane]))
    total: NDArray[np.int64] = parts.sum(axis=0)
    return total


def _share_out(n: int, work: Callable[[int, slice], None]) -> None:
    """Run `work` in each thread, on its part of the rows."""
    cuts = np.linspace(0, n, workers() + 1).astype(int)
    lanes = [slice(a, b) for a, b in pairwise(cuts)]
    with ThreadPoolExecutor(len(lanes)) as pool:
        list(pool.map(work, range(len(lanes)), lanes))


@compiled(nogil=True)
def count(q, cells):
    """Count every row in its cell.

    Neighbouring rows use different counters, so that a crowded cell does not slow them down.
    """
    many = cells.size
    apart = np.zeros((many, APART), np.int64)
    for j in range(q.size):
        apart[min(many - 1, np.int64(np.float64(q[j]) * many)), j % APART] += 1
    cells += apart.sum(axis=1)


@compiled(nogil=True)
def accumulate(y, q, edges, n, positive, high, low):
    """Add every row to its bin."""
    count = n.size
    for j in range(q.size):
        value = np.float64(q[j])
        i = min(count - 1, np.int64(value * count))
        if value < edges[i]:
            i -= 1
        elif i < count - 1 and value >= edges[i + 1]:
            i += 1
        scaled = value * SCALE
        whole = np.int64(scaled)
        n[i] += 1
        positive[i] += np.int64(y[j])
        high[i] += whole
        low[i] += np.int64((scaled - whole) * SCALE)
