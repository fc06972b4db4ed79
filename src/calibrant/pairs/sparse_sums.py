"""`SparseSums`: sums over cells and groups in a table that grows as keys come in."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from calibrant.kernels.pairs import sparse_cells
from calibrant.kernels.pairs.sparse_cells import EMPTY
from calibrant.pairs.rows import Float, Moments
from calibrant.pairs.threads import in_parts

Int = NDArray[np.int64]
SMALL = 1 << 10  # rows of a new table
FULL = 0.6  # share of a table that may be in use
GROWTH = 2.0
SPARE = 1.2  # shards of a rebuilt table differ a little in size
SHARDS = 8  # parts of the table that threads fill at the same time: a power of two

# (table, rows used, rows that may be used, rows of the shard, first) -> rows added, rows used
Insert = Callable[[Int, int, int, Int, int], tuple[int, int]]


class SparseSums:
    """A table of keys, each a cell and a slot, with sums."""

    def __init__(self, bits: int) -> None:
        self.bits = bits
        self._tables = [_empty(SMALL) for _ in range(SHARDS)]
        self._used = [0] * SHARDS

    def __len__(self) -> int:
        return sum(self._used)

    def add(self, y: Float, q: Float, slot: Int, ends: Int, bad: Int) -> None:
        """Add single pairs; wrong rows are counted.

        `ends` are the ends of parts that threads work on, and `bad` has a row for each.
        """
        key, row = np.empty(q.size, np.int64), np.empty(q.size, np.int64)
        parts = ends.size - 1
        shards = np.empty((parts, SHARDS + 1), np.int64)

        def find(part: int) -> None:
            span = (SHARDS, ends[part], ends[part + 1])
            sparse_cells.find_keys(y, q, slot, self.bits, *span, key, row, shards[part], bad[part])

        def insert(table: Int, used: int, most: int, rows: Int, first: int) -> tuple[int, int]:
            found: tuple[int, int] = sparse_cells.add_rows(
                table, used, most, key, y, q, self.bits, rows, first
            )
            return found

        in_parts(find, parts)
        self._insert(insert, row, shards)

    def add_means(self, y: Float, q: Float, weight: Float, moments: Moments, slot: Int) -> None:
        """Add rows that stand for several pairs each."""
        key, row = np.empty(q.size, np.int64), np.empty(q.size, np.int64)
        shards = np.empty((1, SHARDS + 1), np.int64)
        sparse_cells.find_mean_keys(q, slot, self.bits, SHARDS, 0, q.size, key, row, shards[0])

        def insert(table: Int, used: int, most: int, rows: Int, first: int) -> tuple[int, int]:
            columns = (key, y, q, weight, moments.square, moments.cross)
            found: tuple[int, int] = sparse_cells.add_means(
                table, used, most, *columns, self.bits, rows, first
            )
            return found

        self._insert(insert, row, shards)

    def add_table(self, table: Int) -> None:
        """Add the rows of another table of the same bits."""
        self._rebuild([*self._tables, table], len(self) + table.shape[0])

    def coarsen(self) -> None:
        """Merge cells in pairs, for one bit less."""
        for table in self._tables:
            sparse_cells.coarsen(table, self.bits)
        self.bits -= 1
        self._rebuild(self._tables, len(self))

    def relabel(self, slots: Int) -> None:
        """Give the rows of slot k the slot slots[k]."""
        for table in self._tables:
            sparse_cells.relabel(table, slots)
        self._rebuild(self._tables, len(self))

    def keys(self) -> Int:
        """The keys of the rows."""
        return np.concatenate([table[table[:, 0] != EMPTY, 0] for table in self._tables])

    def table(self) -> Int:
        """All rows, in one table without free rows."""
        return np.concatenate([table[table[:, 0] != EMPTY] for table in self._tables])

    def finish(self, rank: Int, columns: tuple[Float, ...]) -> None:
        """Write the means of the rows: y, q, weight, q² and q·y, at these rows."""
        ends = np.cumsum([0, *self._used])
        for shard, table in enumerate(self._tables):
            mine = rank[ends[shard] : ends[shard + 1]]
            sparse_cells.finish(table, self.bits, mine, *columns)

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

        if shards.shape[0] == 1:
            for shard in range(SHARDS):
                fill(shard)
        else:
            in_parts(fill, SHARDS)

    def _grow(self, shard: int) -> None:
        larger = _empty(int(GROWTH * self._tables[shard].shape[0]))
        self._used[shard] = sparse_cells.add_table(larger, 0, self._tables[shard], shard, SHARDS)
        self._tables[shard] = larger

    def _rebuild(self, old: list[Int], rows: int) -> None:
        """Put the rows of tables where they belong after their keys have changed."""
        size = max(SMALL, int(SPARE * rows / SHARDS / FULL))
        self._tables = [_empty(size) for _ in range(SHARDS)]
        self._used = [0] * SHARDS
        for shard in range(SHARDS):
            for table in old:
                mine, used = self._tables[shard], self._used[shard]
                self._used[shard] = sparse_cells.add_table(mine, used, table, shard, SHARDS)


def _empty(rows: int) -> Int:
    """A table without keys, whose rows are aligned to cache lines."""
    wide = sparse_cells.LINE // 8
    memory = np.zeros((rows + 1) * wide, np.int64)
    skip = -memory.ctypes.data % sparse_cells.LINE // 8
    table = memory[skip : skip + rows * wide].reshape(rows, wide)
    table[:, 0] = EMPTY
    return table
