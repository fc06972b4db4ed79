"""Score words with the weights of their attributes, and compute gradients.

A word refers to bundles of attributes, shared by all words with the same attributes: one for the
word itself, one for each of its neighbours. The attributes of bundle b start at `hold_start[b]` in
`hold`; the tags with weights for attribute a start at `pair_start[a]` in `pair_tag`. Work is done
once per bundle, which is much less than once per word.
"""

import numpy as np

from calibrant.kernels.compiled import compiled
from calibrant.kernels.sequences.chain import prepared, sentence_marginals

BLOCK = 1024  # words whose rows fit in the cache


@compiled(inline="always")
def fill_bundle(bundle, hold_start, hold, pair_start, pair_tag, weight, out):
    """The score that a bundle adds to every tag."""
    out[:] = 0.0
    for h in range(hold_start[bundle], hold_start[bundle + 1]):
        for k in range(pair_start[hold[h]], pair_start[hold[h] + 1]):
            out[pair_tag[k]] += weight[k]


@compiled(nogil=True)
def bundle_scores(begin, end, used, hold_start, hold, pair_start, pair_tag, weight, rows):
    """The scores of the bundles `begin` to `end` of those used."""
    for r in range(begin, end):
        fill_bundle(used[r], hold_start, hold, pair_start, pair_tag, weight, rows[r])


@compiled(inline="always")
def add_row(row, out):
    """Add one row to another."""
    for j in range(out.size):
        out[j] += row[j]


@compiled(nogil=True)
def word_scores(begin, end, bundle, rows, score):
    """The scores of words `begin` to `end`: the sums over their bundles."""
    for t in range(begin, end):
        score[t] = 0.0
        for m in range(bundle.shape[1]):
            add_row(rows[bundle[t, m]], score[t])


@compiled(nogil=True)
def gold_scores(start, score, move, gold, chosen, total):
    """The score of the gold tags of the chosen sentences."""
    for k in chosen:
        found = 0.0
        for t in range(start[k], start[k + 1]):
            found += score[t, gold[t]]
            if t > start[k]:
                found += move[gold[t - 1], gold[t]]
        total[k] = found


@compiled(nogil=True)
def residuals(begin, end, start, bundle, rows, gold, move, single, pair):
    """Expected minus observed tags of sentences `begin` to `end`; negative log-likelihood.

    Each sentence is finished while its numbers are in the cache, since memory access takes longer
    than the sums.
    """
    tags = move.shape[0]
    none = np.zeros(tags)
    ready = prepared(move, none, none)
    longest = np.diff(start[begin : end + 1]).max() if end > begin else 0
    space, score = np.empty((3, longest, tags)), np.empty((longest, tags))
    counted, lost = np.zeros((tags, tags)), 0.0
    for k in range(begin, end):
        low, high = start[k], start[k + 1]
        if low == high:
            continue
        here, out = score[: high - low], single[low:high]
        word_scores(0, high - low, bundle[low:high], rows, here)
        lost += sentence_marginals(here, move, none, none, ready, space, out, counted, pair)
        for t in range(low, high):
            lost -= here[t - low, gold[t]]
            out[t - low, gold[t]] -= 1.0
            if t > low:
                lost -= move[gold[t - 1], gold[t]]
                pair[gold[t - 1], gold[t]] -= 1.0
    pair += counted * ready[0][0]
    return lost


@compiled(nogil=True)
def bundle_sums(columns, bundle, single, sums):
    """Add to each bundle of some columns the rows of all words that refer to it.

    No bundle is in two columns. Words are processed in blocks, so that their rows are still in the
    cache for the next column.
    """
    for begin in range(0, bundle.shape[0], BLOCK):
        for m in columns:
            for t in range(begin, min(begin + BLOCK, bundle.shape[0])):
                add_row(single[t], sums[bundle[t, m]])


@compiled(nogil=True)
def weight_gradient(begin, end, held_start, held, pair_start, pair_tag, sums, gradient):
    """The gradient of the weights of attributes `begin` to `end`, from the sums of bundles."""
    row = np.empty(sums.shape[1])
    for a in range(begin, end):
        row[:] = 0.0
        for h in range(held_start[a], held_start[a + 1]):
            add_row(sums[held[h]], row)
        for k in range(pair_start[a], pair_start[a + 1]):
            gradient[k] = row[pair_tag[k]]


@compiled(nogil=True)
def gather_batch(chosen, start, bundle, gold, slot, used, count, begins, local, own):
    """Number the bundles of a few sentences from 0; return how many there are.

    `used` lists the bundles, and `count` the number of words that refer to each. `local` gets the
    new bundle numbers of the words, `own` their gold tags, and `begins` where sentences start.
    `slot` is −1 everywhere, before and after.
    """
    met, words = 0, 0
    for s in range(chosen.size):
        begins[s] = words
        for t in range(start[chosen[s]], start[chosen[s] + 1]):
            own[words] = gold[t]
            for m in range(bundle.shape[1]):
                b = bundle[t, m]
                if slot[b] < 0:
                    slot[b] = met
                    used[met] = b
                    count[met] = 0
                    met += 1
                local[words, m] = slot[b]
                count[slot[b]] += 1
            words += 1
    begins[chosen.size] = words
    for r in range(met):
        slot[used[r]] = -1
    return met


@compiled(nogil=True)
def batch_step(
    lane,
    lanes,
    met,
    used,
    hold_start,
    hold,
    pair_start,
    pair_tag,
    rows,
    count,
    decay,
    rate,
    seen,
    touched,
    weight,
    square,
    gradient,
):
    """Make one AdaGrad step on the weights of every `lanes`-th attribute, from `lane` on.

    `decay[a]` is the share of the regularisation of attribute a for each word that has it. Every
    attribute belongs to one lane, so lanes can run in parallel.
    """
    many = 0
    for r in range(met):
        for h in range(hold_start[used[r]], hold_start[used[r] + 1]):
            a = hold[h]
            if a % lanes != lane:
                continue
            if not seen[a]:
                seen[a] = True
                touched[many] = a
                many += 1
            share = decay[a] * count[r]
            for k in range(pair_start[a], pair_start[a + 1]):
                gradient[k] += rows[r, pair_tag[k]] + share * weight[k]
    for i in range(many):
        a = touched[i]
        seen[a] = False
        for k in range(pair_start[a], pair_start[a + 1]):
            g = gradient[k]
            gradient[k] = 0.0
            square[k] += g * g
            if g != 0.0:
                weight[k] -= rate * g / np.sqrt(square[k])
