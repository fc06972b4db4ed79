"""Score antecedents with weights of mentions and of pairs, and compute gradients.

A weight belongs to a feature of a mention together with the kind of the other mention, so the
features of a mention are summed once for each kind, not once for each pair. A row of `wide`
belongs to a feature of mentions of one kind. It has weights for the mention as the current one,
by kind of the antecedent; as a new one; and as the antecedent, by kind of the current mention. A
row of `plain` has three weights, independent of the kinds. `pair` holds the weights of pair
features for both kinds; its last plane is independent of the kinds.
"""

import numpy as np

from calibrant.kernels.compiled import compiled

FAR = 10  # larger distances count as this
SENTENCES = FAR + 1  # first bucket of distances in sentences
STRINGS = 2 * (FAR + 1)
HEADS = STRINGS + 2
SPEAKERS = HEADS + 2
BUCKETS = SPEAKERS + 2
LEAST = 1e-300  # a gold choice with a probability of 0 still has a finite logarithm


@compiled(inline="always")
def buckets_of(j, k, facts):
    """The features of a pair of mentions: up to five buckets, −1 for none.

    `facts` has a row for each mention: kind, string, head, sentence, whether it is not a pronoun,
    and its speaker (−1 if unknown).
    """
    apart = min(j - k, FAR)
    sentences = SENTENCES + min(facts[j, 3] - facts[k, 3], FAR)
    voice = -1
    if facts[j, 5] >= 0 and facts[k, 5] >= 0:
        voice = SPEAKERS + (1 if facts[j, 5] == facts[k, 5] else 0)
    if facts[j, 4] == 0:
        return apart, sentences, -1, -1, voice
    string = STRINGS + (1 if facts[j, 1] == facts[k, 1] else 0)
    head = HEADS + (1 if facts[j, 2] == facts[k, 2] else 0)
    return apart, sentences, string, head, voice


@compiled(nogil=True)
def add_up(features, narrow, wide, plain, current, antecedent):
    """Sum the weights of each mention, for each kind of the other mention."""
    kinds = antecedent.shape[1]
    for m in range(features.shape[0]):
        link, new, earlier = 0.0, 0.0, 0.0
        for f in range(features.shape[1]):
            if narrow[m, f] >= 0:
                link += plain[narrow[m, f], 0]
                new += plain[narrow[m, f], 1]
                earlier += plain[narrow[m, f], 2]
        for t in range(kinds):
            current[m, t] = link
            antecedent[m, t] = earlier
        current[m, kinds] = new
        for f in range(features.shape[1]):
            if features[m, f] >= 0:
                row = wide[features[m, f]]
                for t in range(kinds + 1):
                    current[m, t] += row[t]
                for t in range(kinds):
                    antecedent[m, t] += row[kinds + 1 + t]


@compiled(nogil=True)
def score_choices(facts, features, narrow, wide, plain, pair, out):
    """Score all choices of the mentions of a document, row by row; new is last."""
    count, kinds = facts.shape[0], pair.shape[1]
    current, antecedent = np.empty((count, kinds + 1)), np.empty((count, kinds))
    add_up(features, narrow, wide, plain, current, antecedent)
    both = np.empty((BUCKETS, kinds, kinds))
    for b in range(BUCKETS):
        both[b] = pair[b, :, :kinds] + pair[b, 0, kinds]
    at = 0
    for j in range(count):
        mine = facts[j, 0]
        for k in range(j):
            theirs = facts[k, 0]
            a, s, string, head, voice = buckets_of(j, k, facts)
            total = current[j, theirs] + antecedent[k, mine]
            total += both[a, mine, theirs] + both[s, mine, theirs]
            if string >= 0:
                total += both[string, mine, theirs] + both[head, mine, theirs]
            if voice >= 0:
                total += both[voice, mine, theirs]
            out[at] = total
            at += 1
        out[at] = current[j, kinds]
        at += 1


@compiled(nogil=True)
def mark_gold(entity, j, good):
    """Mark the gold choices of mention j; whether there is an earlier mention of its entity."""
    known = False
    for k in range(j):
        good[k] = entity[k] == entity[j]
        if good[k]:
            known = True
    good[j] = not known
    return known


@compiled(nogil=True)
def add_losses(known, good, losses, row):
    """Add to the scores of wrong choices what they cost."""
    last = row.size - 1
    wrong = losses[2] if known else losses[0]
    for k in range(last):
        if not good[k]:
            row[k] += wrong
    if known:
        row[last] += losses[1]


@compiled(nogil=True)
def residuals(entity, losses, score):
    """Turn scores into the gradient of −log P(a gold antecedent); return the total loss.

    A gold antecedent is any earlier mention of the entity, or new if there is none. Losses are
    added to the scores of wrong choices: linking a new mention, calling an old mention new, and a
    wrong antecedent.
    """
    lost, begin = 0.0, 0
    good = np.empty(entity.size, np.bool_)
    for j in range(entity.size):
        row = score[begin : begin + j + 1]
        known = mark_gold(entity, j, good)
        add_losses(known, good, losses, row)
        top = row.max()
        whole, right = 0.0, 0.0
        for k in range(j + 1):
            row[k] = np.exp(row[k] - top)
            whole += row[k]
            if good[k]:
                right += row[k]
        right = max(right, LEAST)
        lost += np.log(whole) - np.log(right)
        for k in range(j + 1):
            row[k] = row[k] / whole - (row[k] / right if good[k] else 0.0)
        begin += j + 1
    return lost


@compiled(nogil=True)
def collect(facts, residual, current, antecedent, pair):
    """Sum residuals by mention and kind of the other mention, and by pair feature."""
    count, kinds = facts.shape[0], antecedent.shape[1]
    current[:], antecedent[:], pair[:] = 0.0, 0.0, 0.0
    at = 0
    for j in range(count):
        mine = facts[j, 0]
        for k in range(j):
            r, theirs = residual[at], facts[k, 0]
            at += 1
            current[j, theirs] += r
            antecedent[k, mine] += r
            a, s, string, head, voice = buckets_of(j, k, facts)
            pair[a, mine, theirs] += r
            pair[s, mine, theirs] += r
            if string >= 0:
                pair[string, mine, theirs] += r
                pair[head, mine, theirs] += r
            if voice >= 0:
                pair[voice, mine, theirs] += r
        current[j, kinds] += residual[at]
        at += 1
    for b in range(BUCKETS):
        pair[b, 0, kinds] = pair[b, :, :kinds].sum()


@compiled(nogil=True)
def empty_gradient(table, most):
    """Room for the gradient of the rows of a table of weights that a document touches.

    Three arrays: for every row of the table its place in the gradient, −1 if not met yet; the row
    of the table at each place; and the gradient, with room for at most `most` rows.
    """
    room = min(most, table.shape[0])
    slot = np.full(table.shape[0], -1)
    return slot, np.empty(room, np.int64), np.empty((room, table.shape[1]))


@compiled(nogil=True)
def spread(features, narrow, current, antecedent, gradient, thin_gradient):
    """Gradients of the weights that a document touches; how many rows of both tables."""
    slot, used, rows = gradient
    thin_slot, thin_used, thin = thin_gradient
    kinds = antecedent.shape[1]
    met, thin_met = 0, 0
    for m in range(features.shape[0]):
        link, earlier = current[m, :kinds].sum(), antecedent[m].sum()
        for f in range(features.shape[1]):
            at = features[m, f]
            if at >= 0:
                if slot[at] < 0:
                    slot[at], used[met], rows[met] = met, at, 0.0
                    met += 1
                row = rows[slot[at]]
                for t in range(kinds + 1):
                    row[t] += current[m, t]
                for t in range(kinds):
                    row[kinds + 1 + t] += antecedent[m, t]
            at = narrow[m, f]
            if at >= 0:
                if thin_slot[at] < 0:
                    thin_slot[at], thin_used[thin_met], thin[thin_met] = thin_met, at, 0.0
                    thin_met += 1
                row = thin[thin_slot[at]]
                row[0] += link
                row[1] += current[m, kinds]
                row[2] += earlier
    return met, thin_met


@compiled(nogil=True)
def step(met, gradient, share, rates, weight, square):
    """One AdaGrad step on the rows in use; `share` of its regularisation falls on each."""
    slot, used, rows = gradient
    l2, l1, rate = rates
    for r in range(met):
        at = used[r]
        slot[at] = -1
        for t in range(weight.shape[1]):
            g = rows[r, t] + 2.0 * l2 * share[at] * weight[at, t]
            if g == 0.0:
                continue
            square[at, t] += g * g
            pace = rate / (1.0 + np.sqrt(square[at, t]))
            moved = weight[at, t] - pace * g
            bound = pace * l1 * share[at]
            weight[at, t] = np.sign(moved) * max(abs(moved) - bound, 0.0)


@compiled(nogil=True)
def pass_over(order, start, mentions, entity, losses, rates, shares, weights, squares):
    """One pass over documents, a step for each; minus the log-likelihood met on the way.

    `mentions` are facts, features and narrow features; `rates` are l2, l1 and the rate. `shares`,
    `weights` and `squares` belong to features with kinds and features alone; the last two also to
    pairs of mentions, all of which every document touches.
    """
    facts, features, narrow = mentions
    wide, plain, pair = weights
    kinds = pair.shape[1]
    longest = np.diff(start).max()
    score = np.empty(longest * (longest + 1) // 2)
    current, antecedent = np.empty((longest, kinds + 1)), np.empty((longest, kinds))
    gradient = empty_gradient(wide, longest * features.shape[1])
    thin_gradient = empty_gradient(plain, longest * features.shape[1])
    pairs, flat = np.empty(pair.shape), (BUCKETS, kinds * (kinds + 1))
    planes = (np.zeros(BUCKETS, np.int64), np.arange(BUCKETS), pairs.reshape(flat))
    even, lost = np.full(BUCKETS, 1.0 / order.size), 0.0
    for d in order:
        low, high = start[d], start[d + 1]
        n = high - low
        if n == 0:
            continue
        here, its, thinly = facts[low:high], features[low:high], narrow[low:high]
        choices = score[: n * (n + 1) // 2]
        score_choices(here, its, thinly, wide, plain, pair, choices)
        lost += residuals(entity[low:high], losses, choices)
        collect(here, choices, current[:n], antecedent[:n], pairs)
        met, thin_met = spread(its, thinly, current[:n], antecedent[:n], gradient, thin_gradient)
        step(met, gradient, shares[0], rates, wide, squares[0])
        step(thin_met, thin_gradient, shares[1], rates, plain, squares[1])
        step(BUCKETS, planes, even, rates, pair.reshape(flat), squares[2].reshape(flat))
    return lost
