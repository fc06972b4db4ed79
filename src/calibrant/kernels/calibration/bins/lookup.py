"""Find the bin of each prediction, by a table that says where to look."""

import numpy as np
from numpy.typing import NDArray

from calibrant.kernels.compiled import compiled

STEPS = 1 << 12  # a power of two, so that the place of a prediction in the table is exact


def find_bins(
    q: NDArray[np.floating], upper: NDArray[np.float64], found: NDArray[np.int32]
) -> None:
    """Fill in the first bin whose upper end is at least q, as `numpy.searchsorted` does.

    Predictions lie in [0, 1], and the upper ends ascend.
    """
    search(q, upper, np.searchsorted(upper, np.arange(STEPS + 2) / STEPS), found)


@compiled(nogil=True)
def search(q, upper, start, found):
    """Look between the bins of both ends of the step that q is in: mostly there is one."""
    for j in range(q.size):
        step = int(q[j] * STEPS)
        low, high = start[step], start[step + 1]
        while low < high:
            middle = (low + high) // 2
            if upper[middle] < q[j]:
                low = middle + 1
            else:
                high = middle
        found[j] = low
