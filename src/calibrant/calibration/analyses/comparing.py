"""Compare several models on the same questions.

The difference of two scores is computed again without each group (the jackknife), for both models
at once. So the difficulty of the test set, which both share, cancels. Its test and its interval
come from the same standard error and Student's t, so they never contradict each other.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from calibrant.calibration.analyses.comparison import Comparison
from calibrant.calibration.analyses.leaving_out import Folds, left_out_totals
from calibrant.calibration.gaps.norms import Squared
from calibrant.calibration.groups.few_groups import reach
from calibrant.calibration.groups.limits import arm
from calibrant.calibration.groups.units import refuse_one_group
from calibrant.calibration.intervals import Bootstrap
from calibrant.calibration.scores import CalibrationError, CalibScore, MeanLoss, Score
from calibrant.errors import UnsupportedError
from calibrant.pairs import Pairs
from calibrant.pairs.groups import effective_number
from calibrant.results.estimate import Estimate, signature

Float = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Difference:
    """The difference of two scores, how far its interval reaches, and its p-value."""

    value: float
    low: float
    high: float
    p_value: float


@dataclass(frozen=True, eq=False)
class Sums:
    """The sums behind two scores, before any root, and their changes without each fold."""

    a: float
    b: float
    changes_a: Float
    changes_b: Float
    folds: Folds

    @property
    def effective(self) -> float:
        """The effective number of groups."""
        return effective_number(self.folds.share)

    @property
    def least(self) -> float:
        """The smallest p-value: few groups may all agree by chance."""
        return float(min(1.0, 2.0 ** (1 - self.folds.share.size)))

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
        spread = float(np.sqrt(np.sum((self.changes_a - self.changes_b) ** 2)))
        half = reach(level, self.effective) * spread
        ends = [value - half, value, value + half]
        if root:
            middle = (max(self.a, 0.0) + max(self.b, 0.0)) / 2
            ends = [root_difference(each, middle) for each in ends]
        return Difference(ends[1], ends[0], ends[2], self.p_value(value, spread))

    def by_arms(self, a: Estimate, b: Estimate, level: float) -> Difference:
        """From the intervals of the two scores (Zou and Donner, 2008), for other scores.

        Their intervals are honest where the scores bend, as absolute gaps do at 0. If one of the
        scores may be 0, the lengths of their arms are added.
        """
        assert a.low is not None and a.high is not None and b.low is not None and b.high is not None
        value = a.value - b.value
        related = -1.0 if min(a.low, b.low) <= 0 else self.correlation
        below = arm(a.value - a.low, b.high - b.value, related)
        above = arm(a.high - a.value, b.value - b.low, related)
        towards_0 = below if value > 0 else above
        p = self.p_value(value, towards_0 / reach(level, self.effective))
        return Difference(value, value - below, value + above, p)


def root_difference(value: float, middle: float) -> float:
    """The difference of the roots of two sums that differ by `value` around a middle.

    Sums are not negative: if `value` is too large for the middle, the smaller sum is 0.
    """
    if abs(value) >= 2 * middle:
        return float(np.sign(value) * np.sqrt(abs(value)))
    return float(np.sqrt(middle + value / 2) - np.sqrt(middle - value / 2))


def compare_models(
    models: Mapping[str, Pairs],
    score: Score,
    level: float,
    interval: Bootstrap | None,
    estimates: Mapping[str, Estimate],
) -> Comparison:
    """Compare every two models; without an interval, compute only their differences."""
    _refuse_incomparable(score, estimates)
    names = sorted(models, key=lambda name: estimates[name].value)
    ranked = {name: estimates[name] for name in names}
    pairs = list(combinations(names, 2))
    first = next(iter(models.values()))
    if interval is None:
        signed = signature(repr(score), first)
        plain = {(a, b): _plain(f"{a} − {b}", ranked[a], ranked[b], signed) for a, b in pairs}
        return Comparison(ranked, plain, {}, {})
    refuse_one_group(first.groups, bare=True)
    signed = signature(repr(score), first, interval.spelled(), f"level={level:g}")
    folds = Folds.of(models)
    totals = {name: left_out_totals(score, each, folds) for name, each in models.items()}
    found = {}
    for a, b in pairs:
        sums = Sums(totals[a][0], totals[b][0], totals[a][1], totals[b][1], folds)
        if _smooth(score):
            found[a, b] = sums.by_jackknife(level, isinstance(score, CalibScore))
        else:
            found[a, b] = sums.by_arms(ranked[a], ranked[b], level)
    differences = {
        (a, b): _estimate(_plain(f"{a} − {b}", ranked[a], ranked[b], signed), each, level)
        for (a, b), each in found.items()
    }
    p_values = {pair: each.p_value for pair, each in found.items()}
    return Comparison(ranked, differences, p_values, _holm(p_values))


def _refuse_incomparable(score: Score, estimates: Mapping[str, Estimate]) -> None:
    if score.above is not None or score.below is not None:
        raise UnsupportedError(
            "Models put different questions into a range of q, so they cannot be compared there: "
            "leave above and below out."
        )
    for name, estimate in estimates.items():
        if not np.isfinite(estimate.value):
            raise UnsupportedError(
                f"{estimate.score} of {name} is infinite, so it cannot be compared."
            )


def _plain(name: str, a: Estimate, b: Estimate, signature: str) -> Estimate:
    """The difference of two scores, without an interval."""
    return replace(
        a,
        score=name,
        value=a.value - b.value,
        low=None,
        high=None,
        plugin=None,
        too_small=0,
        signature=signature,
    )


def _smooth(score: Score) -> bool:
    """Whether a score is a mean or a sum of squares, so that the jackknife is right."""
    return isinstance(score, MeanLoss) or (
        isinstance(score, CalibrationError) and isinstance(score.norm, Squared)
    )


def _estimate(plain: Estimate, found: Difference, level: float) -> Estimate:
    """The difference with its interval, which excludes 0 exactly if p < 1 − level."""
    low, high = min(found.low, plain.value), max(found.high, plain.value)
    if found.p_value >= 1 - level:  # the smallest p-value that few groups can show
        low, high = min(low, 0.0), max(high, 0.0)
    return replace(plain, low=low, high=high)


def _holm(p_values: Mapping[tuple[str, str], float]) -> dict[tuple[str, str], float]:
    """Adjust p-values for multiple comparisons, by Holm's method."""
    adjusted, least = {}, 0.0
    for rank, (pair, p) in enumerate(sorted(p_values.items(), key=lambda item: item[1])):
        least = max(least, min(1.0, p * (len(p_values) - rank)))
        adjusted[pair] = least
    return {pair: adjusted[pair] for pair in p_values}
