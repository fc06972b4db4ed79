"""Weighted quantiles of many rows, without sorting them."""

import numpy as np
from numpy.typing import NDArray

from calibrant.kernels.compiled import compiled

Float = NDArray[np.float64]


def weighted_quantiles(value: Float, weight: Float, reach: float) -> Float:
    """For each row, the smallest value such that values up to it have a weight of `reach`.

    All rows share the weights. If they add up to less than `reach`, it is the largest value.

    >>> weighted_quantiles(np.array([[3.0, 1.0, 2.0]]), np.array([0.2, 0.5, 0.3]), 0.6)
    array([2.])
    """
    rows = np.ascontiguousarray(value, np.float64).reshape(-1, value.shape[-1])
    found = np.empty(rows.shape[0])
    select(rows, weight, reach, found, np.empty(weight.size), np.empty(weight.size))
    return found.reshape(value.shape[:-1])


@compiled(nogil=True)
def select(rows, weight, reach, found, value, held):
    """Partition around a pivot, and keep the side with the quantile; the last two are scratch."""
    for r in range(rows.shape[0]):
        value[:] = rows[r]
        held[:] = weight
        left, right, below = 0, value.size - 1, 0.0
        while left < right:
            # not at the ends: along a curve, these are often the most extreme
            away = (right - left) // 4
            pivot = middle_of_three(
                value[left + away], value[(left + right) // 2], value[right - away]
            )
            i, j = left, right
            inside = 0.0  # weight of the values before i
            while i <= j:
                while value[i] < pivot:
                    inside += held[i]
                    i += 1
                while value[j] > pivot:
                    j -= 1
                if i <= j:
                    value[i], value[j] = value[j], value[i]
                    held[i], held[j] = held[j], held[i]
                    inside += held[i]
                    i += 1
                    j -= 1
            # now left..j is at most the pivot, i..right at least, and between them is the pivot
            between = held[j + 1] if i - j == 2 else 0.0
            if below + inside - between >= reach:
                right = j
            elif below + inside >= reach:
                left = right = j + 1
            else:
                below += inside
                left = i
        found[r] = value[min(left, value.size - 1)]


@compiled(nogil=True)
def middle_of_three(a, b, c):
    """The second largest."""
    return max(min(a, b), min(max(a, b), c))
