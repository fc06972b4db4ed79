"""Sums over all parses in which each constituent that counts is multiplied by a number s.

The sum for s, over the sum for 1, is E[s^X], where X is the number of spans that have a certain
label. Evaluated at complex roots of unity it is the discrete Fourier transform of the distribution
of X. The chart is filled for `POINTS` values of s at once: rows of numbers hold their real parts,
then their imaginary parts.

Most symbols of most spans are in no parse worth mentioning. Nodes are left out if their
probability is below `LOST`, so all parses with one of them together have a probability below
`LOST` times the number of nodes, about 1e-14 for 40 words and 3000 symbols.
"""

import numpy as np

from calibrant.kernels.compiled import compiled
from calibrant.kernels.trees.chart import SUM, cell, chart, outside

POINTS = 4
LOST = 1e-20


@compiled(nogil=True)
def likely_nodes(symbols, start, tag, p, root, by_pair, by_parent, up, down):
    """The symbols that each span can have, where those of each begin, and the place of each."""
    value, scale, _ = chart(SUM, symbols, start, tag, p, root, by_pair, up)
    around = np.zeros(value.shape)
    outside(start.size - 1, root, by_pair, by_parent, down, value, scale, around)
    cells = value.shape[0]
    place = np.full((cells, symbols), -1, np.int32)
    first, many = np.zeros(cells + 1, np.int64), 0
    for c in range(cells):
        first[c] = many
        for a in range(symbols):
            if value[c, a] * around[c, a] > LOST:
                place[c, a] = many
                many += 1
    first[cells] = many
    kept = np.empty(many, np.int64)
    for c in range(cells):
        for a in range(symbols):
            if place[c, a] >= 0:
                kept[place[c, a]] = a
    return first, kept, place


@compiled(nogil=True)
def list_wanted(here, by_parent, wanted, listed):
    """List the pairs of children that the symbols of a span can have; return how many."""
    start, pair, _ = by_parent
    wanted[:] = False
    many = 0
    for a in here:
        for t in range(start[a], start[a + 1]):
            r = pair[t]
            if not wanted[r]:
                wanted[r] = True
                listed[many] = r
                many += 1
    return many


@compiled(nogil=True)
def combine_pairs(listed, left, right, one, other, factor, value, weight):
    """Add the products of two neighbouring spans to each listed pair of children."""
    for r in listed:
        a, b = one[left[r]], other[right[r]]
        if a >= 0 and b >= 0:
            for m in range(POINTS):
                n = POINTS + m
                u, v = value[a, m] * factor, value[a, n] * factor
                weight[r, m] += u * value[b, m] - v * value[b, n]
                weight[r, n] += u * value[b, n] + v * value[b, m]


@compiled(nogil=True)
def raise_kept(here, by_parent, weight, base):
    """Apply the rules of the symbols of a span to its pairs of children."""
    start, pair, p = by_parent
    for n in range(here.size):
        a = here[n]
        for t in range(start[a], start[a + 1]):
            for m in range(2 * POINTS):
                base[n, m] += weight[pair[t], m] * p[t]


@compiled(nogil=True)
def close_counted(here, place, base, chains, s, value):
    """Apply chains of unary rules to a span, then scale it; return the log of the scale.

    Chains without the label keep a number as it is; chains with it multiply it by s.
    """
    start, other, avoid, hit = chains
    top = 0.0
    for n in range(here.size):
        for r in range(start[here[n]], start[here[n] + 1]):
            at = place[other[r]]
            if at < 0:
                continue
            for m in range(POINTS):
                a = avoid[r] + hit[r] * s[m]
                b = hit[r] * s[POINTS + m]
                value[at, m] += a * base[n, m] - b * base[n, POINTS + m]
                value[at, POINTS + m] += a * base[n, POINTS + m] + b * base[n, m]
    for symbol in here:
        for m in range(2 * POINTS):
            top = max(top, abs(value[place[symbol], m]))
    if not top > 0.0:
        return -np.inf
    for symbol in here:
        for m in range(2 * POINTS):
            value[place[symbol], m] /= top
    return np.log(top)


@compiled(nogil=True)
def counted_sums(start, tag, p, root, left, right, by_parent, chains, nodes, s):
    """The sum over all parses for each of the values s, and the log of a factor of all of them."""
    first, kept, place = nodes
    length = start.size - 1
    value, scale = np.zeros((kept.size, 2 * POINTS)), np.full(place.shape[0], -np.inf)
    weight = np.zeros((left.size, 2 * POINTS))
    wanted, listed = np.zeros(left.size, np.bool_), np.empty(left.size, np.int64)
    for j in range(1, length + 1):
        for i in range(j - 1, -1, -1):
            c = cell(i, j, length)
            here = kept[first[c] : first[c + 1]]
            base = np.zeros((here.size, 2 * POINTS))
            top = 0.0 if j == i + 1 else -np.inf
            if j == i + 1:
                for r in range(start[i], start[i + 1]):
                    at = place[c, tag[r]]
                    if at >= 0:
                        base[at - first[c], :POINTS] += p[r]
            for k in range(i + 1, j):
                top = max(top, scale[cell(i, k, length)] + scale[cell(k, j, length)])
            if top == -np.inf or here.size == 0:
                continue
            if j > i + 1:
                many = list_wanted(here, by_parent, wanted, listed)
                weight[listed[:many]] = 0.0
                for k in range(i + 1, j):
                    one, other = cell(i, k, length), cell(k, j, length)
                    factor = np.exp(scale[one] + scale[other] - top)
                    if factor > 0.0:
                        pairs = listed[:many]
                        combine_pairs(
                            pairs, left, right, place[one], place[other], factor, value, weight
                        )
                raise_kept(here, by_parent, weight, base)
            scale[c] = top + close_counted(here, place[c], base, chains, s, value)
    whole = cell(0, length, length)
    return value[place[whole, root]].copy(), scale[whole]
