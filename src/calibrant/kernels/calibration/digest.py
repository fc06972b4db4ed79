"""Sums over distinct predictions in ascending order, from which many analyses follow.

Logits are summed over narrow cells, as powers of the distance from the middle of the cell. Two
points with weights reproduce the sums of all powers up to the third, so the sum of any smooth
function over the pairs of a cell is that over its two points, but for rounding.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibrant.kernels.compiled import compiled
from calibrant.kernels.in_order import Ties

PER_UNIT = 2048.0  # cells per unit of the logit: half a width is below 10⁻³·⁶, to the fourth 10⁻¹⁴
POWERS = 4  # sums of the powers 0 to 3
ALIKE = 1e-15  # smaller variances, in squared widths of cells, are rounding errors

Float = NDArray[np.float64]


class Stretch(NamedTuple):
    """Sums over a stretch of distinct predictions, in ascending order."""

    weight: float
    positive: float
    distinct: float  # predictions that have a logit
    walk: float  # Σ (positive − weight · q), and its largest and smallest value on the way
    top: float
    bottom: float
    steps: float  # Σ |positive − weight · q|
    noise: float  # Σ weight · q(1 − q)
    side: float  # Σ (positive − weight · q)(1 − 2q), and its variance
    side_noise: float
    q_yes: float  # mean and sum of squared distances of q, where y = 1 and where y = 0
    q_yes_squares: float
    q_no: float
    q_no_squares: float
    over_no: float  # the same for the share of y = 0 below each y = 1 (ties count half),
    over_no_squares: float
    under_yes: float  # and for the share of y = 1 above each y = 0
    under_yes_squares: float
    zero: float  # weight of q = 0 and of q = 1
    zero_positive: float  # wrong ones
    one: float
    one_negative: float
    first_yes: float  # smallest and largest q between 0 and 1 with y = 1, and with y = 0
    last_yes: float
    first_no: float
    last_no: float


def sum_up(ties: Ties, yes: float, no: float) -> tuple[Stretch, Float]:
    """Sums over these predictions, and of the powers of their logits in each cell.

    `yes` and `no` are the weights of both outcomes in all pairs. The rows of the second result
    are the number of the cell, and the sums of powers where y = 1 and where y = 0.
    """
    out = np.zeros(len(Stretch._fields))
    cells = np.zeros((ties.q.size, 1 + 2 * POWERS))
    seen = ties.positive_below, ties.below - ties.positive_below
    used = add_ordered(ties.q, ties.weight, ties.positive, *seen, yes, no, out, cells)
    return Stretch(*out.tolist()), cells[:used].copy()


@compiled(nogil=True)
def add_ordered(q, weight, positive, seen_yes, seen_no, yes, no, out, cells):
    """Fill in all sums; return how many cells there are."""
    used = 0
    last = -math.inf
    walk = top = bottom = steps = noise = side = side_noise = distinct = 0.0
    top, bottom = -math.inf, math.inf
    first_yes, last_yes, first_no, last_no = math.inf, -math.inf, math.inf, -math.inf
    sums = np.zeros((4, 2))  # q of both outcomes, then placements of both, relative to the first
    held = np.zeros(2)
    many_yes, many_no = max(yes, 1e-300), max(no, 1e-300)
    start_q, start_over, start_under = q[0], seen_no / many_no, 1.0 - seen_yes / many_yes
    for j in range(q.size):
        p, w, k = q[j], weight[j], positive[j]
        rest = w - k
        step = k - w * p
        walk += step
        steps += abs(step)
        top, bottom = max(top, walk), min(bottom, walk)
        chance = w * p * (1.0 - p)
        noise += chance
        side += step * (1.0 - 2.0 * p)
        side_noise += chance * (1.0 - 2.0 * p) ** 2
        away = p - start_q
        over = (seen_no + rest / 2.0) / many_no - start_over
        under = 1.0 - (seen_yes + k / 2.0) / many_yes - start_under
        sums[0, 0] += k * away
        sums[0, 1] += k * away * away
        sums[1, 0] += rest * away
        sums[1, 1] += rest * away * away
        sums[2, 0] += k * over
        sums[2, 1] += k * over * over
        sums[3, 0] += rest * under
        sums[3, 1] += rest * under * under
        held[0] += k
        held[1] += rest
        seen_yes += k
        seen_no += rest
        if p == 0.0:
            out[18], out[19] = w, k
        elif p == 1.0:
            out[20], out[21] = w, rest
        else:
            distinct += 1.0
            if k > 0.0:
                first_yes, last_yes = min(first_yes, p), p
            if rest > 0.0:
                first_no, last_no = min(first_no, p), p
            x = math.log(p / (1.0 - p)) * PER_UNIT  # 1 − p is rounded once: 10⁻¹⁶ of the odds
            cell = math.floor(x)
            if cell != last:
                cells[used, 0] = cell
                last = cell
                used += 1
            u = x - cell - 0.5
            for power in range(POWERS):
                cells[used - 1, 1 + power] += k
                cells[used - 1, 1 + POWERS + power] += rest
                k *= u
                rest *= u
    out[0], out[1], out[2] = held[0] + held[1], held[0], distinct
    out[3], out[4], out[5], out[6] = walk, top, bottom, steps
    out[7], out[8], out[9] = noise, side, side_noise
    starts = (start_q, start_q, start_over, start_under)
    for i in range(4):
        n = max(held[i % 2], 1e-300)
        mean = sums[i, 0] / n
        out[10 + 2 * i] = starts[i] + mean
        out[11 + 2 * i] = max(sums[i, 1] - mean * sums[i, 0], 0.0)
    out[22], out[23], out[24], out[25] = first_yes, last_yes, first_no, last_no
    return used


def two_points(cell: Float, powers: Float) -> tuple[Float, Float]:
    """Logits and weights of the points that stand for each cell; a weight may be 0.

    `powers` has the sums of the powers 0 to 3 of each cell. The points are those of the Gaussian
    quadrature of its pairs.
    """
    weight = powers[:, 0]
    safe = np.where(weight > 0, weight, 1.0)
    mean, square, cube = (powers[:, k] / safe for k in (1, 2, 3))
    variance = np.maximum(square - mean**2, 0.0)
    third = cube - 3 * mean * square + 2 * mean**3
    lean = np.clip(np.where(variance > ALIKE, third / np.maximum(variance, ALIKE), 0.0), -1, 1)
    half = np.sqrt(lean**2 + 4 * variance) / 2
    above = np.where(half > 0, (half - lean / 2) / np.where(half > 0, 2 * half, 1.0), 1.0)
    middle = cell + 0.5 + mean + lean / 2
    x = np.concatenate([middle - half, middle + half]) / PER_UNIT
    return x, np.concatenate([weight * (1 - above), weight * above])
