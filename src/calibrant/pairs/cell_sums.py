"""`CellSums`: sums over cells of q and groups, which grow as rows come in."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibrant.kernels.pairs import cells
from calibrant.kernels.threads import at_once, workers
from calibrant.pairs.rows import Float, Moments
from calibrant.pairs.summary_size import FINEST, MOST_ROWS

Int = NDArray[np.int64]
NO_GROUP = np.zeros(1, np.int64)  # the slot of all rows, if there are no groups
SMALL = 1 << 10  # rows of a new table
FULL = 0.6  # share of a table that may be in use
GROWTH = 2.0
SPARE = 1.2  # shards of a rebuilt table differ a little in size
SHARDS = 8  # parts of the table that threads fill at the same time: a power of two
WORTH_THREADS = 1 << 16  # rows: fewer take less time than waking threads

# (table, rows used, rows that may be used, rows of the shard, first) -> rows added, rows used
Insert = Callable[[Int, int, int, Int, int], tuple[int, int]]


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
    """Sums over the pairs of each cell and slot, as `cells.add_pair` makes them."""

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
        self.bits = bits
        self.most = rows
        self._tables = [_empty(SMALL) for _ in range(SHARDS)]
        self._used = [0] * SHARDS
        self._ungrouped: list[Int] = []  # a table for every thread, with a row for every cell

    @property
    def held(self) -> int:
        """The number of rows so far."""
        self._settle()
        return sum(self._used)

    def add(self, y: Float, q: Float, slot: Int = NO_GROUP) -> Faults:
        """Add single pairs; leave out rows with q outside [0, 1] or y other than 0 and 1.

        `slot` has one entry per row, or one for all rows.
        """
        parts = workers() if q.size >= WORTH_THREADS else 1
        ends = np.arange(parts + 1) * q.size // parts
        bad = np.zeros((parts, 2), np.int64)
        if slot is NO_GROUP:
            self._add_ungrouped(y, q, ends, bad)
        else:
            self._add_grouped(y, q, slot, ends, bad)
        count = int(bad[:, 0].sum())
        return Faults(count, int(bad[bad[:, 0] > 0, 1].min()) if count else -1)

    def _add_ungrouped(self, y: Float, q: Float, ends: Int, bad: Int) -> None:
        parts = ends.size - 1
        while len(self._ungrouped) < parts:
            self._ungrouped.append(_empty(2 * cells.half_cells(self.bits)))

        def fill(part: int) -> None:
            table = self._ungrouped[part]
            cells.add_ungrouped(table, y, q, self.bits, ends[part], ends[part + 1], bad[part])

        _at_once(fill, parts, parts)

    def _add_grouped(self, y: Float, q: Float, slot: Int, ends: Int, bad: Int) -> None:
        key, row = np.empty(q.size, np.int64), np.empty(q.size, np.int64)
        parts = ends.size - 1
        shards = np.empty((parts, SHARDS + 1), np.int64)

        def find(part: int) -> None:
            span = (SHARDS, ends[part], ends[part + 1])
            cells.find_keys(y, q, slot, self.bits, *span, key, row, shards[part], bad[part])

        def insert(table: Int, used: int, most: int, rows: Int, first: int) -> tuple[int, int]:
            found: tuple[int, int] = cells.add_rows(
                table, used, most, key, y, q, self.bits, rows, first
            )
            return found

        _at_once(find, parts, parts)
        self._insert(insert, row, shards)

    def add_means(self, y: Float, q: Float, weight: Float, moments: Moments, slot: Int) -> None:
        """Add rows that stand for several pairs each."""
        key, row = np.empty(q.size, np.int64), np.empty(q.size, np.int64)
        shards = np.empty((1, SHARDS + 1), np.int64)
        cells.find_mean_keys(q, slot, self.bits, SHARDS, 0, q.size, key, row, shards[0])

        def insert(table: Int, used: int, most: int, rows: Int, first: int) -> tuple[int, int]:
            columns = (key, y, q, weight, moments.square, moments.cross)
            found: tuple[int, int] = cells.add_means(
                table, used, most, *columns, self.bits, rows, first
            )
            return found

        self._insert(insert, row, shards)

    def add_sums(self, sums: Sums) -> None:
        """Add sums that were made elsewhere, over cells of the same bits."""
        table = _empty(sums.cell.size)
        table[:, 0] = sums.slot * cells.SLOT + sums.cell
        for column, whole in enumerate(sums[2:6], start=1):
            table[:, column] = whole
        for column, real in enumerate(sums[6:], start=5):
            table[:, column] = np.asarray(real, np.float64).view(np.int64)
        self._settle()
        self._rebuild([*self._tables, table], sum(self._used) + sums.cell.size)
        while self.held > self.most and self.bits > 0:
            self._coarsen()

    def sums(self) -> Sums:
        """All sums, to be added elsewhere."""
        self._settle()
        table = np.concatenate([each[each[:, 0] != cells.EMPTY] for each in self._tables])
        slot, cell = np.divmod(table[:, 0], cells.SLOT)
        real = (np.ascontiguousarray(table[:, column]).view(np.float64) for column in (5, 6))
        return Sums(slot, cell, *table[:, 1:5].T, *real)

    def coarsen_to(self, bits: int) -> None:
        """Merge cells in pairs until an octave has 2^bits of them."""
        self._settle()
        while self.bits > bits:
            self._coarsen()

    def relabel(self, slots: Int) -> None:
        """Give the rows of slot k the slot slots[k]; rows of one cell and slot are merged."""
        self._settle()
        for table in self._tables:
            cells.relabel(table, slots)
        self._rebuild(self._tables, sum(self._used))

    def rows(self, order_of: Int | None = None) -> CellRows:
        """The rows, in ascending order of cells, and of slots or of order_of[slot]."""
        self._settle()
        keys = [table[table[:, 0] != cells.EMPTY, 0] for table in self._tables]
        slot, cell = np.divmod(np.concatenate(keys), cells.SLOT)
        order = np.argsort(cell * cells.SLOT + (slot if order_of is None else order_of[slot]))
        rank = np.empty_like(order)
        rank[order] = np.arange(order.size)
        y, q, weight, square, cross = (np.empty(order.size) for _ in range(5))
        ends = np.cumsum([0, *self._used])
        for shard, table in enumerate(self._tables):
            mine = rank[ends[shard] : ends[shard + 1]]
            cells.finish(table, self.bits, mine, y, q, weight, square, cross)
        return CellRows(slot[order], y, q, weight, Moments(square, cross))

    def _insert(self, add: Insert, row: Int, shards: Int) -> None:
        """Add the rows of every shard to its table; tables that are full grow."""

        def fill(shard: int) -> None:
            for ends in shards:
                rows = row[ends[shard] : ends[shard + 1]]
                first = 0
                while first < rows.size:
                    table = self._tables[shard]
                    most = int(FULL * table.shape[0])
                    first, self._used[shard] = add(table, self._used[shard], most, rows, first)
                    if first < rows.size:
                        self._grow(shard)

        _at_once(fill, SHARDS, shards.shape[0])
        while self.held > self.most and self.bits > 0:
            self._coarsen()

    def _grow(self, shard: int) -> None:
        larger = _empty(int(GROWTH * self._tables[shard].shape[0]))
        self._used[shard] = cells.add_table(larger, 0, self._tables[shard], shard, SHARDS)
        self._tables[shard] = larger

    def _coarsen(self) -> None:
        most = max(int(table[:, 0].max()) for table in self._tables)
        slots = np.arange(max(most, 0) // cells.SLOT + 1)
        for table in self._tables:
            cells.coarsen(table, self.bits, slots)
        self.bits -= 1
        self._rebuild(self._tables, sum(self._used))

    def _settle(self) -> None:
        """Move what threads have summed into the one table."""
        if self._ungrouped:
            used = sum(int((table[:, 1] > 0).sum()) for table in self._ungrouped)
            both, self._ungrouped = [*self._tables, *self._ungrouped], []
            self._rebuild(both, used + sum(self._used))
            while sum(self._used) > self.most and self.bits > 0:
                self._coarsen()

    def _rebuild(self, old: list[Int], rows: int) -> None:
        """Put the rows of tables where they belong after their keys have changed."""
        size = max(SMALL, int(SPARE * rows / SHARDS / FULL))
        self._tables = [_empty(size) for _ in range(SHARDS)]
        self._used = [0] * SHARDS
        for shard in range(SHARDS):
            for table in old:
                mine, used = self._tables[shard], self._used[shard]
                self._used[shard] = cells.add_table(mine, used, table, shard, SHARDS)


def _empty(rows: int) -> Int:
    """A table without keys, whose rows are aligned to cache lines."""
    wide = cells.LINE // 8
    memory = np.zeros((rows + 1) * wide, np.int64)
    skip = -memory.ctypes.data % cells.LINE // 8
    table = memory[skip : skip + rows * wide].reshape(rows, wide)
    table[:, 0] = cells.EMPTY
    return table


def _at_once(work: Callable[[int], None], jobs: int, parts: int) -> None:
    """Run `work` for every job, by threads if the rows come in several parts."""
    if parts == 1:
        for job in range(jobs):
            work(job)
    else:
        at_once(work, range(jobs))
