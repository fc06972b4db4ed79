"""Turn sums that were made elsewhere into rows, without a table to search in."""

import numpy as np

from calibrant.kernels.pairs.cells import finish_sums
from calibrant.kernels.pairs.sparse_cells import SLOT
from calibrant.kernels.threads import workers
from calibrant.pairs.cell_sums import WORTH_THREADS, CellRows, Int, Sums
from calibrant.pairs.rows import Moments
from calibrant.pairs.threads import in_parts


def rows_of_sums(sums: Sums, bits: int, order_of: Int | None = None) -> CellRows:
    """The rows of sums that name no cell and slot twice.

    They are in ascending order of cells, and of slots or of order_of[slot].
    """
    rank = sums.slot if order_of is None else order_of[sums.slot]
    order = np.argsort(sums.cell * SLOT + rank)
    columns = tuple(np.empty(order.size) for _ in range(5))
    parts = workers() if order.size >= WORTH_THREADS else 1
    ends = np.arange(parts + 1) * order.size // parts

    cell, *given = (column[order] for column in sums[1:])

    def finish(part: int) -> None:
        span = (ends[part], ends[part + 1])
        finish_sums(cell, tuple(given), bits, *span, *columns)

    in_parts(finish, parts)
    y, q, weight, square, cross = columns
    return CellRows(sums.slot[order], y, q, weight, Moments(square, cross))


def add_equal(sums: Sums) -> Sums:
    """Add the sums that have the same cell and slot; the result is in order of slots and cells.

    Sorting needs less time and memory than a table to search in, if most keys occur few times.
    """
    if not sums.cell.size:
        return sums
    key = sums.slot * SLOT + sums.cell
    order = np.argsort(key)
    key = key[order]
    first = np.flatnonzero(np.concatenate([[True], key[1:] != key[:-1]]))
    slot, cell = np.divmod(key[first], SLOT)
    return Sums(slot, cell, *(np.add.reduceat(column[order], first) for column in sums[2:]))
