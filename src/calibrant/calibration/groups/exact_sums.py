"""Sum floats in a way that does not depend on their order."""

from collections.abc import Callable
from math import fsum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calibrant.checks.arrays import CHUNK, chunks, sum_by

Float = NDArray[np.float64]
Column = Callable[[slice], Float]  # the values of some of the rows
BITS = 50  # kept in the sum: three fewer than a float has, so no partial sum is rounded
NEAR = 1e-9  # tolerance for treating a sum as a power of two


def order_free(values: Float) -> Float:
    """Round the values to a grid on which their sums are exact in any order."""
    return on_grid(values, grid_step(float(np.abs(values).sum())))


def order_free_sum(values: Float) -> float:
    """A sum that does not depend on the order of the values."""
    return float(order_free(values).sum())


def grid_step(total: float) -> float:
    """The step of a grid for values whose sizes add up to `total`; 0 if none is needed."""
    if not 0 < total < np.inf:
        return 0.0
    return float(2.0 ** (np.ceil(np.log2(total) - NEAR) - BITS))  # 0: subnormal sums are exact


def on_grid(values: Float, step: float) -> Float:
    """Round values to multiples of the step."""
    if step == 0:
        return values
    rounded: Float = np.rint(values / step) * step
    return rounded


def column_sum(column: Column, rows: int) -> float:
    """The order-free sum of a column that is computed a few rows at a time."""
    step = column_step(column, rows)
    return fsum(float(on_grid(column(each), step).sum()) for each in chunks(rows))


def column_sums(column: Column, rows: int, label: NDArray[Any], count: int) -> Float:
    """The same for each label 0, 1, ..., of which there are `count`."""
    return grid_sums(column, column_step(column, rows), label, count)


def column_step(column: Column, rows: int) -> float:
    """The step of a grid for all values of a column."""
    return grid_step(fsum(float(np.abs(column(each)).sum()) for each in chunks(rows)))


def grid_sums(column: Column, step: float, label: NDArray[Any], count: int) -> Float:
    """Sums of a column, rounded to multiples of the step, for each label."""
    if label.size <= CHUNK:
        return sum_by(label, on_grid(column(slice(None)), step), count)
    from calibrant.kernels.labels import add_by_label

    sums = np.zeros(count)
    for each in chunks(label.size):
        add_by_label(label[each], on_grid(column(each), step), sums)
    return sums
