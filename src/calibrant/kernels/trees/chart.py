"""Sum over all parses of a sentence, or find the best, for grammars of binary rules.

A chart has a row of symbols for every span (begin, end). Each row is scaled, so that long sentences
do not underflow: the true values of a row are its numbers times e^scale. Unary rules are
closed beforehand: `closure` holds, for two symbols, the sum (or the largest) of the probabilities
of all chains of unary rules from one to the other, however long, cycles included.

Many rules share their two children. So the splits of a span are summed for each pair of children,
and rules are applied once to the sums: markovised grammars have five times as many rules as pairs.
`mode` is SUM or BEST: numba cannot cache functions with function arguments on disk.
"""

import numpy as np

from calibrant.kernels.compiled import compiled

SUM, BEST = 0, 1
LEAST = 1e-290  # relative to the largest of a row: below it, outside sums could overflow


@compiled(inline="always")
def cell(begin, end, length):
    """The row of a span; spans with the same beginning are adjacent."""
    return begin * length - begin * (begin - 1) // 2 + end - begin - 1


@compiled(nogil=True)
def best_chains(count, parent, child, p):
    """The most probable chain of unary rules between any two symbols; 1 from each to itself."""
    best = np.eye(count)
    changed = True
    while changed:
        changed = False
        for r in range(parent.size):
            above, below = best[parent[r]], best[child[r]]
            for x in range(count):
                value = p[r] * below[x]
                if value > above[x] * (1.0 + 1e-12):
                    above[x] = value
                    changed = True
    return best


@compiled(nogil=True)
def close(mode, base, chains, row):
    """Apply chains of unary rules to a row, then scale it; return the log of the scale."""
    start, other, total, best = chains
    for below in range(base.size):
        x = base[below]
        if x > 0.0:
            for r in range(start[below], start[below + 1]):
                if mode == SUM:
                    row[other[r]] += x * total[r]
                else:
                    row[other[r]] = max(row[other[r]], x * best[r])
    top = row.max()
    if not top > 0.0:
        return -np.inf
    for a in range(row.size):
        row[a] /= top
        if row[a] < LEAST:
            row[a] = 0.0
    return np.log(top)


@compiled(nogil=True)
def list_left(row, pairs, out):
    """List the symbols of a row that can be left children; return how many."""
    many = 0
    for a in range(row.size):
        if row[a] > 0.0 and pairs[a + 1] > pairs[a]:
            out[many] = a
            many += 1
    return many


@compiled(nogil=True)
def combine(mode, left, active, right, factor, pairs, sibling, weight):
    """Add the products of two neighbouring rows to each pair of children."""
    for a in active:
        x = left[a] * factor
        if mode == SUM:
            for r in range(pairs[a], pairs[a + 1]):
                weight[r] += x * right[sibling[r]]
        else:
            for r in range(pairs[a], pairs[a + 1]):
                weight[r] = max(weight[r], x * right[sibling[r]])


@compiled(nogil=True)
def raise_pairs(mode, weight, rules, parent, p, base):
    """Apply all rules to the pairs of children."""
    for r in range(weight.size):
        x = weight[r]
        if x > 0.0:
            for t in range(rules[r], rules[r + 1]):
                if mode == SUM:
                    base[parent[t]] += x * p[t]
                else:
                    base[parent[t]] = max(base[parent[t]], x * p[t])


@compiled(nogil=True)
def inside(mode, start, tag, p, by_pair, chains, value, scale, active, many):
    """Fill the inside chart: for every span and symbol, the sum (or best) of its derivations.

    `start`, `tag` and `p` list the tags of each word with their probabilities. Spans with
    the same end are processed in sequence, so the right rows of their splits stay in the cache.
    """
    pairs, sibling, rules, parent, share = by_pair
    length = start.size - 1
    base, weight = np.empty(value.shape[1]), np.empty(sibling.size)
    for j in range(1, length + 1):
        for i in range(j - 1, -1, -1):
            c = cell(i, j, length)
            base[:] = 0.0
            top = -np.inf
            if j == i + 1:
                top = 0.0
                for r in range(start[i], start[i + 1]):
                    base[tag[r]] += p[r]
            for k in range(i + 1, j):
                top = max(top, scale[cell(i, k, length)] + scale[cell(k, j, length)])
            if top == -np.inf:
                continue
            if j > i + 1:
                weight[:] = 0.0
                for k in range(i + 1, j):
                    one, other = cell(i, k, length), cell(k, j, length)
                    factor = np.exp(scale[one] + scale[other] - top)
                    if factor > 0.0:
                        seen = active[one, : many[one]]
                        combine(
                            mode, value[one], seen, value[other], factor, pairs, sibling, weight
                        )
                raise_pairs(mode, weight, rules, parent, share, base)
            scale[c] = top + close(mode, base, chains, value[c])
            many[c] = list_left(value[c], pairs, active[c])


@compiled(nogil=True)
def lower(above, chains, here, row):
    """Apply chains of unary rules to outside sums, for the symbols that a span has."""
    start, other, total, _ = chains
    row[:] = 0.0
    for upper in range(above.size):
        x = above[upper]
        if x > 0.0 and here[upper] > 0.0:
            for r in range(start[upper], start[upper + 1]):
                if here[other[r]] > 0.0:
                    row[other[r]] += x * total[r]


@compiled(nogil=True)
def list_pairs(row, by_parent, pairs, sibling, gain, listed):
    """Sum over the parents of each pair of children, and list pairs with a non-zero sum.

    Pairs are grouped by left child: the left children, where their pairs start, and the right child
    and sum of each pair. Returns the number of left children.
    """
    start, pair, p = by_parent
    left, begin, right, summed = listed
    gain[:] = 0.0
    for a in range(row.size):
        if row[a] > 0.0:
            for t in range(start[a], start[a + 1]):
                gain[pair[t]] += row[a] * p[t]
    many, lefts = 0, 0
    for a in range(pairs.size - 1):
        first = many
        for r in range(pairs[a], pairs[a + 1]):
            if gain[r] > 0.0:
                right[many], summed[many] = sibling[r], gain[r]
                many += 1
        if many > first:
            left[lefts], begin[lefts] = a, first
            lefts += 1
    begin[lefts] = many
    return lefts


@compiled(nogil=True)
def spread(lefts, listed, factor, one, other, around_one, around_other):
    """Add to the outside sums of two neighbouring rows, through the listed pairs."""
    left, begin, right, summed = listed
    for s in range(lefts):
        a = left[s]
        x = one[a] * factor
        if x > 0.0:
            total = 0.0
            for r in range(begin[s], begin[s + 1]):
                total += summed[r] * other[right[r]]
                around_other[right[r]] += summed[r] * x
            around_one[a] += total * factor


@compiled(nogil=True)
def outside(length, root, by_pair, by_parent, chains, value, scale, around):
    """Fill the outside chart: for every span and symbol, the sum over its contexts.

    It is scaled so that its product with the inside sum is the expected number of nodes, which
    bounds it by that number over the smallest inside value. Only symbols with a non-zero inside sum
    below symbols of some parse are visited.
    """
    pairs, sibling = by_pair[0], by_pair[1]
    size, gain, above = sibling.size, np.empty(sibling.size), np.empty(value.shape[1])
    listed = (
        np.empty(size, np.int64),
        np.empty(size + 1, np.int64),
        np.empty(size, np.int64),
        np.empty(size),
    )
    whole = cell(0, length, length)
    around[whole, root] = 1.0 / value[whole, root]
    for j in range(length, 0, -1):
        for i in range(j):
            c = cell(i, j, length)
            above[:] = around[c]
            lower(above, chains, value[c], around[c])
            if j == i + 1:
                continue
            lefts = list_pairs(around[c], by_parent, pairs, sibling, gain, listed)
            for k in range(i + 1, j):
                one, other = cell(i, k, length), cell(k, j, length)
                factor = np.exp(scale[one] + scale[other] - scale[c])
                if factor > 0.0:
                    spread(
                        lefts, listed, factor, value[one], value[other], around[one], around[other]
                    )


@compiled(nogil=True)
def label_marginals(value, around, group, again, found):
    """The probability that a span has each label, once or several times in a chain.

    In a chain with the label, the number of nodes with the label minus the number of steps between
    them is 1. `again` lists those steps: two symbols with the label, and the probability of going
    from one to the other without the label in between. The last column of `found` is for any label.
    """
    step_label, step_from, step_to, step_p = again
    last = found.shape[1] - 1
    shown = np.flatnonzero(group >= 0)
    for c in range(value.shape[0]):
        here, there, out = value[c], around[c], found[c]
        for a in shown:
            expected = here[a] * there[a]
            out[group[a]] += expected
            out[last] += expected
        for r in range(step_label.size):
            out[step_label[r]] -= there[step_from[r]] * here[step_to[r]] * step_p[r]
        for k in range(out.size):
            out[k] = min(1.0, max(0.0, out[k]))


@compiled(nogil=True)
def tag_marginals(start, tag, p, around, scale, found):
    """The probability of each possible tag of a word, in the order of `tag`."""
    length = start.size - 1
    for i in range(length):
        c = cell(i, i + 1, length)
        factor = np.exp(-scale[c])
        for r in range(start[i], start[i + 1]):
            found[r] = min(1.0, around[c, tag[r]] * p[r] * factor)


@compiled(nogil=True)
def chart(mode, symbols, start, tag, p, root, by_pair, chains):
    """The inside chart of a sentence, and the log of its sum or of its best parse."""
    length = start.size - 1
    cells = length * (length + 1) // 2
    pairs = by_pair[0]
    lefts = 0
    for a in range(symbols):
        lefts += pairs[a + 1] > pairs[a]
    value, scale = np.zeros((cells, symbols)), np.full(cells, -np.inf)
    active, many = np.empty((cells, lefts), np.int32), np.zeros(cells, np.int64)
    inside(mode, start, tag, p, by_pair, chains, value, scale, active, many)
    c = cell(0, length, length)
    whole = np.log(value[c, root]) + scale[c] if value[c, root] > 0.0 else -np.inf
    return value, scale, whole


@compiled(nogil=True)
def marginals(symbols, start, tag, p, root, by_pair, by_parent, up, down, group, again, labels):
    """The marginals of all labelled spans and of tags, and the log of the sum over all parses."""
    length = start.size - 1
    value, scale, total = chart(SUM, symbols, start, tag, p, root, by_pair, up)
    found, tags = np.zeros((scale.size, labels + 1)), np.zeros(tag.size)
    if total > -np.inf:
        around = np.zeros(value.shape)
        outside(length, root, by_pair, by_parent, down, value, scale, around)
        label_marginals(value, around, group, again, found)
        tag_marginals(start, tag, p, around, scale, tags)
    return found, tags, total
