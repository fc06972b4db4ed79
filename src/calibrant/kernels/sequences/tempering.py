"""Expected scores of sentences: the derivatives of their log sums by inverse temperatures."""

import numpy as np

from calibrant.kernels.compiled import compiled
from calibrant.kernels.sequences.chain import prepared, sentence_marginals

LOWEST = -1e300  # instead of −∞, which has a share of 0: their product must be 0


@compiled(nogil=True, fastmath={"reassoc", "contract", "nsz"})
def mean_score(share, score):
    """Σ share · score; a score of −∞ counts as 0."""
    total = 0.0
    for i in range(share.shape[0]):
        for j in range(share.shape[1]):
            total += share[i, j] * max(score[i, j], LOWEST)
    return total


@compiled(nogil=True)
def expected_scores(start, score, move, first, last, chosen, total, of_words, of_moves):
    """The log sums of the chosen sentences, and the expected scores of their words and moves."""
    tags = move.shape[0]
    ready = prepared(move, first, last)
    weight = ready[0][0]
    longest = 0
    for k in chosen:
        longest = max(longest, start[k + 1] - start[k])
    space, single = np.empty((3, longest, tags)), np.empty((longest, tags))
    counted, pair = np.empty((tags, tags)), np.empty((tags, tags))
    for k in chosen:
        begin, end = start[k], start[k + 1]
        length = end - begin
        if length == 0:
            total[k], of_words[k], of_moves[k] = 0.0, 0.0, 0.0
            continue
        here = score[begin:end]
        counted[:], pair[:] = 0.0, 0.0
        total[k] = sentence_marginals(
            here, move, first, last, ready, space, single[:length], counted, pair
        )
        of_words[k] = mean_score(single[:length], here)
        for a in range(tags):
            for b in range(tags):
                pair[a, b] += counted[a, b] * weight[a, b]
        of_moves[k] = mean_score(pair, move)
        for tag in range(tags):
            if single[0, tag] > 0.0:
                of_moves[k] += single[0, tag] * first[tag]
            if single[length - 1, tag] > 0.0:
                of_moves[k] += single[length - 1, tag] * last[tag]
