"""Isotonic regression by pooling adjacent violators."""

import numpy as np
from numpy.typing import NDArray

from calibrant.kernels.compiled import compiled

Float = NDArray[np.float64]


def isotonic(total: Float, weight: Float) -> tuple[NDArray[np.int64], Float]:
    """The first cell of each pooled block, and the mean of the block.

    Cells are in order, each with the sum of its values and its weight.
    """
    first = np.empty(total.size, np.int64)
    mean = np.empty(total.size)
    blocks = pool(total, weight, first, mean, np.empty(total.size))
    return first[:blocks], mean[:blocks]


@compiled(nogil=True)
def pool(total, weight, first, mean, held):
    """Pool blocks until their means increase; return how many remain. `held` is scratch."""
    blocks = 0
    for j in range(total.size):
        first[blocks] = j
        held[blocks] = weight[j]
        mean[blocks] = total[j] / weight[j]
        blocks += 1
        while blocks > 1 and mean[blocks - 2] >= mean[blocks - 1]:
            a, b = blocks - 2, blocks - 1
            together = held[a] + held[b]
            mean[a] = (mean[a] * held[a] + mean[b] * held[b]) / together
            held[a] = together
            blocks -= 1
    return blocks


@compiled(nogil=True)
def pool_within(total, weight, part, first):
    """Pool blocks whose means do not increase, but not across parts; return how many remain.

    The blocks of all cells are unions of these, so pooling these further gives the same fit.
    """
    mean, held = np.empty(total.size), np.empty(total.size)
    blocks = 0
    for j in range(total.size):
        first[blocks] = j
        held[blocks] = weight[j]
        mean[blocks] = total[j] / weight[j]
        blocks += 1
        while (
            blocks > 1
            and part[first[blocks - 2]] == part[j]
            and mean[blocks - 2] >= mean[blocks - 1]
        ):
            a, b = blocks - 2, blocks - 1
            together = held[a] + held[b]
            mean[a] = (mean[a] * held[a] + mean[b] * held[b]) / together
            held[a] = together
            blocks -= 1
    return blocks


@compiled(nogil=True)
def fit_rows(values, weight):
    """Replace each row of values by its isotonic fit; cells without weight join a block."""
    cells = values.shape[1]
    first, mean, held = np.empty(cells, np.int64), np.empty(cells), np.empty(cells)
    total = np.empty(cells)
    for r in range(values.shape[0]):
        for j in range(cells):
            total[j] = values[r, j] * weight[j]
        blocks = pool(total, weight, first, mean, held)
        for b in range(blocks):
            end = first[b + 1] if b + 1 < blocks else cells
            for j in range(first[b], end):
                values[r, j] = mean[b]
