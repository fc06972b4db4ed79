"""Sum over all ways to link mentions to earlier ones, and sample from them.

The probabilities of a document of n mentions are n rows, one after another: row j has the
probabilities that mention j continues mention 0, 1, ..., j − 1, and last that it is new. So row
j begins at j(j + 1)/2. Mentions choose independently; linked mentions are one entity.
"""

import numpy as np

from calibrant.kernels.compiled import compiled

ROWS = 4  # rows filled at once, while the rows they need are in the cache


@compiled(nogil=True)
def normalise(score, out):
    """Turn scores into probabilities, row by row; return the first impossible row, or −1."""
    size, begin, j = score.size, 0, 0
    while begin < size:
        end = begin + j + 1
        top = score[begin:end].max()
        if not top > -np.inf:
            return j
        total = 0.0
        for k in range(begin, end):
            out[k] = np.exp(score[k] - top)
            total += out[k]
        for k in range(begin, end):
            out[k] /= total
        begin, j = end, j + 1
    return -1


@compiled(nogil=True)
def best_links(links, chosen):
    """The most probable choice of every mention: itself if new; ties go to the latest.

    So a tie between new and an antecedent begins a new entity.
    """
    begin = 0
    for j in range(chosen.size):
        best = j
        for k in range(j - 1, -1, -1):
            if links[begin + k] > links[begin + best]:
                best = k
        chosen[j] = best
        begin += j + 1


@compiled(nogil=True)
def follow_links(chosen, entity):
    """The entity of every mention, named by its first mention."""
    for j in range(chosen.size):
        entity[j] = j if chosen[j] == j else entity[chosen[j]]


@compiled(nogil=True, fastmath={"reassoc", "contract", "nsz"})
def pair_probabilities(links, same):
    """Fill the lower triangle: the probability that mentions j and i < j are one entity.

    same[j, i] = Σ over k < j of P(j continues k) · same[k, i], where same[k, k] is 1. The rows
    above are read once for every few rows; the contributions of these rows to each other are added
    afterwards.
    """
    count = same.shape[0]
    for first in range(0, count, ROWS):
        last = min(first + ROWS, count)
        same[first:last] = 0.0
        if last - first == ROWS:
            add_four(links, same, first)
        else:
            for j in range(first, last):
                add_one(links, same, j, first)
        for j in range(first, last):
            finish_row(links, same, j, first)
            same[j, j] = 1.0


@compiled(inline="always")
def add_one(links, same, j, first):
    """Fill row j for mentions before `first`, through links to mentions before `first`."""
    begin = j * (j + 1) // 2
    for k in range(first):
        chance, row = links[begin + k], same[k]
        through = 0.0
        for i in range(k):
            same[j, i] += chance * row[i]
            through += links[begin + i] * row[i]
        same[j, k] += chance + through


@compiled(inline="always")
def add_four(links, same, first):
    """Do the work of `add_one` for four rows at once."""
    a, b, c, d = same[first], same[first + 1], same[first + 2], same[first + 3]
    at = first * (first + 1) // 2
    e = links[at : at + first]
    at += first + 1
    f = links[at : at + first]
    at += first + 2
    g = links[at : at + first]
    at += first + 3
    h = links[at : at + first]
    for k in range(first):
        row = same[k]
        p, q, r, s = e[k], f[k], g[k], h[k]
        w, x, y, z = p, q, r, s
        for i in range(k):
            known = row[i]
            a[i] += p * known
            b[i] += q * known
            c[i] += r * known
            d[i] += s * known
            w += e[i] * known
            x += f[i] * known
            y += g[i] * known
            z += h[i] * known
        a[k] += w
        b[k] += x
        c[k] += y
        d[k] += z


@compiled(inline="always")
def finish_row(links, same, j, first):
    """Complete row j with links to, and pairs with, the mentions from `first` on."""
    begin = j * (j + 1) // 2
    row = same[j]
    for k in range(first, j):
        chance = links[begin + k]
        for i in range(first):
            row[i] += chance * same[k, i]
    for i in range(first, j):
        total = links[begin + i]
        for k in range(i):
            total += links[begin + k] * same[i, k]
        for k in range(i + 1, j):
            total += links[begin + k] * same[k, i]
        row[i] = total


@compiled(nogil=True)
def alone(links, count, out):
    """The probability that each mention is the only one of its entity."""
    out[:] = 1.0
    begin = 0
    for j in range(count):
        for k in range(j):
            out[k] *= 1.0 - links[begin + k]
        out[j] *= links[begin + j]
        begin += j + 1


@compiled(nogil=True)
def draw_links(links, uniform, chosen):
    """Draw the choice of every mention (rows) in every sample (columns)."""
    begin = 0
    heaped = np.empty(chosen.shape[0])
    for j in range(chosen.shape[0]):
        total = 0.0
        for k in range(j + 1):
            total += links[begin + k]
            heaped[k] = total
        for s in range(chosen.shape[1]):
            aim = uniform[j, s] * total
            low, high = 0, j  # search for the first cumulative sum above the target
            while low < high:
                middle = (low + high) // 2
                if heaped[middle] > aim:
                    high = middle
                else:
                    low = middle + 1
            chosen[j, s] = low
        begin += j + 1


@compiled(nogil=True)
def draw_entities(links, uniform, entity):
    """Draw whole clusterings: the entity of every mention (rows) in every sample (columns)."""
    draw_links(links, uniform, entity)
    for j in range(entity.shape[0]):
        for s in range(entity.shape[1]):
            if entity[j, s] != j:
                entity[j, s] = entity[entity[j, s], s]


@compiled(nogil=True)
def count_pairs(entity, together):
    """Count the samples in which mentions j and i < j corefer, in the lower triangle.

    Visits only mentions of the same entity: each points to the latest one before it.
    """
    count, samples = entity.shape
    before, latest = np.empty(entity.shape, entity.dtype), np.empty(entity.shape, entity.dtype)
    for j in range(count):
        row = together[j]
        for s in range(samples):
            e = entity[j, s]
            i = latest[e, s] if e != j else -1
            before[j, s], latest[e, s] = i, j
            while i >= 0:
                row[i] += 1
                i = before[i, s]


@compiled(nogil=True)
def entity_sizes(entity, size):
    """Count the mentions of each entity (rows) in each sample (columns); 0 if there is none."""
    size[:] = 0
    for j in range(entity.shape[0]):
        for s in range(entity.shape[1]):
            size[entity[j, s], s] += 1
