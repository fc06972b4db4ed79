"""A given number of bins of equal count, without sorting everything.

The bin of a prediction is decided by its middle rank: half of the rows that tie with it are
counted below. So it does not matter from which end the rows are counted. One pass counts the rows
of each cell of a fine grid. Ranks then tell which cells lie inside one bin; only the rows of the
others are fetched and sorted, by a quicksort that stops as soon as a stretch is known to lie
inside one bin.
"""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calibrant.kernels.calibration.bins.adaptive import (
    HALF_BITS,
    add,
    add_stretch,
    fetch_rows,
    lanes_of,
)
from calibrant.kernels.calibration.bins.histogram import from_bits, histogram
from calibrant.kernels.compiled import compiled
from calibrant.kernels.sorting import SMALL, STACK, insertion, partition
from calibrant.kernels.threads import workers

Float = NDArray[np.float64]
NEVER = np.inf  # a bin is never full: ranks decide where it ends


def even_bins(y: NDArray[Any], q: NDArray[Any], count: int) -> tuple[Float, Float, Float, Float]:
    """Sums over at most `count` bins: n, positives, Σq and the largest q of each."""
    out = np.zeros((5, 2 * count + 1))
    with ThreadPoolExecutor(workers()) as pool:
        lanes, cells, edges = lanes_of(y, q)
        list(pool.map(lambda lane: histogram(lane.y, lane.q, *cells, lane.sums, lane.cell), lanes))
        sums = np.sum([lane.sums for lane in lanes], axis=0)
        wanted = np.zeros(cells.total, bool)
        split_cells(sums[0], edges.single, q.size, count, wanted)
        keys, start = fetch_rows(pool, lanes, wanted, edges)
    walk_ranks(sums, *edges, wanted, start, keys, q.size, count, out)
    n, positive, total, rest, upper = out[:, out[0] > 0]
    return n, positive, total + rest, upper


@compiled(inline="always")
def place(twice, rows, count, side):
    """The bin of a middle rank (given twice, so that it is whole), times two.

    A rank exactly between two bins belongs to the one nearer to the middle. In the very middle,
    `side` decides: −1 below ½, 1 above, and 0 gets a bin of its own.
    """
    at, left = divmod(twice * count, 2 * rows)
    if left == 0:
        if twice > rows:
            at -= 1
        elif twice == rows:
            return 2 * at - 1 + side
    return 2 * at


@compiled(nogil=True)
def split_cells(counts, single, rows, count, wanted):
    """Mark the cells whose rows may belong to different bins, or end a bin."""
    seen = 0
    before = -1  # the last cell with rows
    bin_before = 0
    for cell in range(counts.size):
        n = counts[cell]
        if n == 0:
            continue
        first = place(2 * seen + 1, rows, count, -1)
        last = place(2 * (seen + n) - 1, rows, count, 1)
        wanted[cell] = first != last and not single[cell]
        if before >= 0 and last != bin_before and not single[before]:
            wanted[before] = True  # its largest q may be the end of a bin
        before = cell
        bin_before = last
        seen += n
    if before >= 0 and not single[before]:
        wanted[before] = True


@compiled(inline="always")
def side_of(bits, upper):
    """Whether q, whose distance from its end has these bits, is below ½ (−1), ½ (0) or above."""
    if upper:
        return 1
    return 0 if bits == HALF_BITS else -1


@compiled(nogil=True)
def walk_ranks(sums, left, shift, low, high, upper, single, wanted, start, keys, rows, count, out):
    """Add every cell to its bins."""
    seen = 0
    for cell in range(left.size):
        n = sums[0, cell]
        if n == 0:
            continue
        if wanted[cell]:
            stretch = keys[start[cell] : start[cell + 1]]
            consume_ranks(stretch, left[cell], shift[cell], upper[cell], seen, rows, count, out)
        else:
            top = 1.0 - from_bits(low[cell]) if upper[cell] else from_bits(high[cell])
            if low[cell] == 0 or high[cell] == 0:
                top = np.float64(upper[cell])
            side = side_of(low[cell], upper[cell])
            # all rows of the cell lie in one bin, so any rank among them tells which
            middle = 2 * seen + n if single[cell] else 2 * seen + 1
            at = place(middle, rows, count, side)
            add(
                out,
                at,
                n,
                sums[1, cell],
                sums[2, cell],
                sums[3, cell],
                left[cell],
                upper[cell],
                top,
                NEVER,
            )
        seen += n


@compiled(nogil=True)
def consume_ranks(keys, left, shift, upper, seen, rows, count, out):
    """Add the keys of one cell, sorting only as far as the ends of bins require."""
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
        first = place(2 * (seen + begin) + 1, rows, count, -1)
        last = place(2 * (seen + end) - 1, rows, count, 1)
        if first == last:
            add_stretch(keys, begin, end, left, shift, upper, out, first, NEVER)
        elif tied or length == 1:
            add_tied(keys, begin, end, left, shift, upper, seen, rows, count, out)
        elif length <= SMALL:
            insertion(keys, begin, end)
            j = begin
            while j < end:
                k = j + 1
                while k < end and keys[k] >> 1 == keys[j] >> 1:
                    k += 1
                add_tied(keys, j, k, left, shift, upper, seen, rows, count, out)
                j = k
        else:
            state = state * np.uint64(6364136223846793005) + np.uint64(1442695040888963407)
            at = begin + np.int64((state >> np.uint64(33)) % np.uint64(length))
            less, more = partition(keys, begin, end, keys[at] >> 1)
            begins[depth], ends[depth] = more, end
            begins[depth + 1], ends[depth + 1] = -less - 1, more
            begins[depth + 2], ends[depth + 2] = begin, less
            depth += 3


@compiled(inline="always")
def add_tied(keys, begin, end, left, shift, upper, seen, rows, count, out):
    """Add equal keys to the bin of their middle rank."""
    side = side_of(keys[begin] >> 1, upper)
    at = place(2 * seen + begin + end, rows, count, side)
    add_stretch(keys, begin, end, left, shift, upper, out, at, NEVER)
