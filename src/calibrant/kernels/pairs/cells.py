"""Cells of predictions, finer towards 0 and 1, and a table of sums by cell and group.

A prediction has r = q in the lower half and r = 1 − q in the upper half (exact, since q > ½). An
octave of r has 2^bits cells of equal width, so the cells of fewer bits are unions of those of more
bits. Only the exponent and the leading bits of the mantissa of r decide, which any engine can
work out exactly with comparisons, products by powers of two and `floor`.

The rest of the mantissa is summed in two whole numbers. So the mean of equal predictions is that
prediction, and no sum depends on the order of rows or on the engine.
"""

import math

import numpy as np

from calibrant.kernels.bits import bits_float, float_bits
from calibrant.kernels.compiled import compiled

MANTISSA = 52
OCTAVES = 128  # r from 2^-128 to ½; smaller ones share the first cell
LOWEST = 1023 - OCTAVES  # the exponent, as stored, of the first octave
PART = 26  # the rest of the mantissa is summed in two parts of this many bits
POSITIVE = (1 << 63) - 1  # all bits except the sign: -0.0 becomes 0.0
SLOT = 1 << 30  # more than the cells of 20 bits: keys are slot · SLOT + cell
EMPTY = -1  # the key of a free row of the table
COLUMNS = 7  # key, n, Σy, Σ of both parts of the rest, Σ f², Σ f·y
# f is the place of r in its cell, from 0 to 1; sums of f are floats, stored by their bits
LINE = 64  # bytes of a cache line: a row of the table fills one, so that each access costs one


def half_cells(bits: int) -> int:
    """How many cells each half has.

    >>> half_cells(10)
    131073
    """
    return 1 + (OCTAVES << bits)


@compiled(inline="always")
def half_cell(r, bits):
    """The cell of r in its half: 0 for r = 0."""
    raw = float_bits(r) & POSITIVE
    if raw == 0:
        return np.int64(0)
    return max(np.int64(1), 1 + (raw >> (MANTISSA - bits)) - (np.int64(LOWEST) << bits))


@compiled(inline="always")
def rest_of(r, bits):
    """What is left of the mantissa of r after the leading bits; 0 below the first octave."""
    raw = float_bits(r) & POSITIVE
    if (raw >> MANTISSA) < LOWEST:
        return np.int64(0)
    return raw & ((np.int64(1) << (MANTISSA - bits)) - 1)


@compiled(inline="always")
def whole_cell(half, upper, bits):
    """The cell among those of both halves, in ascending order of q."""
    if upper:
        return 2 * (1 + (np.int64(OCTAVES) << bits)) - 1 - half
    return half


@compiled(inline="always")
def split_cell(cell, bits):
    """The cell in its half, and whether it is in the upper half."""
    total = 1 + (np.int64(OCTAVES) << bits)
    if cell >= total:
        return 2 * total - 1 - cell, True
    return cell, False


@compiled(nogil=True)
def cells(q, bits):
    """The cell of each prediction."""
    found = np.empty(q.size, np.int64)
    for j in range(q.size):
        x = np.float64(q[j])
        upper = x > 0.5
        found[j] = whole_cell(half_cell(1.0 - x if upper else x, bits), upper, bits)
    return found


@compiled(inline="always")
def is_wrong(y, q):
    """Whether q lies outside [0, 1] or y is neither 0 nor 1; true for NaN."""
    return not (0.0 <= q <= 1.0) or not (y == 0.0 or y == 1.0)


@compiled(inline="always")
def note(bad, j):
    """Count a wrong row; `bad` has their number and the first of them."""
    if bad[0] == 0:
        bad[1] = j
    bad[0] += 1


@compiled(inline="always")
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
def add_ungrouped(table, y, q, bits, first, last, bad):
    """Add rows from first to last to a table with a row for every cell."""
    unit = math.ldexp(1.0, bits - MANTISSA)
    for j in range(first, last):
        x = q[j]
        if is_wrong(y[j], x):
            note(bad, j)
            continue
        upper = x > 0.5
        r = 1.0 - x if upper else x
        cell = whole_cell(half_cell(r, bits), upper, bits)
        table[cell, 0] = cell
        add_pair(table, cell, y[j], r, bits, unit)


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
        key[j] = slot[j] * SLOT + cell
        ends[shard_of(key[j], shards)] += 1
    sort_by_shard(key, shards, first, last, row, ends)


@compiled(inline="always")
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


@compiled(inline="always")
def place(table, key):
    """The row of the table that holds this key, or the free row for it."""
    size = np.uint64(table.shape[0])
    at = np.int64((scatter(key) >> np.uint64(32)) * size >> np.uint64(32))
    while table[at, 0] != key and table[at, 0] != EMPTY:
        at += 1
        if at == table.shape[0]:
            at = 0
    return at


@compiled(inline="always")
def add_float(table, at, column, value):
    """Add to a column that holds the bits of a float."""
    table[at, column] = float_bits(bits_float(table[at, column]) + value)


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


@compiled(inline="always")
def edges(half, bits):
    """The left edge and the width of a cell of a half, as r; (0, 0) for r = 0."""
    if half == 0:
        return 0.0, 0.0
    octave = (half - 1) >> bits
    step = (half - 1) & ((1 << bits) - 1)
    scale = math.ldexp(1.0, octave - OCTAVES)
    width = math.ldexp(scale, -bits)
    return scale + np.float64(step) * width, width


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
def coarsen(table, bits, slots):
    """Rewrite the rows of a table, in place, for one bit less and other slots.

    `slots[old]` is the new slot of a key. Afterwards keys repeat and are out of place: add the
    rows to a new table.
    """
    for i in range(table.shape[0]):
        if table[i, 0] == EMPTY:
            continue
        half, upper = split_cell(table[i, 0] % SLOT, bits)
        slot = slots[table[i, 0] // SLOT]
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
    """Turn sums into means: y, q, q² and q·y of each row, and its weight.

    The k-th row of the table in use becomes row rank[k].
    """
    used = 0
    for i in range(table.shape[0]):
        if table[i, 0] == EMPTY:
            continue
        at = rank[used]
        used += 1
        half, upper = split_cell(table[i, 0] % SLOT, bits)
        many = np.float64(table[i, 1])
        n[at] = many
        y[at] = np.float64(table[i, 2]) / many
        left, width = edges(half, bits)
        rest = math.ldexp(np.float64(table[i, 3]) / many, PART) + np.float64(table[i, 4]) / many
        step = np.float64((half - 1) & ((1 << bits) - 1)) if half > 0 else 0.0
        whole = math.ldexp(1.0, MANTISSA) + math.ldexp(step, MANTISSA - bits) + rest
        octave = (half - 1) >> bits
        r = math.ldexp(whole, octave - OCTAVES - MANTISSA) if half > 0 else 0.0
        f = math.ldexp(rest, bits - MANTISSA)
        f2, fy = bits_float(table[i, 5]) / many, bits_float(table[i, 6]) / many
        r2 = left * left + 2.0 * left * width * f + width * width * f2
        ry = left * y[at] + width * fy
        q[at] = 1.0 - r if upper else r
        square[at] = 1.0 - 2.0 * r + r2 if upper else r2
        cross[at] = y[at] - ry if upper else ry
