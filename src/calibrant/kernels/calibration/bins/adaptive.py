"""Bins of equal count without sorting everything.

One pass counts the rows of each cell of a fine grid. Then one walk over the cells fills the
bins. A cell that lies inside one bin is added as a whole. Only a cell in which a bin may end is
sorted, by a quicksort that stops as soon as a stretch is known to lie inside one bin. These cells
are predicted under the assumption that there are no ties, and their rows are fetched in one pass.
If ties make a bin end elsewhere, the walk stops and predicts again from there. After a few such
stops it fetches all remaining rows.
"""

from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibrant.kernels.bits import float_bits
from calibrant.kernels.calibration.bins.histogram import (
    PART,
    POSITIVE,
    Edges,
    Grid,
    from_bits,
    grid,
    histogram,
    unit_of,
)
from calibrant.kernels.compiled import compiled
from calibrant.kernels.sorting import SMALL, STACK, insertion, partition
from calibrant.kernels.threads import workers

SAMPLE = 1 << 16  # maximum sample (one row in 16) that decides the layout of the cells
PREDICTIONS = 6  # after this many wrong predictions, all remaining rows are fetched
HALF_BITS = 0x3FE0000000000000  # the bits of 0.5, the largest r

Float = NDArray[np.float64]
Int = NDArray[np.int64]


class Lane(NamedTuple):
    """The rows that one thread processes, and the cell of each."""

    y: NDArray[Any]
    q: NDArray[Any]
    cell: NDArray[np.uint16]
    sums: Int  # (4, cells)


def adaptive(y: NDArray[Any], q: NDArray[Any], size: float) -> tuple[Float, Float, Float, Float]:
    """Close a bin when it holds `size` rows; return n, positives, Σq and the largest q of each.

    `y` holds 0 and 1 and `q` lies in [0, 1]. Equal q are never separated.
    """
    lanes, cells, edges = lanes_of(y, q)
    out = np.zeros((5, int(q.size // size) + 2))
    with ThreadPoolExecutor(len(lanes)) as pool:
        list(pool.map(lambda lane: histogram(lane.y, lane.q, *cells, lane.sums, lane.cell), lanes))
        sums = np.sum([lane.sums for lane in lanes], axis=0)
        cell, bins, tries = 0, 0, 0
        while cell < cells.total:
            tries += 1
            wanted = np.zeros(cells.total, bool)
            predict(sums[0], edges.single, cell, out[0, bins], size, wanted)
            if tries > PREDICTIONS:
                wanted[cell:] = ~edges.single[cell:]
            keys, start = fetch_rows(pool, lanes, wanted, edges)
            cell, bins = walk(sums, *edges, wanted, start, keys, cell, bins, size, out)
    bins = finish(out, bins)
    return out[0, :bins], out[1, :bins], out[2, :bins] + out[3, :bins], out[4, :bins]


def lanes_of(y: NDArray[Any], q: NDArray[Any]) -> tuple[list[Lane], Grid, Edges]:
    """Lay out the cells, and divide the rows among the threads."""
    n = q.size
    cells, edges = grid(q[:: max(16, n // SAMPLE)].astype(np.float64))
    cuts = np.linspace(0, n, workers() + 1).astype(int)
    lanes = [
        Lane(y[a:b], q[a:b], np.empty(b - a, np.uint16), np.zeros((4, cells.total), np.int64))
        for a, b in pairwise(cuts)
    ]
    return lanes, cells, edges


def fetch_rows(
    pool: ThreadPoolExecutor, lanes: list[Lane], wanted: NDArray[np.bool_], edges: Edges
) -> tuple[Int, Int]:
    """Copy the rows of the wanted cells, as keys, cell by cell; also where each cell starts."""
    counts = np.array([np.where(wanted, lane.sums[0], 0) for lane in lanes])
    total = counts.sum(axis=0)
    start = np.concatenate([[0], np.cumsum(total)])
    keys = np.empty(int(start[-1]), np.int64)
    begin = start[:-1] + np.cumsum(counts, axis=0) - counts

    def fetch_lane(job: tuple[Lane, Int]) -> None:
        fetch(job[0].y, job[0].q, job[0].cell, wanted, edges.upper, job[1], keys)

    list(pool.map(fetch_lane, zip(lanes, begin, strict=True)))
    return keys, start


@compiled(nogil=True)
def predict(count, single, cell, filled, size, wanted):
    """Mark the cells in which a bin ends if no two rows of a cell are tied."""
    while cell < count.size:
        filled += count[cell]
        if filled >= size:
            if single[cell]:
                filled = 0
            else:
                wanted[cell] = True
                filled -= size * np.floor(filled / size)
        cell += 1


@compiled(nogil=True)
def fetch(y, q, cell, wanted, upper, position, keys):
    """Write the key of each wanted row, which orders by q and carries y in its last bit."""
    for j in range(cell.size):
        c = cell[j]
        if wanted[c]:
            keys[position[c]] = (bits_of(np.float64(q[j]), upper[c]) << 1) | np.int64(y[j])
            position[c] += 1


@compiled(inline="always")
def bits_of(q, upper):
    """An integer that orders like q within its half."""
    return HALF_BITS - float_bits(1.0 - q) if upper else float_bits(q) & POSITIVE


@compiled(nogil=True)
def walk(sums, left, shift, low, high, upper, single, wanted, start, keys, cell, bins, size, out):
    """Fill bins, starting at `cell`; stop if a cell is needed whose rows were not fetched."""
    while cell < left.size:
        n = sums[0, cell]
        if n > 0:
            if single[cell] or out[0, bins] + n < size:
                positive, high_part, low_part = sums[1, cell], sums[2, cell], sums[3, cell]
                top = 1.0 - from_bits(low[cell]) if upper[cell] else from_bits(high[cell])
                if low[cell] == 0 or high[cell] == 0:
                    top = np.float64(upper[cell])
                bins = add(
                    out, bins, n, positive, high_part, low_part, left[cell], upper[cell], top, size
                )
            elif wanted[cell]:
                rows = keys[start[cell] : start[cell + 1]]
                bins = consume(rows, left[cell], shift[cell], upper[cell], out, bins, size)
            else:
                break
        cell += 1
    return cell, bins


@compiled(inline="always")
def add(out, bins, n, positive, high, low, left, upper, top, size):
    """Add rows of one cell to the open bin, and close the bin when it is full.

    Their Σr is n · left + (high · 2^PART + low) · unit; every term is exact.
    """
    sign = -1.0 if upper else 1.0
    unit = sign * unit_of(left)
    out[0, bins] += n
    out[1, bins] += positive
    if upper:
        add_exactly(out, bins, np.float64(n))
    add_exactly(out, bins, sign * n * from_bits(left))
    add_exactly(out, bins, np.float64(high) * unit * 2.0**PART)
    add_exactly(out, bins, np.float64(low) * unit)
    out[4, bins] = top
    return bins + 1 if out[0, bins] >= size else bins


@compiled(inline="always")
def add_exactly(out, bins, value):
    """Add to Σq, kept as a float plus its rounding error."""
    before = out[2, bins]
    after = before + value
    part = after - before
    out[2, bins] = after
    out[3, bins] += (before - (after - part)) + (value - part)


@compiled()
def finish(out, bins):
    """Merge a last bin that is not full into the one before, if there is one."""
    if out[0, bins] == 0:
        return bins
    if bins == 0:
        return 1
    out[0, bins - 1] += out[0, bins]
    out[1, bins - 1] += out[1, bins]
    add_exactly(out, bins - 1, out[2, bins])
    out[3, bins - 1] += out[3, bins]
    out[4, bins - 1] = out[4, bins]
    return bins


@compiled(inline="always")
def add_stretch(keys, begin, end, left, shift, upper, out, bins, size):
    """Add keys[begin:end], all of one cell, as a whole."""
    positive = 0
    high = 0
    low = 0
    top = keys[begin] >> 1
    for j in range(begin, end):
        order = keys[j] >> 1
        top = max(top, order)
        rest = (HALF_BITS - order if upper else order) & ((1 << shift) - 1)
        positive += keys[j] & 1
        high += rest >> PART
        low += rest & ((1 << PART) - 1)
    q = 1.0 - from_bits(HALF_BITS - top) if upper else from_bits(top)
    return add(out, bins, end - begin, positive, high, low, left, upper, q, size)


@compiled(nogil=True)
def consume(keys, left, shift, upper, out, bins, size):
    """Add the keys of one cell in order, sorting only as far as the ends of bins require."""
    begins = np.empty(STACK, np.int64)
    ends = np.empty(STACK, np.int64)
    begins[0] = 0
    ends[0] = keys.size
    depth = 1
    state = np.uint64(0x9E3779B97F4A7C15)
    while depth > 0:
        depth -= 1
        begin, end = begins[depth], ends[depth]
        tied = begin < 0  # a negative begin marks a stretch of equal keys
        if tied:
            begin = -begin - 1
        length = end - begin
        if length == 0:
            continue
        if tied or out[0, bins] + length < size:
            bins = add_stretch(keys, begin, end, left, shift, upper, out, bins, size)
        elif length <= SMALL:
            insertion(keys, begin, end)
            j = begin
            while j < end:
                k = j + 1
                while k < end and keys[k] >> 1 == keys[j] >> 1:
                    k += 1
                bins = add_stretch(keys, j, k, left, shift, upper, out, bins, size)
                j = k
        else:
            state = state * np.uint64(6364136223846793005) + np.uint64(1442695040888963407)
            at = begin + np.int64((state >> np.uint64(33)) % np.uint64(length))
            less, more = partition(keys, begin, end, keys[at] >> 1)
            begins[depth], ends[depth] = more, end
            begins[depth + 1], ends[depth + 1] = -less - 1, more
            begins[depth + 2], ends[depth + 2] = begin, less
            depth += 3
    return bins
