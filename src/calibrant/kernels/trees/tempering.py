"""Expected log-probabilities of the words and rules of a parse."""

import numpy as np

from calibrant.kernels.compiled import compiled
from calibrant.kernels.trees.chart import SUM, cell, chart, list_pairs, outside, tag_marginals


@compiled(nogil=True)
def binary_costs(length, by_pair, costly, value, scale, around):
    """The expected sum of the costs of binary rules; `costly` has p · cost instead of p."""
    pairs, sibling = by_pair[0], by_pair[1]
    size, gain = sibling.size, np.empty(sibling.size)
    left, begin = np.empty(size, np.int64), np.empty(size + 1, np.int64)
    right, summed = np.empty(size, np.int64), np.empty(size)
    listed = (left, begin, right, summed)
    found = 0.0
    for j in range(2, length + 1):
        for i in range(j - 1):
            c = cell(i, j, length)
            lefts = list_pairs(around[c], costly, pairs, sibling, gain, listed)
            if lefts == 0:
                continue
            for k in range(i + 1, j):
                one, other = cell(i, k, length), cell(k, j, length)
                factor = np.exp(scale[one] + scale[other] - scale[c])
                if not factor > 0.0:
                    continue
                here, there, total = value[one], value[other], 0.0
                for s in range(lefts):
                    x = here[left[s]]
                    if x > 0.0:
                        for r in range(begin[s], begin[s + 1]):
                            total += x * summed[r] * there[right[r]]
                found += total * factor
    return found


@compiled(nogil=True)
def unary_scores(unary, value, around):
    """The expected sum of the log-probabilities of unary rules."""
    start, child, p = unary
    found = 0.0
    for c in range(value.shape[0]):
        here, there = value[c], around[c]
        for a in range(start.size - 1):
            if there[a] > 0.0:
                for r in range(start[a], start[a + 1]):
                    if here[child[r]] > 0.0:
                        found += there[a] * p[r] * here[child[r]] * np.log(p[r])
    return found


@compiled(nogil=True)
def expected_scores(
    symbols, start, tag, p, root, by_pair, by_parent, up, down, unary, costly, most
):
    """The log of the sum over parses, and the expected log-probability of words and of rules.

    The costs of binary rules are `most` minus their log-probabilities, so none is negative; a parse
    of n words has n − 1 binary rules.
    """
    length = start.size - 1
    value, scale, total = chart(SUM, symbols, start, tag, p, root, by_pair, up)
    if total == -np.inf:
        return total, 0.0, 0.0
    around, tags = np.zeros(value.shape), np.zeros(tag.size)
    outside(length, root, by_pair, by_parent, down, value, scale, around)
    tag_marginals(start, tag, p, around, scale, tags)
    of_words = 0.0
    for r in range(tag.size):
        of_words += tags[r] * np.log(p[r])
    of_rules = most * (length - 1) - binary_costs(length, by_pair, costly, value, scale, around)
    return total, of_words, of_rules + unary_scores(unary, value, around)
