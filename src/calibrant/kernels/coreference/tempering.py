"""Temper the choices of mentions, and the likelihood of gold antecedents."""

import numpy as np

from calibrant.kernels.compiled import compiled
from calibrant.kernels.coreference.ranking import mark_gold


@compiled(nogil=True)
def temper_row(chance, old, new, bias, row, scaled):
    """Fill the probabilities of a row with factors of log-probabilities, and its scores.

    An impossible choice stays impossible. Returns the log of the sum.
    """
    last = chance.size - 1
    top = -np.inf
    for k in range(last + 1):
        row[k], scaled[k] = -np.inf, 0.0
        if chance[k] > 0.0:
            scaled[k] = np.log(chance[k]) * (new if k == last else old)
            row[k] = scaled[k] + (bias if k == last else 0.0)
            top = max(top, row[k])
    whole = 0.0
    for k in range(last + 1):
        row[k] = np.exp(row[k] - top)
        whole += row[k]
    for k in range(last + 1):
        row[k] /= whole
    return top + np.log(whole)


@compiled(nogil=True)
def temper(links, old, new, bias, out):
    """Temper all rows of the documents, one after another; each document begins with row 0."""
    longest = 0
    for count in links[0]:
        longest = max(longest, count)
    scaled, begin = np.empty(longest), 0
    for count in links[0]:
        for j in range(count):
            end = begin + j + 1
            temper_row(links[1][begin:end], old, new, bias, out[begin:end], scaled[: j + 1])
            begin = end


@compiled(nogil=True)
def possible_gold(links, entity, possible):
    """Whether the gold choices of a mention have a positive probability together."""
    good, begin = np.empty(entity.size, np.bool_), 0
    for j in range(entity.size):
        mark_gold(entity, j, good)
        possible[j] = False
        for k in range(j + 1):
            possible[j] = possible[j] or (good[k] and links[begin + k] > 0.0)
        begin += j + 1


@compiled(nogil=True)
def gold_likelihood(links, entity, possible, factors, slope):
    """Log P(a gold choice), summed over the possible mentions of a document.

    `slope` receives the derivatives by the log temperatures of old and new, and by the bias.
    """
    old, new, bias = factors
    count = entity.size
    good, row, scaled = np.empty(count, np.bool_), np.empty(count), np.empty(count)
    slope[:] = 0.0
    total, begin = 0.0, 0
    for j in range(count):
        chance = links[begin : begin + j + 1]
        begin += j + 1
        if not possible[j]:
            continue
        temper_row(chance, old, new, bias, row[: j + 1], scaled[: j + 1])
        mark_gold(entity, j, good)
        right, of_old, gold_old = 0.0, 0.0, 0.0
        for k in range(j):
            of_old += row[k] * scaled[k]
            if good[k]:
                right += row[k]
                gold_old += row[k] * scaled[k]
        gold_new = 1.0 if good[j] else 0.0
        if good[j]:
            right += row[j]
        else:
            slope[0] -= gold_old / right
        slope[0] += of_old
        slope[1] += (row[j] - gold_new) * scaled[j]
        slope[2] += gold_new - row[j]
        total += np.log(right)
    return total
