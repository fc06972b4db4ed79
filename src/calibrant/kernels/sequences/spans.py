"""The probability of every span: tags B I I ... that go on neither before nor after.

The tag B begins a span; so does I where neither B nor I of the same type is before it. I goes on
with a span, and anything else ends it. Sums are logarithms less their largest at every token,
so that they stay small in long sentences, and only allowed parts are added: nothing is taken off.
"""

import numpy as np

from calibrant.kernels.compiled import compiled


@compiled(nogil=True)
def add_but(values, one, other):
    """Log Σ exp of all values but those two; −1 leaves none out."""
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
    """Log sums of all beginnings and endings, of which every token takes off its `scale`."""
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
def starts(score, move, first, ahead, scale, pair):
    """Log sums of all beginnings that end in B, or in an I that begins a span."""
    b, i = pair
    length = score.shape[0]
    into = np.full((2, length), -np.inf)
    if b >= 0:
        into[0] = ahead[:, b]
    if i >= 0:
        into[1, 0] = first[i] + score[0, i] - scale[0]
        for t in range(1, length):
            into[1, t] = score[t, i] + add_but(ahead[t - 1] + move[:, i], b, i) - scale[t]
    return into


@compiled(nogil=True)
def endings(score, move, last, behind, scale, pair):
    """Log sums of all endings after B and after I: all of them, and those without an I next."""
    length = score.shape[0]
    stay, close = np.full((2, length), -np.inf), np.full((2, length), -np.inf)
    for k in range(2):
        tag = pair[k]
        if tag < 0:
            continue
        stay[k] = behind[:, tag]
        close[k, length - 1] = last[tag]
        for t in range(length - 1):
            following = score[t + 1] + behind[t + 1] - scale[t + 1]
            close[k, t] = add_but(move[tag] + following, pair[1], -1)
    return stay, close


@compiled(nogil=True)
def onward_steps(score, move, scale, pair):
    """Log weights of going on from token to token with I, after B and after I."""
    length = score.shape[0]
    step = np.full((2, length), -np.inf)
    for k in range(2):
        if pair[k] >= 0 and pair[1] >= 0:
            step[k] = move[pair[k], pair[1]] + score[:, pair[1]] - scale
    return step


@compiled(nogil=True)
def larger(array):
    """The array with room for as many values again."""
    room = np.empty(2 * array.size, array.dtype)
    room[: array.size] = array
    return room


@compiled(nogil=True)
def follow(into, stay, close, step, whole, floor):
    """Follow every beginning until no longer span can reach the floor."""
    length = whole.size
    begins, ends, shares = np.empty(16, np.int64), np.empty(16, np.int64), np.empty(16)
    used = 0
    for begin in range(length):
        b, i = into[0, begin], into[1, begin]
        for t in range(begin, length):
            # the probability that these tags are in one span bounds that of all longer ones
            if np.exp(np.logaddexp(b + stay[0, t], i + stay[1, t]) - whole[t]) < floor:
                break
            share = np.exp(np.logaddexp(b + close[0, t], i + close[1, t]) - whole[t])
            if share >= floor:
                if used == begins.size:
                    begins, ends, shares = larger(begins), larger(ends), larger(shares)
                begins[used], ends[used], shares[used] = begin, t + 1, min(share, 1.0)
                used += 1
            if t + 1 < length:
                b, i = -np.inf, np.logaddexp(b + step[0, t + 1], i + step[1, t + 1])
    return begins[:used], ends[:used], shares[:used]


@compiled(nogil=True)
def spans_of(score, move, first, last, pair, floor):
    """Begin, end and probability of all spans of one sentence that reach the floor.

    `pair` are the columns of the tags B and I, −1 where there is none.
    """
    length, tags = score.shape
    ahead, behind = np.empty((length, tags)), np.empty((length, tags))
    scale, whole = np.empty(length), np.empty(length)
    level_sums(score, move, first, last, ahead, behind, scale)
    for t in range(length):
        whole[t] = add_but(ahead[t] + behind[t], -1, -1)
    into = starts(score, move, first, ahead, scale, pair)
    stay, close = endings(score, move, last, behind, scale, pair)
    return follow(into, stay, close, onward_steps(score, move, scale, pair), whole, floor)
