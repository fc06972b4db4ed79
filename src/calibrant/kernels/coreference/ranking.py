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
def residuals(entity, losses, score):
    """Turn scores into the gradient of −log P(a gold antecedent); return the total loss.

    A gold antecedent is any earlier mention of the entity, or new if there is none. Losses are
    added to the scores of wrong choices: linking a new mention, calling an old mention new, and a
    wrong antecedent.
    """
    lost, begin = 0.0, 0
    for j in range(entity.size):
        row = score[begin : begin + j + 1]
        known = False
        for k in range(j):
            if entity[k] == entity[j]:
                known = True
        if known:
            for k in range(j):
                if entity[k] != entity[j]:
                    row[k] += losses[2]
            row[j] += losses[1]
        else:
            for k in range(j):
                row[k] += losses[0]
        top = row.max()
        whole, right = 0.0, 0.0
        for k in range(j + 1):
            row[k] = np.exp(row[k] - top)
            whole += row[k]
            if (k < j and known and entity[k] == entity[j]) or (k == j and not known):
                right += row[k]
        right = max(right, 1e-300)
        lost += np.log(whole) - np.log(right)
        for k in range(j + 1):
            good = (k < j and known and entity[k] == entity[j]) or (k == j and not known)
            row[k] = row[k] / whole - (row[k] / right if good else 0.0)
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
def spread(features, narrow, current, antecedent, slot, used, rows, thin_slot, thin_used, thin):
    """Compute gradients of the weights in a document; return the rows used in both tables.

    `slot` is −1 for unused rows and becomes their place in `rows`; `used` lists them.
    """
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
def step(met, used, slot, rows, share, l2, l1, rate, weight, square):
    """Make one AdaGrad step on the rows in use; `share` scales the regularisation of each."""
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
def pass_over(
    order,
    start,
    facts,
    features,
    narrow,
    entity,
    losses,
    l2,
    l1,
    rate,
    share,
    thin_share,
    wide,
    plain,
    pair,
    squares,
    thin_squares,
    pair_squares,
):
    """Make one pass, with a step per document; return the negative log-likelihood."""
    kinds = pair.shape[1]
    longest = np.diff(start).max()
    score = np.empty(longest * (longest + 1) // 2)
    current, antecedent = np.empty((longest, kinds + 1)), np.empty((longest, kinds))
    slot, thin_slot = np.full(wide.shape[0], -1), np.full(plain.shape[0], -1)
    many = min(longest * features.shape[1], wide.shape[0])
    used, rows = np.empty(many, np.int64), np.empty((many, wide.shape[1]))
    many = min(longest * features.shape[1], plain.shape[0])
    thin_used, thin = np.empty(many, np.int64), np.empty((many, 3))
    pairs, lost = np.empty(pair.shape), 0.0
    flat = (BUCKETS, kinds * (kinds + 1))
    planes, plane_slot, whole = np.arange(BUCKETS), np.zeros(BUCKETS, np.int64), np.ones(BUCKETS)
    whole /= order.size
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
        met, thin_met = spread(
            its,
            thinly,
            current[:n],
            antecedent[:n],
            slot,
            used,
            rows,
            thin_slot,
            thin_used,
            thin,
        )
        step(met, used, slot, rows, share, l2, l1, rate, wide, squares)
        step(thin_met, thin_used, thin_slot, thin, thin_share, l2, l1, rate, plain, thin_squares)
        step(
            BUCKETS,
            planes,
            plane_slot,
            pairs.reshape(flat),
            whole,
            l2,
            l1,
            rate,
            pair.reshape(flat),
            pair_squares.reshape(flat),
        )
    return lost
