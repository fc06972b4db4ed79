"""From sums of cells to compressed pairs."""

import numpy as np
from numpy.typing import NDArray

from calibrant.pairs import Pairs
from calibrant.pairs.rows import Moments, Rows, run_starts
from calibrant.tensors.cells import Grid
from calibrant.tensors.sums import Filled

Float = NDArray[np.float64]


def pairs_of(grid: Grid, filled: Filled) -> Pairs:
    """One row for each cell that holds pairs, and for each fold if there are several."""
    begins = run_starts(filled.slot >> 1)  # the slots of y = 0 and y = 1 follow each other

    def total(values: NDArray[np.int64] | Float) -> Float:
        return np.asarray(np.add.reduceat(values, begins), np.float64)

    fold, cell = np.divmod(filled.slot >> 1, grid.cells)
    yes = filled.slot & 1
    upper = cell >= grid.half
    weight = total(filled.many)
    near = grid.distance(cell[begins], total(filled.place) / weight)
    q = _mirrored(grid.distance(cell, filled.place / filled.many), upper)
    moments = Moments(total(filled.many * q * q) / weight, total(filled.many * yes * q) / weight)
    rows = Rows(
        y=total(filled.many * yes) / weight,
        q=_mirrored(near, upper[begins]),
        weight=weight,
        group=fold[begins] if grid.folds > 1 else None,
        moments=moments,
        folds=grid.folds if grid.folds > 1 else None,
        folded_from="integers" if grid.folds > 1 else None,
    )
    return Pairs._of(rows)


def _mirrored(r: Float, upper: NDArray[np.bool_]) -> Float:
    """The prediction at distance r from 0, or from 1 in the upper half."""
    return np.where(upper, 1 - r, r)
