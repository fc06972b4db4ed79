"""`DenseSums`: sums over common cells and groups, with a place for each."""

import numpy as np
from numpy.typing import NDArray

from calibrant.kernels.pairs import dense_cells
from calibrant.kernels.pairs.sparse_cells import LINE
from calibrant.pairs.rows import Float
from calibrant.pairs.threads import in_parts

Int = NDArray[np.int64]
Outcomes = Float | NDArray[np.uint8]
COVERED = 0.998  # share of the first rows that lie in common octaves
MOST_BYTES = 1 << 28  # of the table: 256 MB
FEW_BYTES = 1 << 24  # a table of this size has places for all octaves
BLOCK_BYTES = 1 << 20  # of a block of slots: a level-2 cache
MOST_PACKED = 1 << 10  # slots times octaves of a block: with the rest and y, they fill 64 bits
PLACE = 8 * dense_cells.SUMS  # bytes


class DenseSums:
    """Sums over the octaves that the first rows fill."""

    def __init__(self, q: Float, slots: int, bits: int) -> None:
        self.bits = bits
        self.octave = _common(dense_cells.count_octaves(q), slots, bits)
        self._place = np.full(dense_cells.ALL, -1, np.int64)
        self._place[self.octave] = np.arange(self.octave.size)
        self._table = self._places(slots)
        self._others: list[Int] = []  # tables of other threads, if there are no groups

    @property
    def _width(self) -> int:
        """Places of each slot."""
        return int(self.octave.size) << self.bits

    @property
    def slots(self) -> int:
        """How many slots have places."""
        return int(self._table.shape[0]) // max(self._width, 1)

    def _places(self, slots: int) -> Int:
        return np.zeros((slots * self._width, dense_cells.SUMS), np.int64)

    def add(self, y: Outcomes, q: Float, slot: Int, ends: Int, bad: Int) -> Int:
        """Add rows; returns those of other octaves, which are left. Wrong rows are counted.

        `ends` are the ends of parts that threads work on, and `bad` has a row for each.
        """
        everywhere = self.octave.size == dense_cells.ALL
        if self.slots == 1 and everywhere:
            self._add_ungrouped(y, q, ends, bad)
            return np.zeros(0, np.int64)
        slots = np.full(q.size, slot[0]) if slot.size == 1 else slot
        return self._add_grouped(y, q, slots, ends, bad)

    def _add_ungrouped(self, y: Outcomes, q: Float, ends: Int, bad: Int) -> None:
        """Every thread adds to a table of its own, which is small without groups."""
        parts = ends.size - 1
        self._others += [self._places(1) for _ in range(parts - 1 - len(self._others))]
        tables = [self._table, *self._others]

        def fill(part: int) -> None:
            span = (ends[part], ends[part + 1])
            dense_cells.add_ungrouped(tables[part], y, q, self.bits, *span, bad[part])

        in_parts(fill, parts)

    def _add_grouped(self, y: Outcomes, q: Float, slot: Int, ends: Int, bad: Int) -> Int:
        """Sort rows by blocks of slots, and add block by block."""
        parts, block = ends.size - 1, self._block()
        blocks = ((self.slots - 1) >> block) + 1
        packed, rare = np.empty(q.size, np.int64), np.empty(q.size, np.int64)
        bounds = np.empty((parts, blocks, 2), np.int64)
        left = np.zeros(parts, np.int64)

        def pack(part: int) -> None:
            how = (self._place, self._width, self.bits, block, ends[part], ends[part + 1])
            left[part] = dense_cells.pack_rows(
                y, q, slot, *how, packed, bounds[part], rare, bad[part]
            )

        def fill(thread: int) -> None:
            for b in range(thread, blocks, parts):
                table = self._table[(b << block) * self._width :]
                for part in range(parts):
                    mine = packed[slice(*bounds[part, b])]
                    dense_cells.add_packed(table, mine, self.bits)

        in_parts(pack, parts)
        in_parts(fill, parts)
        return np.concatenate([rare[ends[k] : ends[k] + left[k]] for k in range(parts)])

    def _block(self) -> int:
        """The bits of so many slots that their places fit the cache, and a packed row."""
        fits = BLOCK_BYTES // (PLACE * max(self._width, 1))
        return max(min(fits, MOST_PACKED // max(self.octave.size, 1)).bit_length() - 1, 0)

    def _merge(self) -> None:
        """Add the tables of other threads to the first."""
        for other in self._others:
            dense_cells.add_tables(self._table, other)
        self._others = []

    def grow(self, slots: int) -> None:
        """Make room for more slots."""
        self._merge()
        self._table = np.concatenate([self._table, self._places(slots - self.slots)])

    def coarsen(self) -> None:
        """Merge cells in pairs, for one bit less."""
        self._merge()
        merged = np.zeros((self._table.shape[0] // 2, dense_cells.SUMS), np.int64)
        dense_cells.merge_pairs(self._table, merged, self.bits)
        self._table = merged
        self.bits -= 1

    def keys(self) -> Int:
        """The keys of the places in use."""
        self._merge()
        key = np.empty(int(np.count_nonzero(self._table[:, 0])), np.int64)
        dense_cells.find_used(self._table, self._width, self.octave, self.bits, key)
        return key

    def as_sparse(self) -> Int:
        """The places in use, as a table of `sparse_cells`."""
        key = self.keys()
        rows = np.empty((key.size, LINE // 8), np.int64)
        dense_cells.copy_used(self._table, key, rows)
        return rows

    def finish(self, rank: Int, columns: tuple[Float, ...]) -> None:
        """Write the means of the places in use: y, q, weight, q² and q·y, at these rows."""
        how = (self._width, self.octave, self.bits)
        dense_cells.finish(self._table, *how, rank, *columns)


def _common(count: Int, slots: int, bits: int) -> Int:
    """The octaves that together hold most rows, as far as memory allows, in ascending order."""
    size = PLACE * slots << bits  # of an octave
    if dense_cells.ALL * size <= FEW_BYTES:
        return np.arange(dense_cells.ALL)
    order = np.argsort(-count, kind="stable")
    share = np.cumsum(count[order]) / max(int(count.sum()), 1)
    wanted = int(np.searchsorted(share, COVERED)) + 1
    return np.sort(order[: min(wanted, MOST_BYTES // size)])
