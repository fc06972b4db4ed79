"""Chains of unary rules, summed over all their lengths."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibrant.errors import InputError

Float = NDArray[np.float64]
Int = NDArray[np.int64]
LARGEST = 1e12  # a larger sum has lost most of its precision
NOISE = 1e-9  # rounding errors of inverting a matrix with sums up to LARGEST that are not signs
Rows = tuple[Int, Int, Float, Float]  # where each symbol's rows start; the other symbol; sum; best


class Chains(NamedTuple):
    """The probability of all chains of unary rules between any two symbols.

    With U the matrix of unary rules the sums are (I − U)⁻¹ = I + U + U² + …: exact and finite,
    cycles included, as long as no cycle has a probability of 1 or more.
    """

    single: Float  # U, dense, over the symbols that unary rules have
    total: Float
    best: Float
    place: Int  # index of each symbol among these; −1 for others
    up: Rows  # by the lower symbol
    down: Rows  # by the upper symbol


def close_chains(symbols: int, parent: Int, child: Int, p: Float) -> Chains:
    """Sum and maximise over all chains."""
    from calibrant.kernels.trees.chart import best_chains

    index = np.full(symbols, -1)
    used = np.unique(np.concatenate([parent, child]))
    index[used] = np.arange(used.size)
    unary = np.zeros((used.size, used.size))
    np.add.at(unary, (index[parent], index[child]), p)
    total = _sums(unary)
    # best_chains would not end on a cycle that gains, but _sums has refused those
    best = best_chains(used.size, index[parent], index[child], np.asarray(p, np.float64))
    total = np.where(best > 0, np.maximum(total, best), 0.0)  # removes rounding errors
    return Chains(unary, total, best, index, *_both_ways(symbols, used, total, best))


def _sums(unary: Float) -> Float:
    """(I − U)⁻¹, which has a negative entry if the sums of chains are infinite."""
    size = unary.shape[0]
    if size == 0:
        return unary
    try:
        total = np.asarray(np.linalg.inv(np.eye(size) - unary), np.float64)
    except np.linalg.LinAlgError:
        total = np.full((size, size), np.nan)
    finite = np.isfinite(total).all() and total.max() <= LARGEST
    # the empty chain has probability 1, so the diagonal is at least 1 if sums are finite
    if not (finite and (total > -NOISE).all() and (total.diagonal() > 1 - NOISE).all()):
        raise InputError(
            "The probabilities of chains of unary rules must have a finite sum, but a cycle of "
            "them has a probability of 1 or more, or very nearly so."
        )
    return total


def _both_ways(symbols: int, used: Int, total: Float, best: Float) -> tuple[Rows, Rows]:
    above, below = np.nonzero(total)
    rest = np.setdiff1d(np.arange(symbols), used)
    ones = np.ones(rest.size)
    upper = np.concatenate([used[above], rest])
    lower = np.concatenate([used[below], rest])
    sums = np.concatenate([total[above, below], ones])
    most = np.concatenate([best[above, below], ones])
    return (
        _grouped(symbols, lower, upper, sums, most),
        _grouped(symbols, upper, lower, sums, most),
    )


def _grouped(symbols: int, by: Int, other: Int, sums: Float, most: Float) -> Rows:
    order = np.lexsort((other, by))
    start = np.searchsorted(by[order], np.arange(symbols + 1))
    return start, other[order], sums[order], most[order]


def returns(chains: Chains, members: Int) -> tuple[Int, Int, Float]:
    """The probability of chains from one member to the next, with no member in between.

    Either in one step, or through symbols that are not members: U + U (I − U)⁻¹ U, where the middle
    runs over those symbols. All terms are positive, so rare steps are as exact as common ones.
    """
    here = members[chains.place[members] >= 0]
    rows = chains.place[here]
    between = (chains.best[rows] > 0).any(axis=0) & (chains.best[:, rows] > 0).any(axis=1)
    others = np.setdiff1d(np.flatnonzero(between), rows)
    down, up = chains.single[np.ix_(rows, others)], chains.single[np.ix_(others, rows)]
    around = np.eye(others.size) - chains.single[np.ix_(others, others)]
    found = chains.single[np.ix_(rows, rows)] + down @ np.linalg.solve(around, up)
    # remove rounding errors where there is no chain
    steps = (found > 0) & (chains.best[np.ix_(rows, rows)] > 0)
    one, other = np.nonzero(steps)
    return here[one], here[other], found[steps]


def marked_chains(chains: Chains, marked: NDArray[np.bool_]) -> Rows:
    """The probability of all chains without a marked symbol, and of those with one or more.

    By the lower symbol, as in `Chains.up`, with these two sums in the place of sum and best. Chains
    with a marked symbol are those up to the first of them, times all that go on from it, so nothing
    is subtracted.
    """
    used = np.flatnonzero(chains.place >= 0)
    its = marked[used[np.argsort(chains.place[used])]]
    free, held = np.flatnonzero(~its), np.flatnonzero(its)
    avoid, hit = np.zeros_like(chains.total), np.zeros_like(chains.total)
    hit[held] = chains.total[held]
    if free.size:
        among = np.ix_(free, free)
        inner = _sums(chains.single[among])
        inner = np.where(chains.best[among] > 0, np.maximum(inner, 0.0), 0.0)
        avoid[among] = inner
        hit[free] = inner @ chains.single[np.ix_(free, held)] @ chains.total[held]
    return _marked_rows(chains, marked, avoid, hit)


def _marked_rows(chains: Chains, marked: NDArray[np.bool_], avoid: Float, hit: Float) -> Rows:
    symbols = marked.size
    used = np.flatnonzero(chains.place >= 0)
    used = used[np.argsort(chains.place[used])]
    above, below = np.nonzero(avoid + hit)
    rest = np.flatnonzero(chains.place < 0)
    alone = marked[rest].astype(np.float64)
    upper = np.concatenate([used[above], rest])
    lower = np.concatenate([used[below], rest])
    without = np.concatenate([avoid[above, below], 1 - alone])
    within = np.concatenate([hit[above, below], alone])
    return _grouped(symbols, lower, upper, without, within)
