"""Sums and maxima over all binary trees whose score is a sum over their spans."""

import numpy as np

from calibrant.kernels.compiled import compiled

MORE = 1e-12  # a smaller difference of scores is due to rounding


@compiled(nogil=True)
def log_add(a, b):
    """The log of the sum of two numbers given by their logs."""
    high, low = max(a, b), min(a, b)
    if low == -np.inf:
        return high
    return high + np.log1p(np.exp(low - high))


@compiled(nogil=True)
def inside(score):
    """The log of the sum over all binary trees of words i to j (included)."""
    length = score.shape[0]
    found = np.full((length, length), -np.inf)
    for width in range(1, length + 1):
        for i in range(length - width + 1):
            j = i + width - 1
            if width == 1:
                found[i, j] = score[i, j]
                continue
            total = -np.inf
            for k in range(i, j):
                total = log_add(total, found[i, k] + found[k + 1, j])
            found[i, j] = total + score[i, j]
    return found


@compiled(nogil=True)
def span_logs(score, inner):
    """The log of the probability that words i to j (included) are a span of the tree."""
    length = score.shape[0]
    outer = np.full((length, length), -np.inf)
    outer[0, length - 1] = 0.0
    for width in range(length, 1, -1):
        for i in range(length - width + 1):
            j = i + width - 1
            here = outer[i, j] + score[i, j]
            if here == -np.inf:
                continue
            for k in range(i, j):
                outer[i, k] = log_add(outer[i, k], here + inner[k + 1, j])
                outer[k + 1, j] = log_add(outer[k + 1, j], here + inner[i, k])
    return outer + inner - inner[0, length - 1]


@compiled(nogil=True)
def best_splits(score):
    """The last word of the first part of each span in the best tree; of ties the shortest part."""
    length = score.shape[0]
    best, cut = np.full((length, length), -np.inf), np.zeros((length, length), np.int64)
    for width in range(1, length + 1):
        for i in range(length - width + 1):
            j = i + width - 1
            if width == 1:
                best[i, j] = score[i, j]
                continue
            most = -np.inf
            cut[i, j] = i
            for k in range(i, j):
                both = best[i, k] + best[k + 1, j]
                if both > most + MORE * max(1.0, abs(most)) or (most == -np.inf and both > most):
                    most, cut[i, j] = both, k
            best[i, j] = most + score[i, j]
    return cut
