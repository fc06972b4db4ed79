"""Limits of the number of yes answers among independent units, from their distributions.

The sum of independent yes/no answers has the Poisson-binomial distribution. It is computed exactly
by convolution where that is cheap. Otherwise its quantiles are those of the normal distribution
refined for skewness (Hong, 2013, doi:10.1016/j.csda.2012.10.006), whose error falls with the
variance.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibrant.calibration.groups.few_groups import normal_quantile
from calibrant.checks.arrays import sum_by

if TYPE_CHECKING:
    from calibrant.pairs.tallies import Tallies

Float = NDArray[np.float64]
Int = NDArray[np.int64]
LARGE = 100.0  # variance from which the refined normal leaves out at most 0.0005 too much
MOST_STEPS = 2e8  # of an exact distribution, whose steps are rows times the numbers they may add to
TAIL = 1e-12  # probability that may be cut off
DIRECT = 200  # shorter distributions are convolved without Fourier transforms


class Beliefs(NamedTuple):
    """Sums over the units of each category; means, variances and third moments add up."""

    asked: Float
    expected: Float
    variance: Float
    third: Float
    best: Float

    def with_total(self) -> "Beliefs":
        """The same, with the sum of all categories as the last entry."""
        return Beliefs(*(np.append(each, each.sum()) for each in self))


def beliefs_by_category(tallies: "Tallies", code: Int, count: int) -> Beliefs:
    """Sum the units of each category; a unit counts as often as its weight."""
    if tallies.rows and tallies.weight is None:
        from calibrant.kernels.calibration.counting import add_rows

        sums = np.zeros((count, 5))
        add_rows(code, tallies.expected, tallies.best, sums)
        asked, expected, variance, third, best = sums.T.copy()
        return Beliefs(asked, expected, variance, third, best)
    weight = np.ones(len(tallies)) if tallies.weight is None else tallies.weight
    columns = (
        weight * tallies.asked,
        weight * tallies.expected,
        weight**2 * tallies.variance,
        weight**3 * third_moments(tallies),
        weight * tallies.best,
    )
    return Beliefs(*(sum_by(code, each, count) for each in columns))


def third_moments(tallies: "Tallies") -> Float:
    """The third central moment of each unit; 0 where the distribution is not known."""
    if tallies.rows:
        return tallies.variance * (1 - 2 * tallies.expected)
    if tallies.start is None or tallies.probabilities is None:
        return np.zeros(len(tallies))
    size = np.diff(tallies.start)
    number = np.arange(tallies.probabilities.size) - np.repeat(tallies.start[:-1], size)
    away = number - np.repeat(tallies.expected, size)
    return np.asarray(np.add.reduceat(away**3 * tallies.probabilities, tallies.start[:-1]))


def distribution_of_sum(chances: Sequence[Float]) -> Float:
    """The distribution of a sum of independent numbers, each with probabilities of 0, 1, 2, ...

    >>> distribution_of_sum([np.array([0.5, 0.5]), np.array([0.5, 0.5])]).tolist()
    [0.25, 0.5, 0.25]
    """
    from scipy.signal import fftconvolve

    parts = [np.asarray(each, np.float64) for each in chances] or [np.ones(1)]
    while len(parts) > 1:  # neighbours have about equal lengths
        merged = []
        for one, other in zip(parts[::2], parts[1::2], strict=False):
            plain = min(one.size, other.size) < DIRECT
            added = np.convolve(one, other) if plain else fftconvolve(one, other)
            merged.append(np.maximum(added, 0.0))
        parts = merged + parts[2 * len(merged) :]
    return parts[0]


def yes_distribution(q: Float) -> Float:
    """The distribution of the number of yes answers to independent questions.

    >>> yes_distribution(np.array([0.5, 0.5, 1.0])).tolist()
    [0.0, 0.25, 0.5, 0.25]
    """
    from calibrant.kernels.calibration.counting import add_answers

    open_ = np.sort(q[(q > 0) & (q < 1)])
    found = np.zeros(open_.size + 1)
    found[0] = 1.0
    add_answers(open_, found, TAIL / max(open_.size, 1))
    return np.concatenate([np.zeros(int((q == 1).sum())), found])


def exact_limits(chances: Float, level: float) -> tuple[float, float]:
    """The limits beyond which at most (1 − level)/2 of the probability lies on either side.

    >>> exact_limits(np.array([0.02, 0.48, 0.48, 0.02]), 0.95)
    (1.0, 2.0)
    """
    tail = (1 - level) / 2
    below, above = np.cumsum(chances), np.cumsum(chances[::-1])
    low = int(np.searchsorted(below, tail, side="right"))
    high = chances.size - 1 - int(np.searchsorted(above, tail, side="right"))
    return float(min(low, high)), float(max(low, high))


def refined_limits(
    mean: Float, variance: Float, third: Float, level: float, whole: bool
) -> tuple[Float, Float]:
    """The same from three moments, by the expansion of Cornish and Fisher; several sums at once.

    `whole` says whether the sums are whole numbers.
    """
    z = normal_quantile(level)
    spread = np.sqrt(variance)
    skewness = np.divide(third, spread**3, out=np.zeros_like(spread), where=spread > 0)
    bend = skewness * (z**2 - 1) / 6
    low, high = mean + spread * (bend - z), mean + spread * (bend + z)
    return (np.rint(low), np.rint(high)) if whole else (low, high)


def limits_of_sums(
    tallies: "Tallies", code: Int, beliefs: Beliefs, level: float
) -> tuple[Float, Float]:
    """Limits of the number of yes answers in each category, and in all of them (the last entry).

    `beliefs` are those of `beliefs_by_category`, with the total.
    """
    whole = tallies.weight is None
    low, high = refined_limits(
        beliefs.expected, beliefs.variance, beliefs.third, level, whole and tallies.known
    )
    if whole and tallies.known:
        order, start = _sorted_by(code, beliefs.expected.size - 1)
        for k in np.flatnonzero(beliefs.variance < LARGE).tolist():
            mine = order[start[k] : start[k + 1]] if k < start.size - 1 else order
            reach = beliefs.expected[k] + 20
            if mine.size * min(reach, mine.size) <= MOST_STEPS:
                low[k], high[k] = exact_limits(_distribution(tallies, mine), level)
    least, most = (0.0, beliefs.asked) if tallies.rows else (0.0, np.inf)
    return np.clip(low, least, most), np.clip(high, least, most)


def _distribution(tallies: "Tallies", units: Int) -> Float:
    if tallies.rows:
        return yes_distribution(tallies.expected[units])
    found = [tallies.distribution(unit) for unit in units.tolist()]
    return distribution_of_sum([each for each in found if each is not None])


def _sorted_by(code: Int, count: int) -> tuple[Int, Int]:
    """The units in the order of their categories, and where each category begins."""
    order = np.argsort(code, kind="stable")
    return order, np.searchsorted(code[order], np.arange(count + 1))
