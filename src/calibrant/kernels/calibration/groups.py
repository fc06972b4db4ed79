"""Sums by group and bin, and bootstrap replicates that draw whole groups."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibrant.kernels.compiled import compiled
from calibrant.kernels.labels import add_by_label
from calibrant.kernels.threads import workers

LANES = 8  # replicates that share one pass over the sums
WORTH_THREADS = 1 << 20  # values to add up: fewer take less time than starting threads
DENSE = 1 << 15  # cells of all groups and bins: so many sums stay in the cache
STEP = 2.0**-36  # errors are rounded to this, so sums of 100,000 do not depend on order

Float = NDArray[np.float64]
Int = NDArray[np.int64]
Labels = NDArray[np.signedinteger[Any]]


class GroupSums(NamedTuple):
    """Weight and total error of each group in each bin it touches, one compressed row each."""

    start: Int  # (groups + 1,)
    column: Labels  # the bin
    weight: Float
    error: Float


def group_sums(
    codes: Labels,
    column: Labels,
    error: NDArray[Any],
    weight: Float | None,
    groups: int,
    bins: int,
) -> GroupSums:
    """Sum `error` (times `weight`) over the rows of each group in each bin."""
    ones = np.ones(1) if weight is None else weight
    if groups * bins <= DENSE < codes.size:
        weights, errors = np.zeros((2, groups, bins))
        add_cells(codes, column, error, ones, weights, errors)
        owner, touched = np.nonzero(weights)
        begin = np.searchsorted(owner, np.arange(groups + 1))
        held = (weights[owner, touched], errors[owner, touched])
        return GroupSums(begin, touched.astype(np.int32), *held)
    first = np.zeros(groups + 1, np.int64)
    add_by_label(codes, np.broadcast_to(np.int64(1), codes.size), first[1:])
    np.cumsum(first, out=first)
    rows = np.empty(codes.size, np.int32 if codes.size < np.iinfo(np.int32).max else np.int64)
    arrange(codes, first[:-1].copy(), rows)
    count, start = np.zeros(codes.size, np.int32), np.zeros(groups + 1, np.int64)
    weights, errors = np.zeros(codes.size), np.zeros(codes.size)
    used = add_up(first, rows, column, error, ones, bins, start, count, weights, errors)
    return GroupSums(start, count[:used], weights[:used], errors[:used])


@compiled(nogil=True)
def add_cells(codes, column, error, weight, weights, errors):
    """Add up weights and errors in a table of all groups and bins, which fits in the cache."""
    for j in range(codes.size):
        w = weight[j] if weight.size > 1 else weight[0]
        g, i = codes[j], column[j]
        weights[g, i] += w
        errors[g, i] += w * np.rint(np.float64(error[j]) / STEP) * STEP


@compiled(nogil=True)
def arrange(codes, position, rows):
    """Fill in the rows in the order of their groups."""
    for j in range(codes.size):
        rows[position[codes[j]]] = j
        position[codes[j]] += 1


@compiled(nogil=True)
def add_up(first, rows, column, error, weight, bins, start, out, weights, errors):
    """Fill the compressed rows; bins of a group are in ascending order."""
    held_weight = np.zeros(bins)
    held_error = np.zeros(bins)
    used = 0
    for g in range(first.size - 1):
        start[g] = used
        for j in range(first[g], first[g + 1]):
            row = rows[j]
            i = column[row]
            w = weight[row] if weight.size > 1 else weight[0]
            if held_weight[i] == 0.0:
                out[used] = i
                used += 1
            held_weight[i] += w
            held_error[i] += w * np.rint(np.float64(error[row]) / STEP) * STEP
        touched = out[start[g] : used]
        touched.sort()
        for k in range(start[g], used):
            i = out[k]
            weights[k], errors[k] = held_weight[i], held_error[i]
            held_weight[i] = 0.0
            held_error[i] = 0.0
    start[-1] = used
    return used


def resample(
    start: Int,
    column: Int,
    value: Float,
    linear: Float,
    bins: int,
    replicates: int,
    seed: int,
) -> tuple[Float, Float]:
    """Draw groups with replacement; return Σ value per bin and Σ linear of each replicate.

    `value` belongs to the compressed rows and `linear` (groups × k) to the groups. Each block of
    replicates has its own random stream, so the result does not depend on the threads.
    """
    blocks = -(-replicates // LANES)
    sums = np.zeros((blocks, bins, LANES))
    lines = np.zeros((blocks, linear.shape[1], LANES))

    def some(first: int, last: int) -> None:
        draw_blocks(start, column, value, linear, np.uint64(seed), first, last, sums, lines)

    share_out(some, blocks, column.size + linear.size + start.size)
    flat = [a.transpose(0, 2, 1).reshape(blocks * LANES, -1)[:replicates] for a in (sums, lines)]
    return flat[0], flat[1]


def share_out(work: Callable[[int, int], None], blocks: int, cost: int) -> None:
    """Run `work(first, last)` over all blocks; in parallel, if that is worth the threads.

    `cost` is the number of values that one block adds up.
    """
    parts = min(workers(), blocks) if blocks * cost > WORTH_THREADS else 1
    ends = [blocks * k // parts for k in range(parts + 1)]
    if parts == 1:
        work(0, blocks)
    else:
        with ThreadPoolExecutor(parts) as pool:
            list(pool.map(work, ends[:-1], ends[1:]))


@compiled(inline="always")
def mix(x):
    """Mix the bits of a 64-bit number (the finaliser of splitmix64)."""
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


@compiled(nogil=True)
def draw(start, column, value, linear, seed, block, sums, lines):
    """Draw one block of LANES replicates."""
    groups = start.size - 1
    times = np.zeros((groups, LANES))
    golden = np.uint64(0x9E3779B97F4A7C15)
    state = mix(mix(seed + golden) ^ (block * golden + np.uint64(1)))
    many = np.uint64(groups)
    for lane in range(LANES):
        for _ in range(groups):
            state += golden
            # the high half of a 32 × 32 bit product is uniform on 0 … groups − 1
            pick = ((mix(state) >> np.uint64(32)) * many) >> np.uint64(32)
            times[np.int64(pick), lane] += 1.0
    for g in range(groups):
        for k in range(start[g], start[g + 1]):
            i = column[k]
            v = value[k]
            for lane in range(LANES):
                sums[i, lane] += times[g, lane] * v
        for k in range(linear.shape[1]):
            for lane in range(LANES):
                lines[k, lane] += times[g, lane] * linear[g, k]


@compiled(nogil=True)
def draw_blocks(start, column, value, linear, seed, first, last, sums, lines):
    """Draw several blocks."""
    for k in range(first, last):
        draw(start, column, value, linear, seed, np.uint64(k), sums[k], lines[k])


class Effects(NamedTuple):
    """What a compressed row adds: (own · value + shift[bin] · weight) / scale[bin]."""

    value: Float
    weight: Float
    own: float
    shift: Float
    scale: Float

    @classmethod
    def plain(cls, value: Float, bins: int) -> "Effects":
        """The values themselves."""
        return cls(value, value, 1.0, np.zeros(bins), np.ones(bins))

    def of_rows(self, column: Labels) -> Float:
        """What each compressed row adds to its bin."""
        found = np.empty(column.size)
        add_effects(column, *self, found)
        return found


def flip(
    start: Int,
    column: Labels,
    effects: Effects,
    replicates: int,
    seed: int,
    *,
    normal: bool = False,
    first: int = 0,
) -> Float:
    """Σ ± effect per bin, with a random sign for each group; one row per replicate.

    With `normal`, each group gets a normal variable instead of a sign. The same seed gives the
    same variables to the same groups, whatever their effects. The replicates begin with the one
    numbered `first`, a multiple of LANES.
    """
    blocks, before = -(-replicates // LANES), first // LANES
    sums = np.zeros((blocks, effects.scale.size, LANES))
    rows = effects.of_rows(column)

    def some(begin: int, end: int) -> None:
        flip_blocks(start, column, rows, np.uint64(seed), before, begin, end, normal, sums)

    share_out(some, blocks, column.size + start.size)
    return sums.transpose(0, 2, 1).reshape(blocks * LANES, -1)[:replicates]


@compiled(nogil=True)
def add_effects(column, value, weight, own, shift, scale, found):
    """Fill in what each compressed row adds to its bin."""
    for k in range(column.size):
        i = column[k]
        found[k] = (own * value[k] + shift[i] * weight[k]) / scale[i]


@compiled(nogil=True)
def flip_block(start, column, effect, seed, block, normal, sums):
    """Multiply each group by one variable per lane, for one block of LANES replicates."""
    golden = np.uint64(0x9E3779B97F4A7C15)
    state = mix(mix(seed + golden) ^ (block * golden + np.uint64(1)))
    factor = np.zeros(LANES)
    for g in range(start.size - 1):
        state += golden
        drawn = mix(state)
        if normal:
            state += golden
            bell(drawn, mix(state), factor)
        else:
            for lane in range(LANES):
                factor[lane] = 1.0 if (drawn >> np.uint64(lane + 40)) & np.uint64(1) else -1.0
        for k in range(start[g], start[g + 1]):
            i, e = column[k], effect[k]
            for lane in range(LANES):
                sums[i, lane] += factor[lane] * e


@compiled(nogil=True)
def flip_blocks(start, column, effect, seed, before, first, last, normal, sums):
    """Flip several blocks; `before` of them come before the first."""
    for k in range(first, last):
        block = np.uint64(before + k)
        flip_block(start, column, effect, seed, block, normal, sums[k])


@compiled(inline="always")
def bell(one, other, factor):
    """Eight nearly normal variables from 128 random bits: 16 bits each, counted and scaled."""
    for half in range(2):
        x = one if half == 0 else other
        x = x - ((x >> np.uint64(1)) & np.uint64(0x5555555555555555))
        x = (x & np.uint64(0x3333333333333333)) + (
            (x >> np.uint64(2)) & np.uint64(0x3333333333333333)
        )
        x = (x + (x >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
        x = (x + (x >> np.uint64(8))) & np.uint64(0x001F001F001F001F)
        for k in range(4):
            ones = (x >> np.uint64(16 * k)) & np.uint64(0x1F)
            factor[4 * half + k] = (np.float64(ones) - 8.0) / 2.0


@compiled(nogil=True)
def contents(start, column, weight, value, middle, out):
    """Sums over each group that tell groups apart: five even ones, then four odd ones."""
    for g in range(start.size - 1):
        for k in range(start[g], start[g + 1]):
            place = column[k] - middle
            v, w = value[k], weight[k]
            out[0, g] += v * v
            out[1, g] += w
            out[2, g] += v * v * (place * place)
            out[3, g] += w * (place * place)
            out[4, g] += w * w
            out[5, g] += v
            out[6, g] += v * place
            out[7, g] += w * place
            out[8, g] += v * v * place


@compiled(nogil=True)
def move(start, order, old, new):
    """Copy the compressed rows of each group to its place in another order of groups."""
    at = 0
    for g in order:
        for k in range(start[g], start[g + 1]):
            new[at] = old[k]
            at += 1


@compiled(nogil=True)
def sum_groups(start, column, weight, total, factor, out):
    """Σ weight / total · factor[bin] of each group."""
    for g in range(start.size - 1):
        for k in range(start[g], start[g + 1]):
            out[g] += weight[k] / total * factor[column[k]]


@compiled(nogil=True)
def bin_squares(column, weight, residual, mean, out):
    """Σ weight², Σ error² and Σ residual² of each bin; mean · weight + residual is the error."""
    for k in range(column.size):
        i = column[k]
        error = residual[k] + weight[k] * mean[i]
        out[0, i] += weight[k] * weight[k]
        out[1, i] += error * error
        out[2, i] += residual[k] * residual[k]


@compiled(nogil=True)
def subtract_means(column, weight, error, mean):
    """Turn errors into residuals, in place."""
    for k in range(column.size):
        error[k] -= weight[k] * mean[column[k]]


@compiled(nogil=True)
def outer_sums(start, column, value, bins):
    """Σ over groups of value_i · value_j, for every pair of bins."""
    sums = np.zeros((bins, bins))
    for g in range(start.size - 1):
        for a in range(start[g], start[g + 1]):
            for b in range(start[g], start[g + 1]):
                sums[column[a], column[b]] += value[a] * value[b]
    return sums


@compiled(nogil=True)
def quadratic_forms(start, column, value, matrix):
    """Σ value_i · value_j · matrix_ij of each group."""
    found = np.zeros(start.size - 1)
    for g in range(start.size - 1):
        for a in range(start[g], start[g + 1]):
            for b in range(start[g], start[g + 1]):
                found[g] += value[a] * value[b] * matrix[column[a], column[b]]
    return found


def resample_means(total: Float, weight: Float, replicates: int, seed: int) -> Float:
    """Resample groups with these sums and weights; return the mean of each replicate."""
    start, none = np.zeros(total.size + 1, np.int64), np.zeros(0, np.int64)
    linear = np.column_stack([total, weight])
    _, sums = resample(start, none, np.zeros(0), linear, 0, replicates, seed)
    found: Float = sums[:, 0] / sums[:, 1]
    return found
