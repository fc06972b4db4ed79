"""Find the cell of each prediction: a binary search among the few edges that are near it."""

import numpy as np
from numpy.typing import NDArray

from calibrant.kernels.compiled import compiled

BUCKETS = 1 << 14  # a power of two, so that the bucket of a prediction is exact


def cells_of(edges: NDArray[np.float64], q: NDArray[np.floating]) -> NDArray[np.int64]:
    """The number of edges below each prediction, as `numpy.searchsorted` finds it.

    >>> cells_of(np.array([0.2, 0.5]), np.array([0.1, 0.2, 0.3, 1.0])).tolist()
    [0, 0, 1, 2]
    """
    start = np.searchsorted(edges, np.arange(BUCKETS + 1) / BUCKETS)
    found = np.empty(q.size, np.int64)
    search(edges, q, start, found)
    return found


@compiled(nogil=True)
def search(edges, q, start, found):
    """Search among the edges in the bucket of each prediction."""
    buckets = start.size - 1
    for i in range(q.size):
        each = np.float64(q[i])
        bucket = min(int(each * buckets), buckets - 1)
        low, high = start[bucket], start[bucket + 1]
        while low < high:
            middle = (low + high) // 2
            if edges[middle] < each:
                low = middle + 1
            else:
                high = middle
        found[i] = low
