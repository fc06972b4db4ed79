"""Sums over all parses of a sentence, and the best of them, for grammars of binary rules.

A chart has a row of symbols for every span (begin, end). Rows are scaled one by one, so that
long sentences do not vanish: what a row stands for is its numbers times e^scale. Unary rules are
closed beforehand: `closure` holds, for two symbols, the sum (or the largest) of the probabilities
of all chains of unary rules from one to the other, however long, cycles included.

Rules are held by left child, by right child and by parent, so that only symbols that a span has
are looked at. `mode` is SUM or BEST: numba's cache on disk knows no functions as arguments.
"""

import numpy as np

from calibrant.kernels.compiled import compiled

SUM, BEST = 0, 1


@compiled(inline="always")
def cell(begin, end, length):
    """The row of a span: spans of one beginning stand together."""
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
    """Add what chains of unary rules make of a row, which is then scaled; the log of the scale."""
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
    row /= top
    return np.log(top)


@compiled(nogil=True)
def list_active(row, out):
    """Which symbols a row has, and how many."""
    many = 0
    for a in range(row.size):
        if row[a] > 0.0:
            out[many] = a
            many += 1
    return many


@compiled(nogil=True)
def combine(mode, left, active, right, factor, by_left, base):
    """Add all rules whose children are in two neighbouring rows."""
    start, sibling, parent, p = by_left
    for a in active:
        x = left[a] * factor
        for r in range(start[a], start[a + 1]):
            y = right[sibling[r]]
            if y > 0.0:
                y *= x * p[r]
                if mode == SUM:
                    base[parent[r]] += y
                elif y > base[parent[r]]:
                    base[parent[r]] = y


@compiled(nogil=True)
def inside(mode, start, tag, p, by_left, chains, value, scale, active, many):
    """Fill, for every span and symbol, the sum (or the best) of what the symbol can become.

    `start`, `tag` and `p` list the tags of each word with their probabilities.
    """
    length = start.size - 1
    base = np.empty(value.shape[1])
    for width in range(1, length + 1):
        for i in range(length - width + 1):
            j = i + width
            c = cell(i, j, length)
            base[:] = 0.0
            top = -np.inf
            if width == 1:
                top = 0.0
                for r in range(start[i], start[i + 1]):
                    base[tag[r]] += p[r]
            for k in range(i + 1, j):
                top = max(top, scale[cell(i, k, length)] + scale[cell(k, j, length)])
            if top == -np.inf:
                scale[c], many[c] = -np.inf, 0
                continue
            for k in range(i + 1, j):
                one, other = cell(i, k, length), cell(k, j, length)
                factor = np.exp(scale[one] + scale[other] - top)
                if factor > 0.0:
                    seen = active[one, : many[one]]
                    combine(mode, value[one], seen, value[other], factor, by_left, base)
            scale[c] = top + close(mode, base, chains, value[c])
            many[c] = list_active(value[c], active[c])


@compiled(nogil=True)
def spread(active, sibling_row, parent_row, factor, by_child, above):
    """Add what stands around each symbol of a row, through a parent and the other child."""
    start, sibling, parent, p = by_child
    for a in active:
        total = 0.0
        for r in range(start[a], start[a + 1]):
            y = sibling_row[sibling[r]]
            if y > 0.0:
                total += p[r] * y * parent_row[parent[r]]
        above[a] += total * factor


@compiled(nogil=True)
def outside(length, root, by_left, by_right, chains, value, scale, active, many, around, level):
    """Fill, for every span and symbol, the sum of all that can stand around it."""
    above = np.empty(value.shape[1])
    for width in range(length, 0, -1):
        for i in range(length - width + 1):
            j = i + width
            c = cell(i, j, length)
            top = 0.0 if width == length else -np.inf
            for end in range(j + 1, length + 1):
                top = max(top, level[cell(i, end, length)] + scale[cell(j, end, length)])
            for begin in range(i):
                top = max(top, level[cell(begin, j, length)] + scale[cell(begin, i, length)])
            if top == -np.inf or many[c] == 0:
                level[c] = -np.inf
                continue
            above[:] = 0.0
            if width == length:
                above[root] = 1.0
            seen = active[c, : many[c]]
            for end in range(j + 1, length + 1):
                one, other = cell(i, end, length), cell(j, end, length)
                factor = np.exp(level[one] + scale[other] - top)
                if factor > 0.0:
                    spread(seen, value[other], around[one], factor, by_left, above)
            for begin in range(i):
                one, other = cell(begin, j, length), cell(begin, i, length)
                factor = np.exp(level[one] + scale[other] - top)
                if factor > 0.0:
                    spread(seen, value[other], around[one], factor, by_right, above)
            level[c] = top + close(SUM, above, chains, around[c])


@compiled(nogil=True)
def label_marginals(value, scale, around, level, total, group, again, found):
    """The probability that a span has each label, once or several times in a chain.

    Nodes of a label in a chain, less the steps from one of them to the next, are 1 where there is
    any: `again` lists those steps, two symbols of a label and the probability to come from one to
    the other without the label in between. The last column of `found` is for any label.
    """
    step_label, step_from, step_to, step_p = again
    last = found.shape[1] - 1
    for c in range(value.shape[0]):
        factor = np.exp(scale[c] + level[c] - total)
        if not factor > 0.0:
            continue
        here, there, out = value[c], around[c], found[c]
        for a in range(group.size):
            if group[a] >= 0:
                expected = here[a] * there[a]
                out[group[a]] += expected
                out[last] += expected
        for r in range(step_label.size):
            out[step_label[r]] -= there[step_from[r]] * here[step_to[r]] * step_p[r]
        for k in range(out.size):
            out[k] = min(1.0, max(0.0, out[k] * factor))


@compiled(nogil=True)
def tag_marginals(start, tag, p, around, level, total, found):
    """The probability of each tag that a word may have, in the order of the list of them."""
    length = start.size - 1
    for i in range(length):
        c = cell(i, i + 1, length)
        factor = np.exp(level[c] - total)
        for r in range(start[i], start[i + 1]):
            found[r] = min(1.0, around[c, tag[r]] * p[r] * factor)


@compiled(nogil=True)
def chart(mode, symbols, start, tag, p, root, by_left, chains):
    """The inside chart of a sentence, and the log of its sum or of its best parse."""
    length = start.size - 1
    cells = length * (length + 1) // 2
    value, scale = np.zeros((cells, symbols)), np.full(cells, -np.inf)
    active, many = np.empty((cells, symbols), np.int32), np.zeros(cells, np.int64)
    inside(mode, start, tag, p, by_left, chains, value, scale, active, many)
    c = cell(0, length, length)
    whole = np.log(value[c, root]) + scale[c] if value[c, root] > 0.0 else -np.inf
    return value, scale, active, many, whole


@compiled(nogil=True)
def log_sum(symbols, start, tag, p, root, by_left, chains):
    """The log of the sum over all parses; −∞ where there is none."""
    return chart(SUM, symbols, start, tag, p, root, by_left, chains)[4]


@compiled(nogil=True)
def marginals(symbols, start, tag, p, root, by_left, by_right, up, down, group, again, labels):
    """The marginals of all labelled spans and of tags, and the log of the sum."""
    length = start.size - 1
    value, scale, active, many, total = chart(SUM, symbols, start, tag, p, root, by_left, up)
    found, tags = np.zeros((scale.size, labels + 1)), np.zeros(tag.size)
    if total > -np.inf:
        around, level = np.zeros(value.shape), np.full(scale.size, -np.inf)
        outside(length, root, by_left, by_right, down, value, scale, active, many, around, level)
        label_marginals(value, scale, around, level, total, group, again, found)
        tag_marginals(start, tag, p, around, level, total, tags)
    return found, tags, total
