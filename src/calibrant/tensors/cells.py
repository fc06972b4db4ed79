"""Cells of predictions: where a prediction belongs, and where in its cell it lies.

`cells.cu` says the same for CUDA. All steps are exact in binary arithmetic, so every device finds
the same cell. The functions take the module of the arrays (numpy, cupy or torch) as `xp`.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = Any  # of numpy, cupy or torch
OCTAVES = 64  # smaller r than 2^-64 belong to the first cell above 0
PLACES = (
    23  # bits of the place in a cell: float32 is exact, and 2^40 pairs of a cell fit into int64
)
ALL_FOLDS = 4096
PRIME = 2**31 - 1
FINEST = 10  # bits
ROOM = 600_000_000  # bytes of sums, unless asked for more


@dataclass(frozen=True)
class Grid:
    """The cells of one accumulator: 2^bits per octave of r, where r is q or 1 − q, for each fold.

    Every cell of every fold has two slots: one for y = 0, one for y = 1.
    """

    bits: int
    folds: int

    @property
    def half(self) -> int:
        """The number of cells of q ≤ ½."""
        return 1 + (OCTAVES << self.bits)

    @property
    def cells(self) -> int:
        """The number of cells."""
        return 2 * self.half

    @property
    def slots(self) -> int:
        """The number of sums."""
        return 2 * self.cells * self.folds

    def place(self, xp: Any, r: Array, upper: Array) -> tuple[Array, Array]:  # noqa: ANN401
        """The cell of each r, and the place in it: 0 is its lower end, 2^23 its upper end."""
        exact = xp.abs(xp.asarray(r, dtype=xp.float64))  # of -0.0 as well
        bits = exact.view(xp.int64)
        step = (bits >> (52 - self.bits)) - (959 << self.bits)  # 959: exponent of 2^-64
        dropped = 52 - self.bits - PLACES
        inside = bits & ((1 << (52 - self.bits)) - 1)
        place = xp.where(step < 0, 0, (inside + (1 << (dropped - 1))) >> dropped)
        near = xp.where(exact == 0, 0, 1 + xp.where(step < 0, 0, step))
        return xp.where(upper, self.cells - 1 - near, near), place

    def distance(self, cell: NDArray[np.int64], place: NDArray[np.float64]) -> NDArray[np.float64]:
        """The r at these places of these cells: the inverse of `place`."""
        near = np.where(cell >= self.half, self.cells - 1 - cell, cell)
        octave, step = np.divmod(np.maximum(near - 1, 0), 1 << self.bits)
        r = np.ldexp(1 + (step + place / 2**PLACES) / (1 << self.bits), octave - OCTAVES)
        return np.where(near == 0, 0.0, r)

    def fold(self, xp: Any, group: Array) -> Array:  # noqa: ANN401
        """The fold of each group: a fixed hash of its number, so equal groups stay together."""
        x = ((group % PRIME) + PRIME) % PRIME
        x = xp.asarray(x, dtype=xp.int64)
        x = (x * 1103515245 + 12345) % PRIME
        x = (x * x) % PRIME
        x = (x * 1664525 + 1013904223) % PRIME
        return (x >> 19) // (ALL_FOLDS // self.folds)


def finest(folds: int) -> int:
    """The most bits whose sums fit into `ROOM`, two integers of 8 bytes a slot.

    >>> [(folds, finest(folds)) for folds in (1, 128, 1024, 4096)]
    [(1, 10), (128, 10), (1024, 7), (4096, 5)]
    """
    return max(bits for bits in range(FINEST + 1) if 16 * Grid(bits, folds).slots <= ROOM)
