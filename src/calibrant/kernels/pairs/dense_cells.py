"""Sums over cells and groups in a table with a place for every group and common cell.

A place is found without a search, so that the accesses of several rows overlap in memory. Cells are
common by octaves (of r, in one half), so that merging the cells of an octave in pairs keeps the
octave. Rows of other octaves are left to the table of `sparse_cells`.
"""

import math

import numpy as np

from calibrant.kernels.bits import bits_float, float_bits
from calibrant.kernels.compiled import compiled
from calibrant.kernels.pairs.cells import (
    LOWEST,
    MANTISSA,
    OCTAVES,
    PART,
    add_float,
    is_wrong,
    note,
    whole_cell,
    write_means,
)
from calibrant.kernels.pairs.sparse_cells import SLOT

SUMS = 5  # positives · 2^32 + n, Σ of both parts of the rest, Σ f², Σ f·y (floats, by their bits)
COUNT = (1 << 32) - 1  # the bits of n
ZERO, ONE = 2 * OCTAVES, 2 * OCTAVES + 1  # the octaves of exact 0 and exact 1
ALL = 2 * OCTAVES + 2
AT_ONCE = 1 << 10  # rows that are located before they are added: they stay in the cache


@compiled(inline="always")
def octave_of(q):
    """The octave of a prediction, counted through both halves."""
    upper = np.int64(q > 0.5)
    return octave_of_bits(float_bits(abs(np.float64(upper) - q)), upper)


@compiled(inline="always")
def octave_of_bits(raw, upper):
    """The octave of r with these bits, in the upper half (1) or the lower half (0)."""
    octave = max((raw >> MANTISSA) - LOWEST, 0) + OCTAVES * upper
    return octave if raw > 0 else ZERO + upper


@compiled(nogil=True)
def count_octaves(q):
    """How many predictions each octave has; those outside [0, 1] do not count."""
    found = np.zeros(ALL, np.int64)
    for j in range(q.size):
        if 0.0 <= q[j] <= 1.0:
            found[octave_of(q[j])] += 1
    return found


@compiled(nogil=True)
def locate(q, place, bits):
    """The place of a prediction in its slot (−1 if it has none), and the rest of its mantissa."""
    upper = np.int64(q > 0.5)  # as a number: a branch on it would often be mispredicted
    raw = float_bits(abs(np.float64(upper) - q))
    number = place[octave_of_bits(raw, upper)]
    tiny = (raw >> MANTISSA) < LOWEST
    mantissa = np.int64(0) if tiny else raw & ((np.int64(1) << MANTISSA) - 1)
    rest = mantissa & ((np.int64(1) << (MANTISSA - bits)) - 1)
    return -1 if number < 0 else (number << bits) + (mantissa >> (MANTISSA - bits)), rest


@compiled(nogil=True)
def add_at(table, at, y, rest, unit):
    """Add one pair; `unit` is the value of the last bit of the rest, as a share of the cell."""
    f = unit * np.float64(rest)
    table[at, 0] += 1 + (y << 32)
    table[at, 1] += rest >> PART
    table[at, 2] += rest & ((1 << PART) - 1)
    add_float(table, at, 3, f * f)
    add_float(table, at, 4, f * np.float64(y))


@compiled(nogil=True)
def locate_rows(y, q, bits, first, last, at, rest):
    """The places and the rests of rows, where every octave has places; returns how many are wrong.

    Nothing branches and nothing is looked up, so that the compiler does several rows at once.
    """
    mask = (np.int64(1) << (MANTISSA - bits)) - 1
    wrong = 0
    for j in range(first, last):
        wrong += np.int64(is_wrong(y[j], q[j]))
        upper = np.int64(q[j] > 0.5)
        raw = float_bits(abs(np.float64(upper) - q[j]))
        tiny = (raw >> MANTISSA) < LOWEST
        mantissa = np.int64(0) if tiny else raw & ((np.int64(1) << MANTISSA) - 1)
        rest[j - first] = mantissa & mask
        at[j - first] = (octave_of_bits(raw, upper) << bits) + (mantissa >> (MANTISSA - bits))
    return wrong


@compiled(nogil=True)
def add_ungrouped(table, y, q, bits, first, last, bad):
    """Add rows from first to last, all of slot 0; every octave has places."""
    unit = math.ldexp(1.0, bits - MANTISSA)
    at, rest = np.empty(AT_ONCE, np.int64), np.empty(AT_ONCE, np.int64)
    for begin in range(first, last, AT_ONCE):
        end = min(begin + AT_ONCE, last)
        wrong = locate_rows(y, q, bits, begin, end, at, rest)
        for j in range(begin, end):
            if wrong > 0 and is_wrong(y[j], q[j]):
                note(bad, j)
            else:
                add_at(table, at[j - begin], np.int64(y[j]), rest[j - begin], unit)


@compiled(nogil=True)
def pack_rows(y, q, slot, place, width, bits, block, first, last, packed, bounds, rare, bad):
    """Pack rows into one number each, sorted by blocks of slots; returns how many are rare.

    A block has 2^block slots, few enough that their places stay in the cache while rows are added.
    `packed` has the rows of block b from bounds[b, 0] to bounds[b, 1]; wrong and rare rows leave
    gaps behind them. `rare` lists the rows without a place.
    """
    bounds[:] = 0
    for j in range(first, last):
        bounds[slot[j] >> block, 1] += 1
    total = first
    for b in range(bounds.shape[0]):
        count = bounds[b, 1]
        bounds[b, 0] = bounds[b, 1] = total
        total += count
    left = 0
    for j in range(first, last):
        if is_wrong(y[j], q[j]):
            note(bad, j)
            continue
        at, rest = locate(q[j], place, bits)
        if at < 0:
            rare[first + left] = j
            left += 1
            continue
        b = slot[j] >> block
        at += (slot[j] - (b << block)) * width
        packed[bounds[b, 1]] = (at << (MANTISSA + 1 - bits)) | (rest << 1) | np.int64(y[j])
        bounds[b, 1] += 1
    return left


@compiled(nogil=True)
def add_packed(table, packed, bits):
    """Add packed rows to the places of their block."""
    mask = (np.int64(1) << (MANTISSA - bits)) - 1
    unit = math.ldexp(1.0, bits - MANTISSA)
    for i in range(packed.size):
        row = packed[i]
        add_at(table, row >> (MANTISSA + 1 - bits), row & 1, (row >> 1) & mask, unit)


@compiled(nogil=True)
def add_tables(table, other):
    """Add the sums of another table with the same places."""
    for i in range(table.shape[0]):
        if other[i, 0] != 0:
            for column in range(3):
                table[i, column] += other[i, column]
            for column in range(3, SUMS):
                add_float(table, i, column, bits_float(other[i, column]))


@compiled(nogil=True)
def merge_pairs(table, merged, bits):
    """Merge the places of an octave in pairs, for one bit less."""
    for i in range(table.shape[0]):
        if table[i, 0] == 0:
            continue
        at, odd = i >> 1, np.float64(i & 1)
        n, positive = np.float64(table[i, 0] & COUNT), np.float64(table[i, 0] >> 32)
        rest = math.ldexp(np.float64(table[i, 1]), PART) + np.float64(table[i, 2])
        f = math.ldexp(rest, bits - MANTISSA)
        f2, fy = bits_float(table[i, 3]), bits_float(table[i, 4])
        merged[at, 0] += table[i, 0]
        merged[at, 1] += table[i, 1] + (i & 1) * ((table[i, 0] & COUNT) << (PART - bits))
        merged[at, 2] += table[i, 2]
        add_float(merged, at, 3, (odd * (n + 2.0 * f) + f2) / 4.0)
        add_float(merged, at, 4, (odd * positive + fy) / 2.0)


@compiled(nogil=True)
def cell_of(column, octave, bits):
    """The cell in its half, and whether it is in the upper half, of a place of a slot."""
    which = octave[column >> bits]
    if which >= ZERO:
        return np.int64(0), which == ONE
    upper = which >= OCTAVES
    return 1 + ((which - OCTAVES if upper else which) << bits) + (column & ((1 << bits) - 1)), upper


@compiled(nogil=True)
def find_used(table, width, octave, bits, key):
    """Write the keys of the places in use, as `sparse_cells` numbers them."""
    used = 0
    for i in range(table.shape[0]):
        if table[i, 0] != 0:
            half, upper = cell_of(i % width, octave, bits)
            key[used] = (i // width) * SLOT + whole_cell(half, upper, bits)
            used += 1


@compiled(nogil=True)
def copy_used(table, key, rows):
    """Copy the places in use, whose keys are known, as rows of a table of `sparse_cells`."""
    used = 0
    for i in range(table.shape[0]):
        if table[i, 0] != 0:
            rows[used, 0] = key[used]
            rows[used, 1] = table[i, 0] & COUNT
            rows[used, 2] = table[i, 0] >> 32
            for column in range(1, SUMS):
                rows[used, column + 2] = table[i, column]
            used += 1


@compiled(nogil=True)
def finish(table, width, octave, bits, rank, y, q, n, square, cross):
    """Write the means of the places in use; the k-th of them becomes row rank[k]."""
    used = 0
    for i in range(table.shape[0]):
        if table[i, 0] == 0:
            continue
        half, upper = cell_of(i % width, octave, bits)
        sums = (
            np.float64(table[i, 0] & COUNT),
            np.float64(table[i, 0] >> 32),
            np.float64(table[i, 1]),
            np.float64(table[i, 2]),
            bits_float(table[i, 3]),
            bits_float(table[i, 4]),
        )
        write_means(half, upper, bits, sums, rank[used], y, q, n, square, cross)
        used += 1
