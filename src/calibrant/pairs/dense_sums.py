"""`DenseSums`: sums over common cells and groups, with a place for each."""

import numpy as np
from numpy.typing import NDArray

from calibrant.kernels.pairs import dense_cells
from calibrant.kernels.pairs.sparse_cells import LINE
from calibrant.kernels.threads import workers
from calibrant.pairs.rows import Float
from calibrant.pairs.threads import in_parts

Int = NDArray[np.int64]
COVERED = 0.998  # share of the first rows that lie in common octaves
MOST_BYTES = 1 << 28  # of the table: 256 MB
FEW_BYTES = 1 << 24  # a table of this size has places for all octaves
PLACE = 8 * dense_cells.SUMS  # bytes


class DenseSums:
    """Sums over the octaves that the first rows fill."""

    def __init__(self, q: Float, slots: int, bits: int) -> None:
        self.bits = bits
        self.octave = _common(dense_cells.count_octaves(q), slots, bits)
        self._place = np.full(dense_cells.ALL, -1, np.int64)
        self._place[self.octave] = np.arange(self.octave.size)
        self._table = np.zeros((slots * self._width, dense_cells.SUMS), np.int64)

    @property
    def _width(self) -> int:
        """Places of each slot."""
        return int(self.octave.size) << self.bits

    @property
    def slots(self) -> int:
        """How many slots have places."""
        return self._table.shape[0] // max(self._width, 1)

    def add(self, y: Float, q: Float, slot: Int, ends: Int, bad: Int) -> Int:
        """Add rows; returns those of other octaves, which are left. Wrong rows are counted.

        `ends` are the ends of parts that threads work on, and `bad` has a row for each.
        """
        parts = ends.size - 1
        owners = workers() if parts > 1 else 1
        row = np.empty((parts, owners + 1, int(np.diff(ends).max())), np.int32)
        count = np.empty((parts, owners + 1), np.int64)

        def split(part: int) -> None:
            span = (owners, ends[part], ends[part + 1])
            dense_cells.split_rows(
                y, q, slot, self._place, *span, row[part], count[part], bad[part]
            )

        def fill(owner: int) -> None:
            for part in range(parts):
                mine = row[part, owner, : count[part, owner]]
                columns = (y, q, slot, self._place)
                dense_cells.add_dense(self._table, self._width, mine, *columns, self.bits)

        in_parts(split, parts)
        in_parts(fill, owners)
        rare = [row[part, owners, : count[part, owners]] for part in range(parts)]
        return np.concatenate(rare).astype(np.int64)

    def grow(self, slots: int) -> None:
        """Make room for more slots."""
        more = np.zeros(((slots - self.slots) * self._width, dense_cells.SUMS), np.int64)
        self._table = np.concatenate([self._table, more])

    def coarsen(self) -> None:
        """Merge cells in pairs, for one bit less."""
        merged = np.zeros((self._table.shape[0] // 2, dense_cells.SUMS), np.int64)
        dense_cells.merge_pairs(self._table, merged, self.bits)
        self._table = merged
        self.bits -= 1

    def keys(self) -> Int:
        """The keys of the places in use."""
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
