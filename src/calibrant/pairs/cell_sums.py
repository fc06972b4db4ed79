"""`CellSums`: sums over cells of q and groups, which grow as rows come in."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibrant.kernels.pairs.sparse_cells import COLUMNS, SLOT
from calibrant.kernels.threads import workers
from calibrant.pairs.dense_sums import DenseSums, Outcomes
from calibrant.pairs.rows import Float, Moments
from calibrant.pairs.sparse_sums import SparseSums
from calibrant.pairs.summary_size import FINEST, MOST_ROWS

Int = NDArray[np.int64]
NO_GROUP = np.zeros(1, np.int64)  # the slot of all rows, if there are no groups
WORTH_THREADS = 1 << 18  # rows: fewer take less time than waking threads
MOST_COUNTED = 1 << 31
WORTH_PLACES = 1 << 15  # rows: fewer do not show which cells are common


class Faults(NamedTuple):
    """How many rows are wrong, and the first of them."""

    many: int
    first: int


class CellRows(NamedTuple):
    """Rows that each stand for the pairs of one cell and slot, ordered by q."""

    slot: Int
    y: Float
    q: Float
    weight: Float
    moments: Moments


class Sums(NamedTuple):
    """Sums over the pairs of each cell and slot, as kernels make them."""

    slot: Int
    cell: Int
    n: Int
    positive: Int
    high: Int  # the leading part of what is left of the mantissa of r in its cell
    low: Int
    square: Float  # of the place f of r in its cell, from 0 to 1
    cross: Float  # f · y


class CellSums:
    """Sums over cells and slots; a slot is the number of a group or of a fold of groups.

    With too many rows, cells are merged in pairs until the rows fit. Merging is exact, so the
    result depends on the rows that came in and not on their order.
    """

    def __init__(self, bits: int = FINEST, rows: int = MOST_ROWS) -> None:
        self.most = rows
        self._sparse = SparseSums(bits)
        self._dense: DenseSums | None = None
        self._counted = 0  # rows that were added to places
        self._mixed = False  # whether a cell that has a place may be in the sparse table as well

    @property
    def bits(self) -> int:
        """An octave has 2^bits cells."""
        return self._sparse.bits

    @property
    def held(self) -> int:
        """The number of rows so far."""
        if self._mixed:
            self._settle()
        return len(self._sparse) + (0 if self._dense is None else self._dense.keys().size)

    def add(self, y: Outcomes, q: Float, slot: Int = NO_GROUP) -> Faults:
        """Add single pairs; leave out rows with q outside [0, 1] or y other than 0 and 1.

        `slot` has one entry per row, or one for all rows. y may be bytes, which are not copied.
        """
        parts = workers() if q.size >= WORTH_THREADS else 1
        ends = np.arange(parts + 1) * q.size // parts
        bad = np.zeros((parts, 2), np.int64)
        if self._dense is None and q.size < WORTH_PLACES:
            self._sparse.add(np.asarray(y, np.float64), q, slot, ends, bad)
        else:
            self._add_dense(y, q, slot, ends, bad)
        self._fit(len(self._sparse))
        count = int(bad[:, 0].sum())
        return Faults(count, int(bad[bad[:, 0] > 0, 1].min()) if count else -1)

    def _add_dense(self, y: Outcomes, q: Float, slot: Int, ends: Int, bad: Int) -> None:
        """Add rows of common cells where they have places, and the others to the sparse table."""
        slots = int(slot.max()) + 1
        if self._dense is None:
            self._dense = DenseSums(q, slots, self.bits)
            self._mixed = len(self._sparse) > 0
        elif slots > self._dense.slots:
            self._dense.grow(slots)
        if 0 < self._counted > MOST_COUNTED - q.size:  # counts of places have 32 bits
            self._settle()
            self._add_dense(y, q, slot, ends, bad)
            return
        self._counted += q.size
        rare = self._dense.add(y, q, slot, ends, bad)
        if rare.size:
            of_rare = slot if slot.size == 1 else slot[rare]
            span, none = np.array([0, rare.size]), np.zeros((1, 2), np.int64)
            of_y = np.asarray(y[rare], np.float64)  # few rows: loops need not be compiled for bytes
            self._sparse.add(of_y, q[rare], of_rare, span, none)

    def add_means(self, y: Float, q: Float, weight: Float, moments: Moments, slot: Int) -> None:
        """Add rows that stand for several pairs each."""
        self._sparse.add_means(y, q, weight, moments, slot)
        self._mixed = self._dense is not None
        self._fit(len(self._sparse))

    def add_sums(self, sums: Sums) -> None:
        """Add sums that were made elsewhere, over cells of the same bits."""
        table = np.empty((sums.cell.size, COLUMNS), np.int64)
        table[:, 0] = sums.slot * SLOT + sums.cell
        for column, whole in enumerate(sums[2:6], start=1):
            table[:, column] = whole
        for column, real in enumerate(sums[6:], start=5):
            table[:, column] = np.asarray(real, np.float64).view(np.int64)
        self._settle()
        self._sparse.add_table(table)
        self._fit(len(self._sparse))

    def sums(self) -> Sums:
        """All sums, to be added elsewhere."""
        if self._mixed:
            self._settle()
        table = self._sparse.table()
        if self._dense is not None:
            table = np.concatenate([table, self._dense.as_sparse()])
        slot, cell = np.divmod(table[:, 0], SLOT)
        real = (np.ascontiguousarray(table[:, column]).view(np.float64) for column in (5, 6))
        return Sums(slot, cell, *table[:, 1:5].T, *real)

    def coarsen_to(self, bits: int) -> None:
        """Merge cells in pairs until an octave has 2^bits of them."""
        while self.bits > bits:
            self._sparse.coarsen()
            if self._dense is not None:
                self._dense.coarsen()

    def relabel(self, slots: Int) -> None:
        """Give the rows of slot k the slot slots[k]; rows of one cell and slot are merged."""
        self._settle()
        self._sparse.relabel(slots)

    def rows(self, order_of: Int | None = None) -> CellRows:
        """The rows, in ascending order of cells, and of slots or of order_of[slot]."""
        self._fit(self.held)
        key = [self._sparse.keys()]
        if self._dense is not None:
            key.append(self._dense.keys())
        slot, cell = np.divmod(np.concatenate(key), SLOT)
        order = np.argsort(cell * SLOT + (slot if order_of is None else order_of[slot]))
        rank = np.empty_like(order)
        rank[order] = np.arange(order.size)
        columns = tuple(np.empty(order.size) for _ in range(5))
        self._sparse.finish(rank[: key[0].size], columns)
        if self._dense is not None:
            self._dense.finish(rank[key[0].size :], columns)
        y, q, weight, square, cross = columns
        return CellRows(slot[order], y, q, weight, Moments(square, cross))

    def _settle(self) -> None:
        """Move all rows into the sparse table."""
        if self._dense is not None:
            self._sparse.add_table(self._dense.as_sparse())
            self._dense, self._mixed, self._counted = None, False, 0

    def _fit(self, held: int) -> None:
        """Merge cells until there are no more rows than allowed."""
        while held > self.most and self.bits > 0:
            self.coarsen_to(self.bits - 1)
            held = self.held
