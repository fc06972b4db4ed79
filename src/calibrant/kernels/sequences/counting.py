"""The distribution of a count over the tag sequences of a sentence.

Given the words, the tags are a Markov chain: the chance of the next tag depends on the tag before
it only. A count that grows by 0 or 1 at each step, depending on both tags, is carried along. All
numbers are chances, so nothing overflows, and nothing is subtracted, so small chances are exact.
"""

import numpy as np

from calibrant.kernels.compiled import compiled
from calibrant.kernels.sequences.chain import add_logs, backward_logs

LOST = 1e-40  # largest counts with less chance than this are dropped after each word


@compiled(nogil=True)
def count_steps(score, move, first, last, opens, grows, out):
    """Fill the chance of each count of one sentence; `out` has a place for 0 to all words.

    The count grows at the first word if `opens` its tag, and at other words if `grows` the tag
    before and the tag.
    """
    length, tags = score.shape
    behind = np.empty((length, tags))
    backward_logs(score, move, last, behind)
    start = first + score[0] + behind[0]
    whole = add_logs(start)
    here, fresh = np.zeros((tags, length + 1)), np.zeros((tags, length + 1))
    for j in range(tags):
        here[j, int(opens[j])] = np.exp(start[j] - whole)
    most = 1  # the largest count so far
    for t in range(1, length):
        fresh[:, : most + 2] = 0.0
        for i in range(tags):
            if behind[t - 1, i] == -np.inf:
                continue
            for j in range(tags):
                chance = np.exp(move[i, j] + score[t, j] + behind[t, j] - behind[t - 1, i])
                if chance > 0.0:
                    shift = int(grows[i, j])
                    for c in range(most + 1):
                        fresh[j, c + shift] += chance * here[i, c]
        here, fresh = fresh, here
        most = reached(here, most + 1)
    for c in range(most + 1):
        out[c] = here[:, c].sum()
    out /= out.sum()


@compiled(nogil=True)
def reached(here, most):
    """The largest count whose chance is not negligible."""
    while most > 0 and here[:, most].sum() < LOST:
        here[:, most] = 0.0
        most -= 1
    return most
