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
SMALL = 1 << 10  # rows of a new table
FULL = 0.75  # share of a table that may be in use
GROWTH = 1.5
SPARE = 1.1  # shards of a rebuilt table differ a little in size
WORTH_THREADS = 1 << 16  # rows: fewer take less time than waking threads

# (table, rows used, rows that may be used, shard, first row to add) -> next row, rows used
Insert = Callable[[Int, int, int, int, int], tuple[int, int]]


class Faults(NamedTuple):
    """How many rows are wrong, and the first of them."""

    count: int
    first: int


class CellRows(NamedTuple):
    """Rows that each stand for the pairs of one cell and slot, ordered by q."""

    slot: Int
    y: Float
    q: Float
    weight: Float
    moments: Moments


class CellSums:
    """Sums over cells and slots; a slot is the number of a group or of a fold of groups.

    With too many rows, cells are merged in pairs until the rows fit. Merging is exact, so the
    result depends on the rows that came in and not on their order.
    """

    def __init__(self, bits: int = FINEST, rows: int = MOST_ROWS) -> None:
        self.bits = bits
        self.most = rows
        self.shards = workers()
        self.tables = [_empty(SMALL) for _ in range(self.shards)]
        self.used = [0] * self.shards

    @property
    def held(self) -> int:
        """The number of rows so far."""
        return sum(self.used)

    def add(self, y: Float, q: Float, slot: Int) -> Faults:
        """Add single pairs; `slot` has one entry per row, or one for all. Wrong rows are left out.

        A row is wrong if q lies outside [0, 1] or y is neither 0 nor 1.
        """
        key = np.empty(q.size, np.int64)
        ends = _ends(q.size, self.shards)
        bad = np.zeros((self.shards, 2), np.int64)

        def find(shard: int) -> None:
            span = int(ends[shard]), int(ends[shard + 1])
            cells.find_keys(y, q, slot, self.bits, *span, key, bad[shard])

        self._at_once(find, q.size)

        def insert(table: Int, used: int, most: int, shard: int, first: int) -> tuple[int, int]:
            return _as_numbers(
                cells.add_rows(table, used, most, key, y, q, self.bits, shard, self.shards, first)
            )

        self._insert(insert, q.size)
        count = int(bad[:, 0].sum())
        return Faults(count, int(bad[bad[:, 0] > 0, 1].min()) if count else -1)

    def add_means(self, y: Float, q: Float, weight: Float, moments: Moments, slot: Int) -> None:
        """Add rows that stand for several pairs each."""
        key = np.empty(q.size, np.int64)
        cells.find_mean_keys(q, slot, self.bits, 0, q.size, key)
        columns = (key, y, q, weight, moments.square, moments.cross)

        def insert(table: Int, used: int, most: int, shard: int, first: int) -> tuple[int, int]:
            place = (self.bits, shard, self.shards, first)
            return _as_numbers(cells.add_means(table, used, most, *columns, *place))

        self._insert(insert, q.size)

    def coarsen_to(self, bits: int) -> None:
        """Merge cells in pairs until an octave has 2^bits of them."""
        while self.bits > bits:
            self._coarsen()

    def relabel(self, slots: Int) -> None:
        """Give the rows of slot k the slot slots[k]; rows of one cell and slot are merged."""
        for table in self.tables:
            cells.relabel(table, slots)
        self._rebuild()

    def rows(self) -> CellRows:
        """The rows, in ascending order of cells and slots."""
        keys = [table[table[:, 0] != cells.EMPTY, 0] for table in self.tables]
        slot, cell = np.divmod(np.concatenate(keys), cells.SLOT)
        order = np.argsort(cell * cells.SLOT + slot)
        rank = np.empty_like(order)
        rank[order] = np.arange(order.size)
        y, q, weight, square, cross = (np.empty(order.size) for _ in range(5))
        ends = np.cumsum([0, *self.used])
        for shard, table in enumerate(self.tables):
            mine = rank[ends[shard] : ends[shard + 1]]
            cells.finish(table, self.bits, mine, y, q, weight, square, cross)
        return CellRows(slot[order], y, q, weight, Moments(square, cross))

    def _at_once(self, work: Callable[[int], None], rows: int) -> None:
        if rows < WORTH_THREADS:
            for shard in range(self.shards):
                work(shard)
        else:
            at_once(work, range(self.shards))

    def _insert(self, add: Insert, rows: int) -> None:
        """Add rows to the table of every shard; tables that are full grow."""

        def fill(shard: int) -> None:
            first = 0
            while True:
                table = self.tables[shard]
                most = int(FULL * table.shape[0])
                first, self.used[shard] = add(table, self.used[shard], most, shard, first)
                if first == rows:
                    return
                self._grow(shard)

        self._at_once(fill, rows)
        while self.held > self.most and self.bits > 0:
            self._coarsen()

    def _grow(self, shard: int) -> None:
        larger = _empty(int(GROWTH * self.tables[shard].shape[0]))
        self.used[shard] = cells.add_table(larger, 0, self.tables[shard], shard, self.shards)
        self.tables[shard] = larger

    def _coarsen(self) -> None:
        most = max(int(table[:, 0].max()) for table in self.tables)
        slots = np.arange(max(most, 0) // cells.SLOT + 1)
        for table in self.tables:
            cells.coarsen(table, self.bits, slots)
        self.bits -= 1
        self._rebuild()

    def _rebuild(self) -> None:
        """Put rows where they belong after their keys have changed."""
        sizes = [max(SMALL, int(sum(self.used) / self.shards / FULL * SPARE)) + 1] * self.shards
        old, self.tables = self.tables, [_empty(size) for size in sizes]
        self.used = [0] * self.shards
        for shard in range(self.shards):
            for table in old:
                self._add_table(shard, table)

    def _add_table(self, shard: int, table: Int) -> None:
        mine = self.tables[shard]
        self.used[shard] = cells.add_table(mine, self.used[shard], table, shard, self.shards)


def _empty(rows: int) -> Int:
    table = np.zeros((rows, cells.COLUMNS), np.int64)
    table[:, 0] = cells.EMPTY
    return table


def _ends(rows: int, parts: int) -> Int:
    return np.arange(parts + 1) * rows // parts


def _as_numbers(found: tuple[int, int]) -> tuple[int, int]:
    return int(found[0]), int(found[1])
