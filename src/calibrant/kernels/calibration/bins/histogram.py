"""An exact histogram of (y, q) on a grid that is finer towards both ends.

A prediction belongs to the lower half with r = q, or to the upper half with r = 1 − q (exact,
since q > ½). Its cell is given by the exponent and the leading bits of the mantissa of r, so
the map is monotone and costs a few integer operations. A sample of the predictions decides how
many mantissa bits an octave gets. A value that is frequent in the sample gets a separate cell, as
do exact 0 and exact 1. The sample affects only the speed, not the result.

Sums of r are kept as integers (the mantissa bits relative to the left edge of the cell), and
summed over cells in double-double precision. So they are exact, regardless of row order, the
layout of the cells and the number of threads.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibrant.kernels.bits import float_bits
from calibrant.kernels.compiled import compiled

MANTISSA = 52
OCTAVES = 1024  # exponents of r: 0 (subnormal) to 1022 (0.5)
POSITIVE = (1 << 63) - 1  # all bits except the sign: -0.0 becomes 0.0
PART = 26  # remainders are summed in two parts of this many bits, which cannot overflow
CELLS = 1 << 15  # cell numbers fit in 16 bits even if 15,000 cells are split in three
SPLITS = 15_000  # maximum number of cells that a frequent value splits in three
RARE = 1e-3  # a smaller share of repeated values is not worth a check in every row

Int = NDArray[np.int64]


class Grid(NamedTuple):
    """The map from predictions to cells. Arrays with two rows: lower and upper half."""

    first: Int  # (2, OCTAVES) first cell of an octave, before frequent values split cells
    shift: Int  # (2, OCTAVES) how far the mantissa is shifted
    split: Int  # (2, cells of the half, 2) number after the splits; bits of the frequent value
    divided: bool  # whether any cell is split
    total: int  # all cells


class Edges(NamedTuple):
    """The bounds of each cell, in ascending order of q."""

    left: Int  # bits from which remainders are counted
    shift: Int
    low: Int  # smallest and largest bits of r
    high: Int
    upper: NDArray[np.bool_]  # whether the cell is in the upper half
    single: NDArray[np.bool_]  # whether the cell holds a single value


def grid(sample: NDArray[np.float64]) -> tuple[Grid, Edges]:
    """Lay out cells so that each holds a similar share of `sample`."""
    above = sample > 0.5
    halves = [
        _half(sample[~above], sample.size, upper=False),
        _half(1.0 - sample[above], sample.size, upper=True),
    ]
    split = np.zeros((2, max(half[2].size for half in halves), 2), np.int64)
    for h, (_, _, moved, frequent, _) in enumerate(halves):
        split[h, : moved.size, 0] = moved
        split[h, : moved.size, 1] = frequent
    first, shift = (np.array([half[k] for half in halves]) for k in (0, 1))
    lower, upper = halves[0][4], halves[1][4]
    edges = Edges(*(np.concatenate([a, b[::-1]]) for a, b in zip(lower, upper, strict=True)))
    divided = edges.left.size > sum(half[2].size for half in halves)
    return Grid(first, shift, split, divided, edges.left.size), edges


def _half(r: NDArray[np.float64], size: int, *, upper: bool) -> tuple[Int, Int, Int, Int, Edges]:
    """Tables of one half: first, shift, number after the splits, frequent values, edges."""
    bits = r[r > 0].view(np.int64)
    share = np.bincount(bits >> MANTISSA, minlength=OCTAVES) / max(1, size)
    wanted = np.floor(np.log2(np.maximum(CELLS * share, 1.0))).astype(np.int64)
    shift = MANTISSA - np.minimum(wanted, 14)
    width = np.int64(1) << (MANTISSA - shift)
    first = np.cumsum(width) - width  # exact 0 is cell 0, so the others shift by one
    octave = np.repeat(np.arange(OCTAVES), width)
    left = (octave << MANTISSA) | ((np.arange(octave.size) - first[octave]) << shift[octave])
    high = left + (np.int64(1) << shift[octave]) - 1
    low = np.maximum(left, 1)
    frequent = _frequent(bits, first, shift)
    left, low, high = (np.concatenate([[0], each]) for each in (left, low, high))
    moves = np.concatenate([[MANTISSA], shift[octave]])
    return first, shift, *_split(left, low, high, moves, frequent, upper)


def _frequent(bits: Int, first: Int, shift: Int) -> Int:
    """The most frequent repeated value of each cell of a half, or one beyond all values."""
    cells = int(first[-1] + (np.int64(1) << (MANTISSA - shift[-1]))) + 1
    frequent = np.full(cells, np.iinfo(np.int64).max)
    value, count = np.unique(bits, return_counts=True)
    value, count = value[count > 1], count[count > 1]
    if count.sum() < RARE * bits.size:
        return frequent
    order = np.argsort(count, kind="stable")[-SPLITS // 2 :]  # the largest counts are last
    value = value[order]
    octave = value >> MANTISSA
    mantissa = value & ((1 << MANTISSA) - 1)
    frequent[1 + first[octave] + (mantissa >> shift[octave])] = value
    return frequent


def _split(
    left: Int, low: Int, high: Int, shift: Int, frequent: Int, upper: bool
) -> tuple[Int, Int, Edges]:
    """Split cells with a frequent value v into r < v, r = v and r > v."""
    parts = np.where(frequent <= high, 3, 1)
    moved = np.cumsum(parts) - parts
    cell = np.repeat(np.arange(left.size), parts)
    part = np.where(parts[cell] == 3, np.arange(cell.size) - moved[cell], -1)
    v = frequent[cell]
    low = np.select([part == 1, part == 2], [v, v + 1], low[cell])
    high = np.select([part == 0, part == 1], [v - 1, v], high[cell])
    single = part == 1
    single[0] = True
    halves = np.full(cell.size, upper)
    return moved, frequent, Edges(left[cell], shift[cell], low, high, halves, single)


@compiled(inline="always")
def locate(q, first, shift, split, divided, total):
    """The cell of q, the bits of its r, and the shift of its octave, without a data branch."""
    half = np.int64(q > 0.5)
    r = 1.0 - q if half == 1 else q
    bits = float_bits(r) & POSITIVE
    octave = bits >> MANTISSA
    move = shift[half, octave]
    cell = first[half, octave] + ((bits & ((1 << MANTISSA) - 1)) >> move) + np.int64(bits > 0)
    if divided:
        v = split[half, cell, 1]
        cell = split[half, cell, 0] + np.int64(bits >= v) + np.int64(bits > v)
    return total - 1 - cell if half == 1 else cell, bits, move


@compiled(nogil=True)
def histogram(y, q, first, shift, split, divided, total, sums, where):
    """Count rows: `sums` are count, positives and remainders (high · 2^PART + low) of each cell."""
    held = np.zeros((total, 3), np.int64)  # count + 2^32 positives, high, low: close in memory
    for j in range(q.size):
        cell, bits, move = locate(np.float64(q[j]), first, shift, split, divided, total)
        rest = bits & ((1 << move) - 1)
        where[j] = cell
        held[cell, 0] += 1 + (np.int64(y[j]) << 32)
        held[cell, 1] += rest >> PART
        held[cell, 2] += rest & ((1 << PART) - 1)
    for cell in range(total):
        sums[0, cell] = held[cell, 0] & 0xFFFFFFFF
        sums[1, cell] = held[cell, 0] >> 32
        sums[2, cell] = held[cell, 1]
        sums[3, cell] = held[cell, 2]


@compiled(inline="always")
def from_bits(bits):
    """The float with these bits, for r between 0 and ½."""
    octave = bits >> MANTISSA
    mantissa = bits & ((1 << MANTISSA) - 1)
    if octave == 0:
        return math.ldexp(np.float64(mantissa), -1074)
    return math.ldexp(np.float64(mantissa | (1 << MANTISSA)), octave - 1075)


@compiled(inline="always")
def unit_of(bits):
    """The value of the last bit of the mantissa."""
    return math.ldexp(1.0, max(bits >> MANTISSA, 1) - 1075)
