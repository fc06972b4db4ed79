"""Distributions of numbers of yes answers, and sums of rows by category."""

from calibrant.kernels.compiled import compiled


@compiled(nogil=True)
def add_answers(q, found, tail):
    """Add independent yes/no answers to a distribution, which starts as that of `found`.

    At each step, ends of the distribution with less than `tail` of the probability are cut off.
    """
    low, high = 0, 0
    for j in range(q.size):
        yes = q[j]
        found[high + 1] = found[high] * yes
        for k in range(high, low, -1):
            found[k] += yes * (found[k - 1] - found[k])
        found[low] *= 1 - yes
        high += 1
        while high > low and found[high] < tail:
            found[high] = 0.0
            high -= 1
        while low < high and found[low] < tail:
            found[low] = 0.0
            low += 1


@compiled(nogil=True)
def add_rows(code, q, best, sums):
    """Add single questions to the sums of their categories.

    The columns of `sums` are: rows, Σ q, Σ q(1 − q), Σ q(1 − q)(1 − 2q), and the naive count.
    """
    for j in range(code.size):
        p = q[j]
        own = sums[code[j]]
        spread = p * (1 - p)
        own[0] += 1
        own[1] += p
        own[2] += spread
        own[3] += spread * (1 - 2 * p)
        own[4] += best[j]
