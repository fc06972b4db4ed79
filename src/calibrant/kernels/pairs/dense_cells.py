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
    POSITIVE,
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
BLOCKS = 3  # leading bits of a cell that decide which thread adds to it


@compiled(inline="always")
def octave_of(q):
    """The octave of a prediction, counted through both halves."""
    upper = q > 0.5
    raw = float_bits(1.0 - q if upper else q) & POSITIVE
    octave = max((raw >> MANTISSA) - LOWEST, 0) + (OCTAVES if upper else 0)
    return octave if raw > 0 else (ONE if upper else ZERO)


@compiled(nogil=True)
def count_octaves(q):
    """How many predictions each octave has; those outside [0, 1] do not count."""
    found = np.zeros(ALL, np.int64)
    for j in range(q.size):
        if 0.0 <= q[j] <= 1.0:
            found[octave_of(q[j])] += 1
    return found


@compiled(nogil=True)
def split_rows(y, q, slot, place, owners, first, last, row, count, bad):
    """List the rows of each thread by the cells it owns; the last list has rare octaves.

    `place` has the number of each common octave, −1 for the others.
    """
    count[:] = 0
    many = slot.size > 1
    for j in range(first, last):
        x = q[j]
        if is_wrong(y[j], x):
            note(bad, j)
            continue
        r = 1.0 - x if x > 0.5 else x
        block = (float_bits(r) >> (MANTISSA - BLOCKS)) + (slot[j] if many else 0)
        owner = block % owners if place[octave_of(x)] >= 0 else owners
        row[owner, count[owner]] = j
        count[owner] += 1


@compiled(nogil=True)
def add_dense(table, width, row, y, q, slot, place, bits):
    """Add these rows; each slot has `width` places."""
    unit = math.ldexp(1.0, bits - MANTISSA)
    many = slot.size > 1
    for i in range(row.size):
        j = row[i]
        x = q[j]
        raw = float_bits(1.0 - x if x > 0.5 else x) & POSITIVE
        mantissa = raw & ((np.int64(1) << MANTISSA) - 1)
        if (raw >> MANTISSA) < LOWEST:
            mantissa = np.int64(0)
        rest = mantissa & ((np.int64(1) << (MANTISSA - bits)) - 1)
        at = (place[octave_of(x)] << bits) + (mantissa >> (MANTISSA - bits))
        if many:
            at += slot[j] * width
        f = np.float64(rest) * unit
        table[at, 0] += 1 + (np.int64(y[j]) << 32)
        table[at, 1] += rest >> PART
        table[at, 2] += rest & ((1 << PART) - 1)
        add_float(table, at, 3, f * f)
        add_float(table, at, 4, f * y[j])


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


@compiled(inline="always")
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
