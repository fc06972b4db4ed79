"""The probability of every span: tags B, I, E and S of one type, as conlleval reads them.

B and S begin a span; so do I and E unless B or I of the same type is before them. I and E
continue a span after B or I, and anything else ends it; E and S end it themselves. Sums are
logarithms, with the largest subtracted at every token, so that they stay small in long sentences.
Only allowed parts are added; nothing is subtracted, so no precision is lost.

`marks` are the columns of B, I, E and S, −1 for tags that the model lacks.
"""

import numpy as np

from calibrant.kernels.compiled import compiled


@compiled(nogil=True)
def add_but(values, one, other):
    """Log Σ exp of all values except two; −1 excludes none."""
    top = -np.inf
    for j in range(values.size):
        if j != one and j != other:
            top = max(top, values[j])
    if top == -np.inf:
        return top
    total = 0.0
    for j in range(values.size):
        if j != one and j != other:
            total += np.exp(values[j] - top)
    return top + np.log(total)


@compiled(nogil=True)
def level_sums(score, move, first, last, ahead, behind, scale):
    """Log sums of all prefixes and suffixes; every token subtracts its `scale`."""
    length, tags = score.shape
    ahead[0] = first + score[0]
    for t in range(length):
        if t > 0:
            for j in range(tags):
                ahead[t, j] = score[t, j] + add_but(ahead[t - 1] + move[:, j], -1, -1)
        scale[t] = ahead[t].max()
        ahead[t] -= scale[t]
    behind[length - 1] = last
    for t in range(length - 2, -1, -1):
        following = score[t + 1] + behind[t + 1] - scale[t + 1]
        for i in range(tags):
            behind[t, i] = add_but(move[i] + following, -1, -1)


@compiled(nogil=True)
def starts(score, move, first, ahead, scale, marks):
    """Log sums of all prefixes that end in each mark, if that mark begins a span."""
    length = score.shape[0]
    into = np.full((4, length), -np.inf)
    for k in range(4):
        tag = marks[k]
        if tag < 0:
            continue
        if k == 0 or k == 3:
            into[k] = ahead[:, tag]
            continue
        into[k, 0] = first[tag] + score[0, tag] - scale[0]
        for t in range(1, length):
            before = add_but(ahead[t - 1] + move[:, tag], marks[0], marks[1])
            into[k, t] = score[t, tag] + before - scale[t]
    return into


@compiled(nogil=True)
def endings(score, move, last, behind, scale, marks):
    """Log sums of all suffixes after each mark, and of those that end the span there."""
    length = score.shape[0]
    stay, close = np.full((4, length), -np.inf), np.full((4, length), -np.inf)
    for k in range(4):
        tag = marks[k]
        if tag < 0:
            continue
        stay[k] = behind[:, tag]
        if k >= 2:
            close[k] = behind[:, tag]
            continue
        close[k, length - 1] = last[tag]
        for t in range(length - 1):
            following = score[t + 1] + behind[t + 1] - scale[t + 1]
            close[k, t] = add_but(move[tag] + following, marks[1], marks[2])
    return stay, close


@compiled(nogil=True)
def onward_steps(score, move, scale, marks):
    """Log weights of continuing to each token with I or E (first axis) after B or I (second)."""
    length = score.shape[0]
    step = np.full((2, 2, length), -np.inf)
    for to in range(2):
        for k in range(2):
            tag, its = marks[k], marks[to + 1]
            if tag >= 0 and its >= 0:
                step[to, k] = move[tag, its] + score[:, its] - scale
    return step


@compiled(nogil=True)
def add_marks(here, after):
    """Log Σ exp over the four marks of the prefix sum plus the suffix sum."""
    both = np.logaddexp(here[0] + after[0], here[1] + after[1])
    return np.logaddexp(both, np.logaddexp(here[2] + after[2], here[3] + after[3]))


@compiled(nogil=True)
def larger(array):
    """Copy an array to one of twice the size."""
    room = np.empty(2 * array.size, array.dtype)
    room[: array.size] = array
    return room


@compiled(nogil=True)
def go_on(here, step, t):
    """Continue spans that are open before token t, with I or E."""
    inside = np.logaddexp(here[0] + step[0, 0, t], here[1] + step[0, 1, t])
    here[2] = np.logaddexp(here[0] + step[1, 0, t], here[1] + step[1, 1, t])
    here[0], here[1], here[3] = -np.inf, inside, -np.inf


@compiled(nogil=True)
def follow(into, stay, close, step, whole, floor):
    """Extend every span start until no longer span can reach the floor."""
    length = whole.size
    begins, ends, shares = np.empty(16, np.int64), np.empty(16, np.int64), np.empty(16)
    used = 0
    here = np.empty(4)
    for begin in range(length):
        here[:] = into[:, begin]
        for t in range(begin, length):
            # the probability that these tags are in one span bounds that of longer spans
            if np.exp(add_marks(here, stay[:, t]) - whole[t]) < floor:
                break
            share = np.exp(add_marks(here, close[:, t]) - whole[t])
            if share >= floor:
                if used == begins.size:
                    begins, ends, shares = larger(begins), larger(ends), larger(shares)
                begins[used], ends[used], shares[used] = begin, t + 1, min(share, 1.0)
                used += 1
            if t + 1 < length:
                go_on(here, step, t + 1)
    return begins[:used], ends[:used], shares[:used]


@compiled(nogil=True)
def parts_of(score, move, first, last, marks):
    """The sums that spans are made of: starts, suffixes, endings, steps, and all sequences."""
    length, tags = score.shape
    ahead, behind = np.empty((length, tags)), np.empty((length, tags))
    scale, whole = np.empty(length), np.empty(length)
    level_sums(score, move, first, last, ahead, behind, scale)
    for t in range(length):
        whole[t] = add_but(ahead[t] + behind[t], -1, -1)
    into = starts(score, move, first, ahead, scale, marks)
    stay, close = endings(score, move, last, behind, scale, marks)
    return into, stay, close, onward_steps(score, move, scale, marks), whole


@compiled(nogil=True)
def spans_of(score, move, first, last, marks, floor):
    """Begin, end and probability of all spans of one sentence that reach the floor."""
    into, stay, close, step, whole = parts_of(score, move, first, last, marks)
    return follow(into, stay, close, step, whole, floor)


@compiled(nogil=True)
def given_spans(score, move, first, last, marks, begins, ends, shares):
    """Fill in the probability of each given span of one sentence."""
    into, _, close, step, whole = parts_of(score, move, first, last, marks)
    here = np.empty(4)
    for k in range(begins.size):
        here[:] = into[:, begins[k]]
        for t in range(begins[k] + 1, ends[k]):
            go_on(here, step, t)
        at = ends[k] - 1
        shares[k] = min(np.exp(add_marks(here, close[:, at]) - whole[at]), 1.0)
