"""A table of sums by cell and group in which keys are searched for by their hash.

A key is slot · SLOT + cell; the slot is the number of a group or of a fold of groups. Tables are
divided into shards, which threads fill at the same time.
"""

import math

import numpy as np

from calibrant.kernels.bits import bits_float, float_bits
from calibrant.kernels.compiled import compiled
from calibrant.kernels.pairs.cells import (
    MANTISSA,
    PART,
    add_float,
    edges,
    half_cell,
    is_wrong,
    note,
    rest_of,
    split_cell,
    whole_cell,
    write_means,
)

SLOT = 1 << 30  # more than the cells of 20 bits
EMPTY = -1  # the key of a free row of the table
COLUMNS = 7  # key, n, Σy, Σ of both parts of the rest, Σ f², Σ f·y
# f is the place of r in its cell, from 0 to 1; sums of f are floats, stored by their bits
LINE = 64  # bytes of a cache line: a row of the table fills one, so that each access costs one


@compiled(nogil=True)
def add_pair(table, at, y, r, bits, unit):
    """Add one pair to a row of a table."""
    rest = rest_of(r, bits)
    f = np.float64(rest) * unit
    positive = np.int64(y)
    table[at, 1] += 1
    table[at, 2] += positive
    table[at, 3] += rest >> PART
    table[at, 4] += rest & ((1 << PART) - 1)
    add_float(table, at, 5, f * f)
    add_float(table, at, 6, f * y)


@compiled(nogil=True)
def find_keys(y, q, slot, bits, shards, first, last, key, row, ends, bad):
    """Keys of rows from first to last, and these rows sorted by shard.

    `row` holds the rows of shard s, among these, from ends[s] to ends[s + 1].
    """
    ends[:] = 0
    for j in range(first, last):
        x = q[j]
        if is_wrong(y[j], x):
            note(bad, j)
            key[j] = EMPTY
            continue
        upper = x > 0.5
        cell = whole_cell(half_cell(1.0 - x if upper else x, bits), upper, bits)
        key[j] = (slot[j] if slot.size > 1 else slot[0]) * SLOT + cell
        ends[shard_of(key[j], shards)] += 1
    sort_by_shard(key, shards, first, last, row, ends)


@compiled(nogil=True)
def sort_by_shard(key, shards, first, last, row, ends):
    """Turn counts in `ends` into the ends of shards, and list their rows."""
    total = first
    for shard in range(shards):
        count = ends[shard]
        ends[shard] = total
        total += count
    for j in range(first, last):
        if key[j] != EMPTY:
            shard = shard_of(key[j], shards)
            row[ends[shard]] = j
            ends[shard] += 1
    for shard in range(shards, 0, -1):
        ends[shard] = ends[shard - 1]
    ends[0] = first


@compiled(nogil=True)
def find_mean_keys(q, slot, bits, shards, first, last, key, row, ends):
    """Like `find_keys`, for rows that represent several pairs and are known to be right."""
    ends[:] = 0
    for j in range(first, last):
        upper = q[j] > 0.5
        cell = whole_cell(half_cell(1.0 - q[j] if upper else q[j], bits), upper, bits)
        key[j] = (slot[j] if slot.size > 1 else slot[0]) * SLOT + cell
        ends[shard_of(key[j], shards)] += 1
    sort_by_shard(key, shards, first, last, row, ends)


@compiled(inline="always")
def scatter(key):
    """Mix the bits of a key: 64 bits of which the leading ones are random."""
    x = np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)
    return (x ^ (x >> np.uint64(32))) * np.uint64(0xD6E8FEB86659FD93)


@compiled(inline="always")
def shard_of(key, shards):
    """The shard of a key, by the trailing bits of its hash."""
    return np.int64((scatter(key) >> np.uint64(16)) & np.uint64(shards - 1))


@compiled(nogil=True)
def place(table, key):
    """The row of the table that holds this key, or the free row for it."""
    size = np.uint64(table.shape[0])
    at = np.int64((scatter(key) >> np.uint64(32)) * size >> np.uint64(32))
    while table[at, 0] != key and table[at, 0] != EMPTY:
        at += 1
        if at == table.shape[0]:
            at = 0
    return at


@compiled(nogil=True)
def add_rows(table, used, most, key, y, q, bits, row, first):
    """Add these rows of one shard, from `first` on; stop where the table holds `most` keys.

    Returns how many were added, and the keys held.
    """
    unit = math.ldexp(1.0, bits - MANTISSA)
    for i in range(first, row.size):
        j = row[i]
        at = place(table, key[j])
        if table[at, 0] == EMPTY:
            if used >= most:
                return i, used
            table[at, 0] = key[j]
            used += 1
        x = q[j]
        add_pair(table, at, y[j], 1.0 - x if x > 0.5 else x, bits, unit)
    return row.size, used


@compiled(nogil=True)
def add_means(table, used, most, key, y, q, weight, square, cross, bits, row, first):
    """Like `add_rows`, for rows with a weight and the means of y, q, q² and q·y of their pairs."""
    for i in range(first, row.size):
        j = row[i]
        at = place(table, key[j])
        if table[at, 0] == EMPTY:
            if used >= most:
                return i, used
            table[at, 0] = key[j]
            used += 1
        x, w = q[j], weight[j]
        upper = x > 0.5
        half, _ = split_cell(key[j] % SLOT, bits)
        left, width = edges(half, bits)
        rest = rest_of(1.0 - x if upper else x, bits)
        f = math.ldexp(np.float64(rest), bits - MANTISSA)
        table[at, 1] += np.int64(w)
        table[at, 2] += np.int64(np.rint(w * y[j]))
        table[at, 3] += (rest >> PART) * np.int64(w)
        table[at, 4] += (rest & ((1 << PART) - 1)) * np.int64(w)
        if half == 0:
            continue
        r2 = 1.0 - 2.0 * x + square[j] if upper else square[j]
        ry = y[j] - cross[j] if upper else cross[j]
        f2 = (r2 - left * left) / (width * width) - 2.0 * (left / width) * f
        add_float(table, at, 5, w * min(max(f2, 0.0), 1.0))
        add_float(table, at, 6, w * min(max((ry - left * y[j]) / width, 0.0), 1.0))
    return row.size, used


@compiled(nogil=True)
def add_table(table, used, other, shard, shards):
    """Add the rows of another table that belong to this shard; returns the keys held.

    Both have cells of the same bits.
    """
    for i in range(other.shape[0]):
        key = other[i, 0]
        if key == EMPTY or shard_of(key, shards) != shard:
            continue
        at = place(table, key)
        if table[at, 0] == EMPTY:
            table[at, 0] = key
            used += 1
        for column in range(1, 5):
            table[at, column] += other[i, column]
        for column in range(5, COLUMNS):
            add_float(table, at, column, bits_float(other[i, column]))
    return used


@compiled(nogil=True)
def coarsen(table, bits):
    """Rewrite the rows of a table, in place, for one bit less.

    Afterwards keys repeat and are out of place: add the rows to a new table.
    """
    for i in range(table.shape[0]):
        if table[i, 0] == EMPTY:
            continue
        half, upper = split_cell(table[i, 0] % SLOT, bits)
        slot = table[i, 0] // SLOT
        odd = (half - 1) & 1 if half > 0 else 0
        table[i, 0] = slot * SLOT + whole_cell(
            0 if half == 0 else 1 + ((half - 1) >> 1), upper, bits - 1
        )
        n, positive = np.float64(table[i, 1]), np.float64(table[i, 2])
        rest = math.ldexp(np.float64(table[i, 3]), PART) + np.float64(table[i, 4])
        f = math.ldexp(rest, bits - MANTISSA)
        f2, fy = bits_float(table[i, 5]), bits_float(table[i, 6])
        table[i, 3] += odd * (table[i, 1] << (PART - bits))
        table[i, 5] = float_bits((odd * (n + 2.0 * f) + f2) / 4.0)
        table[i, 6] = float_bits((odd * positive + fy) / 2.0)


@compiled(nogil=True)
def relabel(table, slots):
    """Rewrite the slots of all keys, in place; afterwards add the rows to a new table."""
    for i in range(table.shape[0]):
        if table[i, 0] != EMPTY:
            table[i, 0] = slots[table[i, 0] // SLOT] * SLOT + table[i, 0] % SLOT


@compiled(nogil=True)
def finish(table, bits, rank, y, q, n, square, cross):
    """Write the means of the rows in use; the k-th of them becomes row rank[k]."""
    used = 0
    for i in range(table.shape[0]):
        if table[i, 0] == EMPTY:
            continue
        half, upper = split_cell(table[i, 0] % SLOT, bits)
        sums = (
            np.float64(table[i, 1]),
            np.float64(table[i, 2]),
            np.float64(table[i, 3]),
            np.float64(table[i, 4]),
            bits_float(table[i, 5]),
            bits_float(table[i, 6]),
        )
        write_means(half, upper, bits, sums, rank[used], y, q, n, square, cross)
        used += 1
