"""Sum over all tag sequences of a sentence, and find the best ones.

A batch of sentences is one matrix of scores (tokens by tags) with the positions where sentences
start; all share the scores of transitions, first tags and last tags. Probabilities are scaled
token by token, which is fast. If the scores of a sentence are so far apart that a product might
underflow, the sentence is computed with logarithms instead.
"""

import numpy as np

from calibrant.kernels.compiled import compiled
from calibrant.kernels.exponential import MOST, exponential

FAR = 600.0  # products of scores further apart than this might underflow


@compiled(inline="always")
def add_logs(values):
    """Log Σ exp, of values that may be −∞."""
    top = values.max()
    if top == -np.inf:
        return top
    return top + np.log(np.exp(values - top).sum())


@compiled(nogil=True)
def apart(values):
    """How far apart the finite values lie."""
    low, high = np.inf, -np.inf
    for value in values.flat:
        if value > -np.inf:
            low = min(low, value)
            high = max(high, value)
    return high - low if high > low else 0.0


@compiled(nogil=True)
def forward_logs(score, move, first, last, ahead):
    """Fill the log sums of all prefixes that end in each tag; return the log of the total."""
    length, tags = score.shape
    ahead[0] = first + score[0]
    for t in range(1, length):
        for j in range(tags):
            ahead[t, j] = score[t, j] + add_logs(ahead[t - 1] + move[:, j])
    return add_logs(ahead[length - 1] + last)


@compiled(nogil=True)
def backward_logs(score, move, last, behind):
    """Fill the log sums of all suffixes after each tag."""
    length, tags = score.shape
    behind[length - 1] = last
    for t in range(length - 2, -1, -1):
        for i in range(tags):
            behind[t, i] = add_logs(move[i] + score[t + 1] + behind[t + 1])


@compiled(nogil=True)
def marginals_by_logs(score, move, first, last, single, pair):
    """Marginals of tags, and summed marginals of pairs of tags, with logarithms."""
    length, tags = score.shape
    ahead, behind = np.empty((length, tags)), np.empty((length, tags))
    total = forward_logs(score, move, first, last, ahead)
    if total == -np.inf:
        return total
    backward_logs(score, move, last, behind)
    # normalise each token separately: the total of a long sentence is less exact
    for t in range(length):
        whole = add_logs(ahead[t] + behind[t])
        for j in range(tags):
            single[t, j] = np.exp(ahead[t, j] + behind[t, j] - whole)
            if t > 0:
                for i in range(tags):
                    pair[i, j] += np.exp(
                        ahead[t - 1, i] + move[i, j] + score[t, j] + behind[t, j] - whole
                    )
    return total


@compiled(inline="always")
def multiply(row, matrix, out):
    """Multiply a row by a matrix, four rows at a time, which vectorises well."""
    count = out.size
    out[:] = 0.0
    whole = count // 4 * 4
    for i in range(0, whole, 4):
        a, b, c, d = row[i], row[i + 1], row[i + 2], row[i + 3]
        for j in range(count):
            out[j] += (
                a * matrix[i, j]
                + b * matrix[i + 1, j]
                + c * matrix[i + 2, j]
                + d * matrix[i + 3, j]
            )
    for i in range(whole, count):
        a = row[i]
        for j in range(count):
            out[j] += a * matrix[i, j]


@compiled(inline="always")
def add_products(left, right, out):
    """Add left[t, i] · right[t, j], summed over t."""
    length, count = left.shape
    whole = length // 4 * 4
    for t in range(0, whole, 4):
        for i in range(count):
            a, b, c, d = left[t, i], left[t + 1, i], left[t + 2, i], left[t + 3, i]
            for j in range(count):
                out[i, j] += (
                    a * right[t, j]
                    + b * right[t + 1, j]
                    + c * right[t + 2, j]
                    + d * right[t + 3, j]
                )
    for t in range(whole, length):
        for i in range(count):
            a = left[t, i]
            for j in range(count):
                out[i, j] += a * right[t, j]


@compiled(nogil=True, fastmath=False)
def exponentials(score, out):
    """Fill e^(score − row maximum), 0 for −∞; return the widest range and the sum of maxima."""
    widest, total = 0.0, 0.0
    for t in range(score.shape[0]):
        here, there = score[t], out[t]
        top, low = -np.inf, np.inf
        for value in here:
            top = max(top, value)
            low = min(low, value if value > -np.inf else np.inf)
        if top == -np.inf:
            return np.inf, 0.0
        widest = max(widest, top - low)
        total += top
        for j in range(here.size):
            shifted = here[j] - top
            there[j] = exponential(shifted) if shifted > -MOST else 0.0
    return widest, total


@compiled(nogil=True)
def scaled_marginals(score, weight, first, last, space, single, pair):
    """Marginals of tags, summed marginals of pairs of tags, and the log of the total.

    `weight` holds the exponentials of the moves and their transpose; `first` and `last` are
    exponentials too. `pair` must still be multiplied by `weight[0]`. `space` is scratch space for
    three matrices of the size of `score`; the first contains its exponentials. Returns NaN, and
    leaves `pair` unchanged, if the sums underflow.
    """
    length, tags = score.shape
    local, ahead, held = space[0, :length], space[1, :length], space[2, :length]
    total = 0.0
    for t in range(length):
        if t == 0:
            ahead[0] = first
        else:
            multiply(ahead[t - 1], weight[0], ahead[t])
        here, factor = ahead[t], local[t]
        scale = 0.0
        for j in range(tags):
            here[j] *= factor[j]
            scale += here[j]
        if not scale > 0.0:
            return np.nan
        total += np.log(scale)
        scale = 1.0 / scale
        for j in range(tags):
            here[j] *= scale
            factor[j] *= scale
    final = (ahead[length - 1] * last).sum()
    if not final > 0.0:
        return np.nan
    behind = last / final
    for t in range(length - 1, -1, -1):
        here, factor, out, follow = ahead[t], local[t], single[t], held[t]
        for j in range(tags):
            out[j] = here[j] * behind[j]
            follow[j] = factor[j] * behind[j]
        if t > 0:
            multiply(follow, weight[1], behind)
    add_products(ahead[: length - 1], held[1:length], pair)
    return total + np.log(final)


@compiled(nogil=True)
def prepared(move, first, last):
    """Exponentials of moves (plain and transposed) and of the ends, after subtracting maxima.

    Also returns the maxima that were subtracted, and the range of all scores.
    """
    tags = move.shape[0]
    top = move.max()
    weight = np.empty((2, tags, tags))
    weight[0] = np.exp(move - top)
    weight[1] = weight[0].T
    begins, closes = np.exp(first - first.max()), np.exp(last - last.max())
    spread = 2.0 * apart(move) + apart(first) + apart(last)
    return weight, begins, closes, top, first.max() + last.max(), spread


@compiled(nogil=True)
def sentence_marginals(score, move, first, last, ready, space, single, counted, pair):
    """Marginals of one sentence, and the log of its sum.

    Pairs of tags are added to `counted`, which must still be multiplied by the exponentials of
    moves, or to `pair` if the sentence was computed with logarithms.
    """
    weight, begins, closes, top, ends, spread = ready
    widest, shift = exponentials(score, space[0])
    found = np.nan
    if 2.0 * widest + spread < FAR:
        found = scaled_marginals(score, weight, begins, closes, space, single, counted)
    if np.isnan(found):
        return marginals_by_logs(score, move, first, last, single, pair)
    return found + shift + ends + (score.shape[0] - 1) * top


@compiled(nogil=True)
def marginals(start, score, move, first, last, chosen, single, pair, total):
    """Marginals of all tokens of the chosen sentences; pairs of tags summed over them."""
    tags = move.shape[0]
    ready = prepared(move, first, last)
    space = np.empty((3, np.diff(start).max() if start.size > 1 else 0, tags))
    counted = np.zeros((tags, tags))
    for k in chosen:
        begin, end = start[k], start[k + 1]
        if begin == end:
            total[k] = 0.0
            continue
        total[k] = sentence_marginals(
            score[begin:end], move, first, last, ready, space, single[begin:end], counted, pair
        )
    pair += counted * ready[0][0]


@compiled(nogil=True)
def best_paths(start, score, move, first, last, path, value):
    """The best sequence of every sentence, and its score (Viterbi); ties go to the first tag."""
    tags = score.shape[1]
    for k in range(start.size - 1):
        begin, end = start[k], start[k + 1]
        if begin == end:
            value[k] = 0.0
            continue
        reached, fresh = first + score[begin], np.empty(tags)
        came = np.zeros((end - begin, tags), np.int64)
        for t in range(begin + 1, end):
            fresh[:] = -np.inf
            origin = came[t - begin]
            for i in range(tags):  # previous tag outside, so the inner loop vectorises
                so_far = reached[i]
                for j in range(tags):
                    candidate = so_far + move[i, j]
                    better = candidate > fresh[j]
                    fresh[j] = candidate if better else fresh[j]
                    origin[j] = i if better else origin[j]
            for j in range(tags):
                reached[j] = fresh[j] + score[t, j]
        reached = reached + last
        at = int(reached.argmax())
        value[k] = reached[at]
        for t in range(end - 1, begin - 1, -1):
            path[t] = at
            at = came[t - begin, at]


@compiled(nogil=True)
def draw(weights, u):
    """The index at which the cumulative weights exceed the share u of the total."""
    aim = u * weights.sum()
    reached = 0.0
    for i in range(weights.size):
        reached += weights[i]
        if aim < reached:
            return i
    return int(weights.argmax())  # reached only by rounding


@compiled(nogil=True)
def sample_paths(score, move, first, last, uniform, path):
    """Draw sequences of one sentence: forward sums, then backward draws from `uniform`."""
    length, tags = score.shape
    ahead = np.empty((length, tags))
    total = forward_logs(score, move, first, last, ahead)
    if total == -np.inf:
        return False
    ending = ahead[length - 1] + last
    ending = np.exp(ending - ending.max())
    before = np.empty((length, tags, tags))  # by token and tag: weights of the previous tag
    for t in range(1, length):
        for j in range(tags):
            into = ahead[t - 1] + move[:, j]
            top = into.max()
            if top > -np.inf:
                before[t, j] = np.exp(into - top)
            else:
                before[t, j] = 0.0
    for s in range(uniform.shape[0]):
        at = draw(ending, uniform[s, length - 1])
        path[s, length - 1] = at
        for t in range(length - 1, 0, -1):
            at = draw(before[t, at], uniform[s, t - 1])
            path[s, t - 1] = at
    return True


@compiled(nogil=True)
def best_few(score, move, first, last, count, path, value):
    """The `count` best sequences of one sentence, the best first; returns how many there are."""
    length, tags = score.shape
    reached = np.full((length, tags, count), -np.inf)
    came = np.zeros((length, tags, count), np.int64)  # previous tag times count, plus its rank
    for j in range(tags):
        reached[0, j, 0] = first[j] + score[0, j]
    for t in range(1, length):
        for j in range(tags):
            into = (reached[t - 1] + move[:, j].copy().reshape(tags, 1)).ravel()
            order = np.argsort(-into, kind="mergesort")[:count]
            for r in range(order.size):
                reached[t, j, r] = into[order[r]] + score[t, j]
                came[t, j, r] = order[r]
    ending = (reached[length - 1] + last.copy().reshape(tags, 1)).ravel()
    order = np.argsort(-ending, kind="mergesort")[:count]
    found = 0
    for r in range(order.size):
        if ending[order[r]] == -np.inf:
            break
        value[found] = ending[order[r]]
        at = order[r]
        for t in range(length - 1, -1, -1):
            path[found, t] = at // count
            at = came[t, at // count, at % count]
        found += 1
    return found


@compiled(nogil=True)
def messages(start, score, move, first, last, ahead, behind, whole):
    """Log sums of all prefixes and suffixes at every tag, and their total at every word."""
    for k in range(start.size - 1):
        begin, end = start[k], start[k + 1]
        if begin == end:
            continue
        here, before, after = score[begin:end], ahead[begin:end], behind[begin:end]
        forward_logs(here, move, first, last, before)
        backward_logs(here, move, last, after)
        for t in range(begin, end):
            whole[t] = add_logs(ahead[t] + behind[t])
