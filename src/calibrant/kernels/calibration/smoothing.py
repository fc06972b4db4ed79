"""Local regression of binary outcomes on a grid: Nadaraya–Watson and local-linear logistic.

The data are cells: position x (ascending), number of pairs n and of positives k in each. Weights
are Gaussian, exp(−u²/2) with u = (x_j − x)/h, so that n · weight counts pairs. If there is too
little information near a point (Σ weight · n · p(1−p) < LEAST), the bandwidth grows there until
there is enough. This p comes from one straight line through all cells, since a local estimate
may be 0.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibrant.kernels.compiled import compiled
from calibrant.kernels.exponential import expit, fill_gaussian, fill_logistic

LEAST = 5.0  # minimum information behind a point: twenty pairs, half of them positive
WIDER = 1.25  # factor by which a bandwidth grows if there is too little information
WIDENINGS = 4000  # maximum: growing from NARROW to 1000 times the range of logits takes 3160
NARROW = 1e-300  # minimum bandwidth to grow from: smaller numbers times WIDER do not change
REACH = 8.6  # bandwidths beyond which a weight is below 1e-16
STEPS = 60  # maximum Newton steps; five or six are typical
LIMIT = 2.0  # maximum change per step of the logit at the point and one bandwidth away
EMPTY = 1e-300  # less information counts as none, to avoid division by 0
ALIKE = 1e-12  # relative determinant below which positions are too close to fit a slope
CORRECTIONS = 4  # corrections of a leave-one-out fit; each squares the error
SETTLED = 1e-6  # a smaller step leaves an error of about its square
NEAR = 4e-3  # changes of the logit below this follow from three derivatives, to 1e-8

SUMS = {"reassoc", "nsz", "contract", "arcp"}  # lets the compiler vectorise sums

Float = NDArray[np.float64]


class Fits(NamedTuple):
    """A local fit at each of several points."""

    level: Float  # the logit (local likelihood) or the frequency (kernel) at the point
    slope: Float
    width: Float  # the bandwidth that was used
    weight: Float  # Σ weight · n


def fit_points(x: Float, n: Float, k: Float, at: Float, h: float, linear: bool) -> Fits:
    """Fit at every point of `at`: local-linear logistic, or a weighted mean."""
    out = np.zeros((4, at.size))
    fit_all(x, n, k, known(x, n, k), at, h, linear, out)
    return Fits(*out)


@compiled(nogil=True)
def known(x, n, k):
    """The information of each cell, n · p(1−p), with p from a line on the logit scale."""
    level, slope = start(n, k)
    centre = (n * x).sum() / n.sum()
    spread = np.sqrt((n * (x - centre) ** 2).sum() / n.sum()) + 1e-12
    level, slope, _ = newton(x, n, k, np.ones(x.size), 0, x.size, centre, spread, level, slope)
    found = np.zeros(x.size)
    for j in range(x.size):
        p = expit(level + slope * (x[j] - centre))
        found[j] = n[j] * p * (1.0 - p)
    return found


@compiled(inline="always")
def window(x, x0, h, weight):
    """Fill the weights of the cells near x0; return the first and the last of them plus one."""
    low = np.searchsorted(x, x0 - REACH * h)
    high = np.searchsorted(x, x0 + REACH * h, side="right")
    fill_gaussian(x[low:high], x0, h, weight[low:high])
    return low, high


@compiled(nogil=True, fastmath=SUMS)
def derivatives(x, n, k, weight, x0, p):
    """Sums of the first, second and third derivatives of the likelihood."""
    s0 = s1 = j00 = j01 = j11 = t0 = t1 = t2 = t3 = 0.0
    for j in range(x.size):
        d = x[j] - x0
        r = weight[j] * (k[j] - n[j] * p[j])
        v = weight[j] * n[j] * p[j] * (1.0 - p[j])
        c = v * (1.0 - 2.0 * p[j])
        s0 += r
        s1 += r * d
        j00 += v
        j01 += v * d
        j11 += v * d * d
        t0 += c
        t1 += c * d
        t2 += c * d * d
        t3 += c * d * d * d
    return s0, s1, (j00, j01, j11, t0, t1, t2, t3)


@compiled(nogil=True)
def newton(x, n, k, weight, low, high, x0, h, level, slope):
    """Maximise Σ weight (k η − n log(1 + e^η)) with η = level + slope (x − x0).

    If the cells do not determine a slope, it is kept. Also returns the sums of the second and third
    derivatives: Σ v d⁰, v d¹, v d² and Σ c d⁰, ..., c d³ with d = x − x0.
    """
    reach = min(h, x[high - 1] - x[low]) if high > low else h
    x, n, k, weight = x[low:high], n[low:high], k[low:high], weight[low:high]
    p = np.empty(x.size)
    j00 = j01 = j11 = t0 = t1 = t2 = t3 = 0.0
    for _ in range(STEPS):
        fill_logistic(x, x0, level, slope, p)
        s0, s1, (j00, j01, j11, t0, t1, t2, t3) = derivatives(x, n, k, weight, x0, p)
        if j00 < EMPTY:
            break
        up, turn = solve(j00, j01, j11, s0, s1)
        size = max(abs(up), abs(turn) * reach)
        if size > LIMIT:
            up *= LIMIT / size
            turn *= LIMIT / size
        level += up
        slope += turn
        if size < SETTLED * (1.0 + abs(level)):
            break
    return level, slope, (j00, j01, j11, t0, t1, t2, t3)


@compiled(inline="always")
def solve(j00, j01, j11, s0, s1):
    """The Newton step for second derivatives j and slopes s."""
    det = j00 * j11 - j01 * j01
    if det > ALIKE * j00 * j11 and det > 0.0:
        return (j11 * s0 - j01 * s1) / det, (j00 * s1 - j01 * s0) / det
    return s0 / j00, 0.0


@compiled(nogil=True)
def without(level, one, y, sums):
    """How level and slope change if a pair (or part of one) at the point is left out.

    Uses derivatives of the likelihood up to the third, so it does not visit the cells.
    """
    j00, j01, j11, t0, t1, t2, t3 = sums
    p = expit(level)
    v = one * p * (1.0 - p)
    j00 -= v
    t0 -= v * (1.0 - 2.0 * p)
    s0 = -one * (y - p)
    up = turn = 0.0
    if j00 <= EMPTY:
        return 1.0, 0.0  # the approximation fails: refit from the cells
    for _ in range(CORRECTIONS):
        bend0 = t0 * up * up + 2.0 * t1 * up * turn + t2 * turn * turn
        bend1 = t1 * up * up + 2.0 * t2 * up * turn + t3 * turn * turn
        g0 = s0 - j00 * up - j01 * turn - 0.5 * bend0
        g1 = -j01 * up - j11 * turn - 0.5 * bend1
        more, tilt = solve(j00, j01, j11, g0, g1)
        up += more
        turn += tilt
    return up, turn


@compiled(nogil=True)
def mean(n, k, weight, low, high):
    """The weighted frequency."""
    total = positive = 0.0
    for j in range(low, high):
        total += weight[j] * n[j]
        positive += weight[j] * k[j]
    return positive / total if total > 0 else 0.5


@compiled(nogil=True)
def enough(x, spread, x0, h, weight):
    """The smallest bandwidth from h on with enough information, and its window of cells."""
    widest = 1e3 * (x[-1] - x[0])
    low, high = window(x, x0, h, weight)
    for _ in range(WIDENINGS):
        information = 0.0
        for j in range(low, high):
            information += weight[j] * spread[j]
        if information >= LEAST or h >= widest:
            break
        h = max(h * WIDER, NARROW)
        low, high = window(x, x0, h, weight)
    return h, low, high


@compiled(nogil=True)
def fit_all(x, n, k, spread, at, h, linear, out):
    """Fit at all points; each fit starts from the solution of the previous one."""
    weight = np.zeros(x.size)
    level, slope = start(n, k)
    for i in range(at.size):
        width, low, high = enough(x, spread, at[i], h, weight)
        total = 0.0
        for j in range(low, high):
            total += weight[j] * n[j]
        if linear:
            level += slope * (at[i] - at[i - 1]) if i > 0 else 0.0
            level, slope, _ = newton(x, n, k, weight, low, high, at[i], width, level, slope)
        else:
            level = mean(n, k, weight, low, high)
        out[0, i] = level
        out[1, i] = slope
        out[2, i] = width
        out[3, i] = total


@compiled(nogil=True)
def start(n, k):
    """The start of Newton's method: the logit of the base rate, and a slope of 0."""
    total, positive = n.sum(), k.sum()
    return np.log((positive + 0.5) / (total - positive + 0.5)), 0.0


@compiled(nogil=True)
def leave_one_out(x, n, k, h, linear, out):
    """The loss of each cell if each of its pairs is predicted from all others.

    The loss is the negative log-likelihood for logistic fits, the squared error for means. Pairs
    with the same cell and outcome share their fit, so two more fits per cell are exact. If leaving
    out a pair changes little, these fits are derived from the first one.
    """
    spread = known(x, n, k)
    n, k = n.copy(), k.copy()
    weight = np.zeros(x.size)
    level, slope = start(n, k)
    sums = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    for i in range(x.size):
        width, low, high = enough(x, spread, x[i], h, weight)
        if linear:
            level += slope * (x[i] - x[i - 1]) if i > 0 else 0.0
            level, slope, sums = newton(x, n, k, weight, low, high, x[i], width, level, slope)
        for y in range(2):
            many = k[i] if y == 1 else n[i] - k[i]
            if many <= 0.0:
                continue
            one = min(1.0, many)
            n[i] -= one
            k[i] -= one * y
            if linear:
                up, turn = without(level, one, y, sums)
                found = level + up
                size = max(abs(up), abs(turn) * width)
                if size > NEAR:
                    if size > 0.5:
                        up = turn = 0.0
                    found, _, _ = newton(
                        x, n, k, weight, low, high, x[i], width, level + up, slope + turn
                    )
                out[i] += many * log_loss(found, y)
            else:
                out[i] += many * (y - mean(n, k, weight, low, high)) ** 2
            n[i] += one
            k[i] += one * y


@compiled(nogil=True)
def leave_folds_out(x, n, k, fold_n, fold_k, h, linear, out):
    """The loss of each cell if each fold of groups is predicted from the other folds.

    Each fold has its own fit, which starts from that of the previous cell; all share the weights.
    """
    spread = known(x, n, k)
    others_n, others_k = n - fold_n, k - fold_k
    weight = np.zeros(x.size)
    level, slope = np.zeros(fold_n.shape[0]), np.zeros(fold_n.shape[0])
    for f in range(fold_n.shape[0]):
        level[f], slope[f] = start(others_n[f], others_k[f])
    for i in range(x.size):
        if i > 0:
            level += slope * (x[i] - x[i - 1])
        width, low, high = enough(x, spread, x[i], h, weight)
        for f in np.flatnonzero(fold_n[:, i] > 0.0):
            negative = fold_n[f, i] - fold_k[f, i]
            if linear:
                level[f], slope[f], _ = newton(
                    x, others_n[f], others_k[f], weight, low, high, x[i], width, level[f], slope[f]
                )
                out[i] += fold_k[f, i] * log_loss(level[f], 1) + negative * log_loss(level[f], 0)
            else:
                p = mean(others_n[f], others_k[f], weight, low, high)
                out[i] += fold_k[f, i] * (1.0 - p) ** 2 + negative * p**2


@compiled(inline="always")
def log_loss(level, y):
    """−log of the probability that a logit gives to an outcome."""
    z = -level if y == 1 else level
    return z + np.log1p(np.exp(-z)) if z > 0 else np.log1p(np.exp(z))


@compiled(nogil=True)
def refit(x, n, k, at, width, level, slope, linear, out):
    """Fit resampled cells at the same points and bandwidths; n and k have a row per replicate."""
    weight = np.zeros(x.size)
    for i in range(at.size):
        low, high = window(x, at[i], width[i], weight)
        for r in range(n.shape[0]):
            if linear:
                out[r, i], _, _ = newton(
                    x, n[r], k[r], weight, low, high, at[i], width[i], level[i], slope[i]
                )
            else:
                out[r, i] = mean(n[r], k[r], weight, low, high)


@compiled(nogil=True)
def influence(x, n, at, width, level, slope, linear, out):
    """How far the fit at each point moves if a cell has one more positive than expected."""
    weight = np.zeros(x.size)
    for i in range(at.size):
        low, high = window(x, at[i], width[i], weight)
        total = j00 = j01 = j11 = 0.0
        for j in range(low, high):
            d = x[j] - at[i]
            p = expit(level[i] + slope[i] * d)
            v = weight[j] * n[j] * p * (1.0 - p)
            total += weight[j] * n[j]
            j00 += v
            j01 += v * d
            j11 += v * d * d
        det = j00 * j11 - j01 * j01
        p = expit(level[i])
        for j in range(low, high):
            if not linear:
                out[i, j] = weight[j] / total
            elif det > ALIKE * j00 * j11 and det > 0.0:
                d = x[j] - at[i]
                out[i, j] = p * (1.0 - p) * weight[j] * (j11 - j01 * d) / det
            elif j00 > 0.0:
                out[i, j] = p * (1.0 - p) * weight[j] / j00
