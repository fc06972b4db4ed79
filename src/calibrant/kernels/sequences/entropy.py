"""The entropy of a distribution over tag sequences."""

import numpy as np

from calibrant.kernels.compiled import compiled


@compiled(nogil=True)
def mixture_entropy(into, held):
    """The entropy of a choice with weights exp(into) plus the mean entropy within choices.

    Also returns log Σ exp(into). All terms are positive, so no precision is lost.
    """
    at = int(into.argmax())
    top = into[at]
    if top == -np.inf:
        return 0.0, top
    beyond = 0.0  # the sum of the other weights, relative to the largest
    for i in range(into.size):
        if i != at:
            beyond += np.exp(into[i] - top)
    found = np.log1p(beyond)
    for i in range(into.size):
        share = np.exp(into[i] - top) / (1.0 + beyond)
        if share > 0.0:
            found += share * (held[i] + top - into[i])
    return found, top + np.log1p(beyond)


@compiled(nogil=True)
def entropy(score, move, first, last):
    """The entropy of one sentence, by recursion over prefixes that end in each tag.

    H[t, j] = Σᵢ P(i | j) (H[t−1, i] − log P(i | j)), where i is the tag before j (Hernando et
    al., 2005). The largest score is subtracted at every token, so that scores stay small.
    """
    length, tags = score.shape
    if length == 0:
        return 0.0
    reached, held = first + score[0], np.zeros(tags)
    for t in range(1, length):
        reached -= reached.max()
        fresh, grown = np.empty(tags), np.empty(tags)
        for j in range(tags):
            grown[j], total = mixture_entropy(reached + move[:, j], held)
            fresh[j] = total + score[t, j]
        reached, held = fresh, grown
    return mixture_entropy(reached + last, held)[0]


@compiled(nogil=True)
def entropies(start, score, move, first, last, out):
    """The entropy of every sentence, in nats."""
    for k in range(start.size - 1):
        out[k] = entropy(score[start[k] : start[k + 1]], move, first, last)
