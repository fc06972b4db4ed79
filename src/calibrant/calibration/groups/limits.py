"""Confidence limits of means over few, unequal and skewed groups.

The standard error comes from the jackknife over groups, and its quantile from Student's t on the
effective number of groups. If predictions say how much a quantity varies by chance, its noise is
pooled over groups. Three things are added for quantities that are never negative, such as losses
and frequencies. Their variance grows with their mean, so limits are solved for (as Wilson
does for a frequency). Groups with large values are rare and may be missing from the data, so a
limit reaches further on the side to which the groups are skewed (Johnson, 1978,
doi:10.1080/01621459.1978.10480051). And if the predictions promise larger values than were seen,
the missing ones may be a matter of luck, so the upper limit grows with them.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from calibrant.calibration.groups.few_groups import (
    FEW,
    MOST_LEVERAGE,
    grown,
    mean_shifts,
    normal_quantile,
    reach,
)
from calibrant.calibration.groups.pooling import WORTH, Promise
from calibrant.pairs.groups import effective_number

Float = NDArray[np.float64]
SAME = 1e-300  # a smaller spread is none
LEAST = 0.25  # of the variance that groups show: pooling leaves at least as much


def skewed_reach(shifts: Float, side: int, level: float) -> float:
    """The factor by which a limit reaches further on this side (1: above, −1: below).

    `shifts` is what each group adds to an estimate. If they are skewed to one side, groups that
    add much more on that side may be missing from the data.

    >>> skewed_reach(np.array([1.0, -1.0]), 1, 0.95)
    1.0
    >>> round(skewed_reach(np.array([-1.0, -1.0, 2.0]), 1, 0.95), 3)
    1.267
    """
    spread = float(np.sqrt(np.sum(shifts**2)))
    if spread < SAME:
        return 1.0
    skewness = float(np.sum((shifts / spread) ** 3))
    return 1 + max(side * skewness, 0.0) * normal_quantile(level) / 3


@dataclass(frozen=True, eq=False)
class GroupMean:
    """The mean of a quantity, from its sum and its weight in each group."""

    total: Float
    weight: Float
    level: float
    promise: Promise | None = None

    @property
    def value(self) -> float:
        """Σ total / Σ weight."""
        return float(self.total.sum() / self.weight.sum())

    @property
    def shifts(self) -> Float:
        """What each group adds to the mean, as the jackknife shows it."""
        return mean_shifts(self.total, self.weight)

    @property
    def spread(self) -> float:
        """The standard error."""
        return float(np.sqrt(np.sum(self.shifts**2)))

    @property
    def plain_spread(self) -> float:
        """The standard error without the correction for large groups."""
        residual = self.total - self.value * self.weight
        return float(np.sqrt(np.sum(residual**2)) / self.weight.sum())

    @property
    def pooled_spread(self) -> float:
        """The standard error, with noise pooled over groups if predictions say how large it is.

        Only the noise around what the predictions promise is pooled, not what they explain.
        """
        variance = None if self.promise is None else self.promise.variance
        if self.promise is None or variance is None:
            return self.spread
        noise = self.total - self.promise.total
        residual = noise - noise.sum() / self.weight.sum() * self.weight
        share = np.minimum(self.weight / self.weight.sum(), MOST_LEVERAGE)
        correction = variance.pooled(residual**2 / (1 - share)).correction
        shown = self.spread**2
        return float(np.sqrt(max(shown + correction / self.weight.sum() ** 2, LEAST * shown)))

    def longer(self, side: int) -> float:
        """The factor by which a limit reaches further on this side (1: above, −1: below)."""
        return skewed_reach(self.shifts, side, self.level)

    def half(self, *held: Float) -> float:
        """The half-width of a symmetric interval.

        The effective number of groups is the geometric mean of that of all pairs and that of
        what the groups hold of the quantity, if that is less: few groups may hold most of it.
        """
        return reach(self.level, self._worth(*held)) * self.spread

    def pooled_halves(self, *held: Float) -> tuple[float, float]:
        """Half-widths below and above the mean, with the noise of groups pooled.

        The pooled noise is known as if there were more groups. This counts above the mean alone:
        values that are never negative have large positive errors when much noise is seen too, but
        large negative ones when little is seen.
        """
        worth, spread = self._worth(*held), self.pooled_spread
        more = worth
        if self.promise is not None and self.promise.variance is not None:
            more = min(worth + WORTH, max(float((self.weight > 0).sum()), worth))
        return reach(self.level, worth) * spread, reach(self.level, more) * spread

    def _worth(self, *held: Float) -> float:
        effective = effective_number(self.weight)
        own = [effective_number(each) for each in (self.weight, *held) if each.sum() > 0]
        return float(np.sqrt(effective * min(own)))

    def symmetric(self) -> tuple[float, float]:
        """Limits at equal distances."""
        half = reach(self.level, effective_number(self.weight)) * self.spread
        return self.value - half, self.value + half


def loss_limits(mean: GroupMean, expected: float | None) -> tuple[float, float]:
    """Limits of the mean of losses that are never negative.

    `expected` is the mean that the predictions promise, if they promise one.
    """
    value = mean.value
    if mean.spread < SAME or value <= 0:
        return value, value
    halves = mean.pooled_halves(mean.total)
    below, above = (half**2 / value for half in halves)  # the variance, relative to the mean

    def upper(ratio: float) -> float:
        middle = value + ratio / 2
        return float(middle + np.sqrt(middle**2 - value**2))

    above *= mean.longer(1) ** 2
    high = upper(above)
    if expected is not None:
        high = upper(above * grown(min(expected, high), value))
    return value**2 / upper(below), high


def bounded_limits(mean: GroupMean, most: float, more: float = 1.0) -> tuple[float, float]:
    """Limits of a mean between 0 and `most` of values that may be larger, such as entropies.

    The variance is proportional to x(most − x), as that of a frequency. `more` is a factor of the
    standard error.
    """
    value = mean.value / most
    ratio = (more * mean.half(mean.total) / most) ** 2 / (value * (1 - value))
    below, above = ratio * mean.longer(-1) ** 2, ratio * mean.longer(1) ** 2
    return most * _wilson(value, below)[0], most * _wilson(value, above)[1]


def rate_limits(mean: GroupMean, expected: float | None = None) -> tuple[float, float]:
    """Limits of the mean of a quantity between 0 and 1, such as a frequency.

    `expected` is the mean that the predictions promise. The limits of 1 − rate are 1 minus these.
    What is promised widens the limits no further than groups whose members all agree would: no
    dependence gives a rate more variance than that.
    """
    value, other = mean.value, 1 - mean.value
    half = mean.half(mean.total, mean.weight - mean.total)
    if half < SAME or not 0 < value < 1:
        return value, value
    ratio = half**2 / (value * other)
    above, below = ratio * mean.longer(1) ** 2, ratio * mean.longer(-1) ** 2
    low, high = _wilson(value, below)[0], _wilson(value, above)[1]
    if expected is not None:
        effective = effective_number(mean.weight)
        most = reach(mean.level, effective) ** 2 / effective
        above = max(above, min(above * grown(min(expected, high), value), most))
        below = max(below, min(below * grown(min(1 - expected, 1 - low), other), most))
    return _wilson(value, below)[0], _wilson(value, above)[1]


def _wilson(value: float, ratio: float) -> tuple[float, float]:
    """The solutions x of (x − value)² = ratio · x(1 − x)."""
    middle = value + ratio / 2
    away = np.sqrt(ratio * (value * (1 - value) + ratio / 4))
    return float((middle - away) / (1 + ratio)), float((middle + away) / (1 + ratio))


def difference_limits(
    one: GroupMean, other: GroupMean, of_one: tuple[float, float], of_other: tuple[float, float]
) -> tuple[float, float]:
    """Limits of one − other from the limits of each (Zou, 2007).

    The correlation comes from the jackknife. With fewer than five effective groups a positive one
    cannot be trusted and counts as 0.
    """
    product = one.spread * other.spread
    r = float(np.sum(one.shifts * other.shifts)) / product if product > SAME else 0.0
    if effective_number(one.weight) < FEW:
        r = min(r, 0.0)
    down = arm(one.value - of_one[0], of_other[1] - other.value, r)
    up = arm(of_one[1] - one.value, other.value - of_other[0], r)
    difference = one.value - other.value
    return difference - down, difference + up


def arm(one: float, other: float, r: float) -> float:
    """√(one² + other² − 2r · one · other), the distance of a limit of a difference."""
    return float(np.sqrt(max(one**2 + other**2 - 2 * r * one * other, 0.0)))
