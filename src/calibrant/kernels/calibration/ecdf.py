"""The probability that the counts of uniform draws stay within a band."""

from math import exp, lgamma, log, sqrt

import numpy as np

from calibrant.kernels.compiled import compiled

FAR = 10.0  # standard deviations beyond which the probability of a step is neglected


@compiled(inline="always")
def poisson(k, mean):
    """The probability of k under a Poisson distribution."""
    return exp(k * log(mean) - mean - lgamma(k + 1.0))


@compiled(nogil=True)
def stay_inside(n, step, low, high):
    """P(low_k ≤ count_k ≤ high_k for all k), count_k of n uniform draws below Σ step_1..k.

    The counts of disjoint cells are independent Poisson counts, conditional on their sum n. So each
    point is one convolution, and the result is divided by the probability of the total n.
    """
    held = np.ones(1)
    first = 0  # the count of held[0]
    for k in range(step.size + 1):
        last = k == step.size
        lower = n if last else low[k]
        upper = n if last else high[k]
        width = 1.0 - step.sum() if last else step[k]
        if lower > upper:
            return 0.0
        mean = n * width
        reach = FAR * sqrt(mean) + 20.0
        least = max(0, lower - (first + held.size - 1), int(mean - reach))
        most = min(upper - first, int(mean + reach))
        chance = np.array([poisson(d, mean) for d in range(least, most + 1)])
        moved = np.zeros(upper - lower + 1)
        for i in range(held.size):
            weight = held[i]
            begin = max(least, lower - first - i)
            end = min(most, upper - first - i)
            offset = first + i - lower
            for d in range(begin, end + 1):
                moved[offset + d] += weight * chance[d - least]
        held, first = moved, lower
    return held[0] / poisson(n, float(n))
