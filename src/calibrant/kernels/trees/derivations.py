"""Extract single parses from a chart: the best one, or random samples."""

import numpy as np

from calibrant.kernels.compiled import compiled
from calibrant.kernels.trees.chart import BEST, cell, chart

WORD, UNARY, BINARY = 0, 1, 2
MORE = 1.0 + 1e-12  # a smaller ratio is due to rounding


@compiled(nogil=True)
def next_uniform(state):
    """A number in [0, 1), by splitmix64 (Steele, Lea & Flood 2014)."""
    state[0] += np.uint64(0x9E3779B97F4A7C15)
    z = state[0]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z = z ^ (z >> np.uint64(31))
    return np.float64(z >> np.uint64(11)) * 2.0**-53


@compiled(nogil=True)
def choose(mode, u, span, symbol, words, unary, by_parent, value, scale):
    """Choose the expansion of a symbol: a kind, two children, and where the second begins.

    In mode SUM, the choice at which the cumulative sum exceeds the share u of the total; in mode
    BEST, the best choice. Ties, also those that rounding hides, go to the first, and unary rules
    come last, so that no cycle is followed.
    """
    begin, end, length = span
    here = cell(begin, end, length)
    aim = u * value[here, symbol]
    reached, best = 0.0, 0.0
    kind, one, other, at = -1, 0, 0, 0
    if end == begin + 1:
        start, tag, p = words
        for r in range(start[begin], start[begin + 1]):
            if tag[r] == symbol:
                weight = p[r] * np.exp(-scale[here])
                reached += weight
                if weight > best:
                    best, kind = weight, WORD
                if mode != BEST and aim < reached:
                    return WORD, 0, 0, 0
    start, left, right, p = by_parent
    for k in range(begin + 1, end):
        a, b = cell(begin, k, length), cell(k, end, length)
        factor = np.exp(scale[a] + scale[b] - scale[here])
        if not factor > 0.0:
            continue
        for r in range(start[symbol], start[symbol + 1]):
            weight = p[r] * value[a, left[r]] * value[b, right[r]] * factor
            if not weight > 0.0:
                continue
            reached += weight
            if weight > best * MORE:
                best, kind, one, other, at = weight, BINARY, left[r], right[r], k
            if mode != BEST and aim < reached:
                return BINARY, left[r], right[r], k
    start, child, p = unary
    for r in range(start[symbol], start[symbol + 1]):
        weight = p[r] * value[here, child[r]]
        reached += weight
        if weight > best * MORE:  # in a draw, reached only by rounding
            best, kind, one, other, at = weight, UNARY, child[r], 0, 0
        if mode != BEST and aim < reached:
            return UNARY, child[r], 0, 0
    return kind, one, other, at


@compiled(nogil=True)
def derive(mode, state, length, root, words, unary, by_parent, value, scale):
    """The symbols and kinds of all nodes of one parse, parents before children, left to right."""
    symbols, kinds = np.empty(4 * length + 16, np.int64), np.empty(4 * length + 16, np.int64)
    stack = np.empty((2 * length + 16, 3), np.int64)
    stack[0] = np.array([root, 0, length])
    high, many = 1, 0
    while high > 0:
        high -= 1
        symbol, begin, end = stack[high]
        u = 0.0 if mode == BEST else next_uniform(state)
        span = (begin, end, length)
        kind, one, other, at = choose(mode, u, span, symbol, words, unary, by_parent, value, scale)
        if many == symbols.size:  # a draw may follow a cycle of unary rules many times
            symbols = np.concatenate((symbols, np.empty_like(symbols)))
            kinds = np.concatenate((kinds, np.empty_like(kinds)))
        symbols[many], kinds[many] = symbol, kind
        many += 1
        if kind == UNARY:
            stack[high, 0] = one
            high += 1
        elif kind == BINARY:
            stack[high, 0], stack[high, 1], stack[high, 2] = other, at, end
            stack[high + 1, 0], stack[high + 1, 1], stack[high + 1, 2] = one, begin, at
            high += 2
    return symbols[:many].copy(), kinds[:many].copy()


@compiled(nogil=True)
def derivations(mode, seeds, symbols, start, tag, p, root, by_pair, chains, unary, by_parent):
    """One parse per seed, concatenated, and where each begins."""
    length = start.size - 1
    value, scale, whole = chart(mode, symbols, start, tag, p, root, by_pair, chains)
    begins = np.zeros(seeds.size + 1, np.int64)
    names, kinds = np.empty(0, np.int64), np.empty(0, np.int64)
    if whole == -np.inf:
        return names, kinds, begins
    words = (start, tag, p)
    found = [derive(mode, seeds[:1].copy(), length, root, words, unary, by_parent, value, scale)]
    for s in range(1, seeds.size):
        state = seeds[s : s + 1].copy()
        found.append(derive(mode, state, length, root, words, unary, by_parent, value, scale))
    for s in range(seeds.size):
        begins[s + 1] = begins[s] + found[s][0].size
    names, kinds = np.empty(begins[-1], np.int64), np.empty(begins[-1], np.int64)
    for s in range(seeds.size):
        names[begins[s] : begins[s + 1]], kinds[begins[s] : begins[s + 1]] = found[s]
    return names, kinds, begins
