"""The difference of two values on the same questions: its interval and its p-value.

The difference is computed again without each group (the jackknife), for both models at once. So
the difficulty of the test set, which both share, cancels. Its test and its interval come from the
same standard error and Student's t, so they never contradict each other.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from calibrant.calibration.analyses.leaving_out import Folds
from calibrant.calibration.groups.few_groups import reach
from calibrant.calibration.groups.limits import arm
from calibrant.pairs.groups import effective_number
from calibrant.results.estimate import Estimate

Float = NDArray[np.float64]
OPPOSITE = -0.5  # correlation of signed scores near 0: −1 in one direction, 0 on the whole


@dataclass(frozen=True, eq=False)
class Difference:
    """The difference of two scores, how far its interval reaches, and its p-value."""

    value: float
    low: float
    high: float
    p_value: float


@dataclass(frozen=True, eq=False)
class Bounded:
    """A score, its interval, and its limits at level 0: where the median of its estimates lies."""

    value: float
    low: float
    least: float
    most: float
    high: float

    @classmethod
    def of(cls, estimate: Estimate, middle: tuple[float, float] | None = None) -> "Bounded":
        """An estimate with its limits at level 0 (default: its value), within its interval."""
        assert estimate.low is not None and estimate.high is not None
        limits = (estimate.value, estimate.value) if middle is None else middle
        least, most = np.clip(sorted(limits), estimate.low, estimate.high).tolist()
        return cls(estimate.value, estimate.low, least, most, estimate.high)


@dataclass(frozen=True, eq=False)
class Sums:
    """The sums behind two scores, before any root, and their changes without each fold."""

    a: float
    b: float
    changes_a: Float
    changes_b: Float
    folds: Folds
    twice: float = 0.0  # the variance that the squares of the changes count twice

    @property
    def effective(self) -> float:
        """The effective number of groups."""
        return effective_number(self.folds.share)

    @property
    def least(self) -> float:
        """The smallest p-value of a difference."""
        return smallest_p(self.folds.share.size)

    @property
    def correlation(self) -> float:
        """The correlation of the two sums over test sets."""
        own = float(self.changes_a @ self.changes_a) * float(self.changes_b @ self.changes_b)
        both = float(self.changes_a @ self.changes_b)
        return float(np.clip(both / np.sqrt(own), -1.0, 1.0)) if own > 0 else 0.0

    def p_value(self, value: float, spread: float) -> float:
        """How often a difference this large would arise by chance; never 0."""
        from scipy.special import stdtr

        if value == 0:
            return 1.0
        if spread == 0:
            return self.least
        freedom = max(self.effective - 1, 1.0)
        return max(float(2 * stdtr(freedom, -abs(value) / spread)), self.least)

    def by_jackknife(self, level: float, root: bool) -> Difference:
        """From the standard error of the difference of the sums, for smooth scores."""
        value = self.a - self.b
        squares = float(np.sum((self.changes_a - self.changes_b) ** 2))
        spread = float(np.sqrt(max(squares - self.twice, squares / 2)))
        half = reach(level, self.effective) * spread
        ends = [value - half, value, value + half]
        if root:
            middle = (max(self.a, 0.0) + max(self.b, 0.0)) / 2
            ends = [root_difference(each, middle) for each in ends]
        return Difference(ends[1], ends[0], ends[2], self.p_value(value, spread))

    def by_arms(self, a: Bounded, b: Bounded, level: float, signed: bool) -> Difference:
        """From the intervals of the two scores (Zou and Donner, 2008), for other scores.

        Their intervals are honest where the scores bend, as absolute gaps do at 0. There the
        values are biased by an amount that is known only within the limits at level 0. So the
        difference of these limits is added to the arms, which reach from them. If one of the
        scores may be 0, a positive correlation is not believed. If gaps cancel each other
        (`signed`), the score of a calibrated model grows with the mean error in both directions,
        and so against that of the other model in one of them.
        """
        related = self.correlation
        if min(a.low, b.low) <= 0:
            related = min(related, OPPOSITE if signed else 0.0)
        return self.by_limits(a, b, level, related)

    def by_sizes(
        self, changes: Float, arms: Difference, calibrated: float, level: float
    ) -> Difference:
        """From the jackknife of squares, for scores that bend at 0, such as means of |gap|.

        `changes` are those of the difference, through squares. Near 0 both values are biased, by
        amounts that depend on the model. So two models are told apart only if at least one is not
        calibrated: `calibrated` is the smaller p-value of that. And the value of a model that may
        be calibrated is too large, so the true difference may be larger than the observed one by
        as much as the intervals of both scores allow (`arms`).
        """
        value = self.a - self.b
        spread = float(np.sqrt(changes @ changes))
        half = reach(level, self.effective) * spread
        low, high = value - half, value + half
        if value > 0:
            high = max(high, arms.high)
        else:
            low = min(low, arms.low)
        return Difference(value, low, high, max(self.p_value(value, spread), calibrated))

    def by_limits(self, a: Bounded, b: Bounded, level: float, related: float) -> Difference:
        """From the intervals of two values with this correlation (Zou, 2007)."""
        least, most = a.least - b.most, a.most - b.least
        below = arm(a.least - a.low, b.high - b.most, related)
        above = arm(a.high - a.most, b.least - b.low, related)
        beyond, towards_0 = max((least, below), (-most, above))
        p = self.p_value(max(beyond, 0.0), towards_0 / reach(level, self.effective))
        return Difference(a.value - b.value, least - below, most + above, p)


def smallest_p(units: int) -> float:
    """The smallest p-value with this many groups or rows: a few may all agree by chance.

    >>> smallest_p(5), smallest_p(6)
    (0.0625, 0.03125)
    """
    return min(1.0, 2.0 ** (1 - units))


def root_difference(value: float, middle: float) -> float:
    """The difference of the roots of two sums that differ by `value` around a middle.

    Sums are not negative: if `value` is too large for the middle, the smaller sum is 0.
    """
    if abs(value) >= 2 * middle:
        return float(np.sign(value) * np.sqrt(abs(value)))
    return float(np.sqrt(middle + value / 2) - np.sqrt(middle - value / 2))


def plain_difference(names: tuple[str, str], a: Estimate, b: Estimate, signed: str) -> Estimate:
    """The difference of two estimates, without an interval."""
    return replace(
        a,
        score=" − ".join(names),
        value=a.value - b.value,
        low=None,
        high=None,
        plugin=None,
        too_small=0,
        signature=signed,
    )


def with_limits(plain: Estimate, found: Difference, level: float) -> Estimate:
    """The difference with its interval, which excludes 0 exactly if p < 1 − level."""
    low, high = min(found.low, plain.value), max(found.high, plain.value)
    if found.p_value >= 1 - level:  # the smallest p-value that few groups can show
        low, high = min(low, 0.0), max(high, 0.0)
    return replace(plain, low=low, high=high)
