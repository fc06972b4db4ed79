"""Cells of predictions, finer towards 0 and 1.

A prediction has r = q in the lower half and r = 1 − q in the upper half (exact, since q > ½). An
octave of r has 2^bits cells of equal width, so the cells of fewer bits are unions of those of more
bits. Only the exponent and the leading bits of the mantissa of r decide, which any engine can
work out exactly with comparisons, products by powers of two and `floor`.

The rest of the mantissa is summed in two whole numbers. So the mean of equal predictions is that
prediction, and no sum depends on the order of rows or on the engine.
"""

import numpy as np

from calibrant.kernels.bits import bits_float, float_bits
from calibrant.kernels.compiled import compiled

MANTISSA = 52
OCTAVES = 128  # r from 2^-128 to ½; smaller ones share the first cell
BIAS = 1023  # added to the exponent of a float where it is stored
LOWEST = BIAS - OCTAVES  # the exponent, as stored, of the first octave
PART = 26  # the rest of the mantissa is summed in two parts of this many bits
POSITIVE = (1 << 63) - 1  # all bits except the sign: -0.0 becomes 0.0


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
    return not ((q >= 0.0) & (q <= 1.0) & ((y == 0.0) | (y == 1.0)))  # no branch on y, a coin


# What takes an array is left to the compiler to inline: numba itself would count references to the
# array in every row, which costs more than the row.


@compiled(nogil=True)
def note(bad, j):
    """Count a wrong row; `bad` has their number and the first of them."""
    if bad[0] == 0:
        bad[1] = j
    bad[0] += 1


@compiled(nogil=True)
def add_float(table, at, column, value):
    """Add to a column that holds the bits of a float."""
    table[at, column] = float_bits(bits_float(table[at, column]) + value)


@compiled(inline="always")
def power(exponent):
    """2^exponent, exactly; faster than `math.ldexp`, which calls a function of C."""
    return bits_float((np.int64(exponent) + BIAS) << MANTISSA)


@compiled(inline="always")
def edges(half, bits):
    """The left edge and the width of a cell of a half, as r; (0, 0) for r = 0."""
    if half == 0:
        return 0.0, 0.0
    octave = (half - 1) >> bits
    step = (half - 1) & ((1 << bits) - 1)
    scale = power(octave - OCTAVES)
    width = scale * power(-bits)
    return scale + np.float64(step) * width, width


@compiled(nogil=True)
def write_means(half, upper, bits, sums, at, y, q, n, square, cross):
    """Turn the sums of a cell into means of y, q, q² and q·y and a weight, at row `at`.

    `sums` are n, Σy, Σ of both parts of the rest, Σ f² and Σ f·y.
    """
    many, positive, high, low, f2, fy = sums
    n[at] = many
    y[at] = positive / many
    left, width = edges(half, bits)
    rest = high / many * power(PART) + low / many
    step = np.float64((half - 1) & ((1 << bits) - 1)) if half > 0 else 0.0
    whole = power(MANTISSA) + step * power(MANTISSA - bits) + rest
    octave = (half - 1) >> bits
    r = whole * power(octave - OCTAVES - MANTISSA) if half > 0 else 0.0
    f = rest * power(bits - MANTISSA)
    r2 = left * left + 2.0 * left * width * f + width * width * (f2 / many)
    ry = left * y[at] + width * (fy / many)
    q[at] = 1.0 - r if upper else r
    square[at] = 1.0 - 2.0 * r + r2 if upper else r2
    cross[at] = y[at] - ry if upper else ry


@compiled(nogil=True)
def finish_sums(cell, sums, bits, first, last, y, q, n, square, cross):
    """Write the means of the cells from first to last.

    `sums` are columns: n, Σy, Σ of both parts of the rest, Σ f² and Σ f·y.
    """
    many, positive, high, low, f2, fy = sums
    for at in range(first, last):
        half, upper = split_cell(cell[at], bits)
        of_cell = (
            np.float64(many[at]),
            np.float64(positive[at]),
            np.float64(high[at]),
            np.float64(low[at]),
            f2[at],
            fy[at],
        )
        write_means(half, upper, bits, of_cell, at, y, q, n, square, cross)
