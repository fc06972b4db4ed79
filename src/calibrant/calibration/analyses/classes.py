"""The scores of all classes of a posterior, and their summary.

The gaps of all K classes together are the gaps of one curve over K times as many pairs, in which
the pairs of one item depend on each other. The score of that curve is the mean over classes, so
its interval, which resamples whole items (or sentences, or documents), is the one for the mean.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import median_low
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from calibrant.calibration.analyses.class_losses import class_loss
from calibrant.calibration.curves import AdaptiveBins, Estimator
from calibrant.calibration.curves.binned import BinnedCurve
from calibrant.calibration.gaps.bin_gaps import BinGaps
from calibrant.calibration.gaps.bins import Bins
from calibrant.calibration.gaps.clusters import clusters
from calibrant.calibration.gaps.gaps import Gaps
from calibrant.calibration.gaps.losses import Losses
from calibrant.calibration.gaps.norms import Absolute, Largest, Squared
from calibrant.calibration.groups.few_groups import warn_few
from calibrant.calibration.intervals import Interval
from calibrant.calibration.intervals.group_noise import WIDE
from calibrant.calibration.scores import CalibrationError, CalibScore, MeanLoss, Score
from calibrant.checks.arrays import Label
from calibrant.pairs import Pairs
from calibrant.results.choices import choose
from calibrant.results.estimate import Estimate, signature
from calibrant.results.tabular import Tabular, without_empty_columns

if TYPE_CHECKING:
    import polars


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ClassScores(Tabular):
    """A score for every class, the worst first, and a summary.

    Attributes
    ----------
    scores
        The estimate of each class, by name, the worst first.
    summary
        The mean over classes; for `CalibScore` the root of the mean square, for `MCE` the
        largest. Its interval resamples items (or groups) across classes. There is no interval
        for curves without bins, for scores that are not a mean or maximum over bins, or for a
        score on a range of q, where classes have different numbers of pairs; nor for `ECE` and
        `MCE` if the classes have more than 16,384 bins together.
    pairs
        The pairs of the question "is it this class?", by name, in the order of `scores`.
    curve
        The curve that the score is computed from, for figures.
    together
        How the summary combines the classes, in words.
    left_out
        Classes without any prediction in the range of the score.
    every
        The pairs of all classes, also of those left out, in the order of the posterior.
    interval
        The interval that was asked for.
    """

    scores: Mapping[Label, Estimate]
    summary: Estimate
    pairs: Mapping[Label, Pairs]
    curve: Estimator
    together: str
    left_out: tuple[Label, ...] = ()
    every: tuple[Pairs, ...] = ()
    interval: Interval | None = None

    def __len__(self) -> int:
        return len(self.scores)

    def __getitem__(self, label: Label) -> Estimate:
        return self.scores[label]

    @property
    def decimals(self) -> int:
        """How many decimals to print for the summary and a typical class."""
        return max(self.summary.decimals, median_low(e.decimals for e in self.scores.values()))

    def loss(self, rule: MeanLoss | str) -> Estimate:
        """The mean loss of all K probabilities of an item, with an interval.

        Parameters
        ----------
        rule
            `Brier()`, the mean of Σ (q_k − y_k)² over classes, between 0 and 2 (Brier, 1950); or
            `LogLoss()`, the mean of −log of the probability of the true class; or their printed
            form.

        Examples
        --------
        >>> import calibrant as cb
        >>> posterior = cb.Labels([[0.7, 0.2, 0.1], [0.1, 0.3, 0.6]])
        >>> print(cb.score_classes(posterior, [0, 1], interval=None).loss("Brier"))
        Brier of 3 classes 0.500
        """
        return class_loss(self.every, choose(rule, "score"), self.interval, self.summary.level)

    def frequency(self, label: Label) -> float:
        """How often this class is correct."""
        return self.pairs[label].mean(self.pairs[label].y)

    def predicted(self, label: Label) -> float:
        """The mean predicted probability of this class."""
        return self.pairs[label].mean(self.pairs[label].q)

    def table(self) -> tuple[list[str], list[list[str]]]:
        """Header and rows as text; the summary is the last row."""
        decimals = self.decimals
        rows = [
            [
                str(label),
                *_cells(estimate, decimals),
                f"{self.frequency(label):.4f}",
                f"{self.predicted(label):.4f}",
            ]
            for label, estimate in self.scores.items()
        ]
        rows.append([self.together, *_cells(self.summary, decimals), "", ""])
        level = f"{100 * self.summary.level:g} % interval"
        header = ["class", "value", level, "plug-in", "frequency", "mean q"]
        return without_empty_columns(header, rows)

    def __str__(self) -> str:
        note = f"\nleft out: {', '.join(map(str, self.left_out))}" if self.left_out else ""
        return self.render() + note

    def __repr__(self) -> str:
        return str(self)

    @property
    def note(self) -> str:
        """The line that notebooks show above the table."""
        return self.summary.signature

    @property
    def signature(self) -> str:
        """The signature of the scores, in one line."""
        return self.summary.signature

    def to_frame(self) -> "polars.DataFrame":
        """One row per class, the worst first."""
        import polars

        return polars.DataFrame(
            [
                {
                    "class": label,
                    **estimate.to_dict(),
                    "frequency": self.frequency(label),
                    "mean_q": self.predicted(label),
                }
                for label, estimate in self.scores.items()
            ]
        )


def _cells(estimate: Estimate, decimals: int) -> list[str]:
    return [
        estimate.text("value", decimals),
        estimate.interval_text(decimals),
        estimate.text("plugin", decimals),
    ]


def collect(
    pairs: Mapping[Label, Pairs],
    estimates: Mapping[Label, Estimate],
    score: Score,
    units: NDArray[Any],
    interval: Interval | None,
    level: float,
) -> ClassScores:
    """Order the estimates of classes, and add their summary.

    `units` are the items, or the groups of items, that depend on each other across classes.
    """
    inner = {label: score.within(pairs[label]) for label in estimates}
    order = sorted(estimates, key=lambda label: _badness(estimates[label]), reverse=True)
    together = _in_words(score)
    whole = next(iter(pairs.values()))
    return ClassScores(
        scores={label: estimates[label] for label in order},
        summary=_summary(inner, score, together, whole, units, interval, level),
        pairs={label: pairs[label] for label in order},
        curve=score.curve if isinstance(score, CalibrationError) else AdaptiveBins(),
        together=together,
        left_out=tuple(label for label in pairs if label not in estimates),
        every=tuple(pairs.values()),
        interval=interval,
    )


def _badness(estimate: Estimate) -> tuple[float, float]:
    return estimate.value, estimate.plugin or 0.0


def _summary(
    pairs: Mapping[Label, Pairs],
    score: Score,
    together: str,
    whole: Pairs,
    units: NDArray[Any],
    interval: Interval | None,
    level: float,
) -> Estimate:
    evidence = [score.evidence(each) for each in pairs.values()]
    value, plugin = _values(score, evidence)
    low = high = None
    joint = None if interval is None else _side_by_side(list(pairs.values()), score, units)
    if interval is not None and joint is not None:
        warn_few(whole.effective_groups)
        low, high = interval.around(value, score, joint, level)
        value = interval.shown(value, low)
    name = f"{score!r}, {together} of {len(pairs)} classes"
    how = () if interval is None or low is None else (interval.spelled(), f"level={level:g}")
    return Estimate(
        score=name,
        value=value,
        low=low,
        high=high,
        level=level,
        n=whole.n,
        groups=whole.groups,
        plugin=plugin,
        too_small=sum(each.too_small for each in evidence if isinstance(each, Gaps)),
        signature=signature(name, whole, *how),
        effective=whole.effective_groups,
    )


def _in_words(score: Score) -> str:
    if not isinstance(score, CalibrationError):
        return "mean"
    if isinstance(score.norm, Largest):
        return "largest"
    return "root mean square" if isinstance(score, CalibScore) else "mean"


def _values(score: Score, evidence: list[Any]) -> tuple[float, float | None]:
    """The score of all classes together, and its plug-in value."""
    if not isinstance(score, CalibrationError):
        return float(np.mean([score.value(each) for each in evidence])), None
    combine = np.max if isinstance(score.norm, Largest) else np.mean
    totals, plain = ([part(each) for each in evidence] for part in (score.total, score.plain))
    return score.scale(float(combine(totals))), score.scale(float(combine(plain)))


def _side_by_side(pairs: list[Pairs], score: Score, units: NDArray[Any]) -> Gaps | Losses | None:
    """Combine the evidence of all classes, resampled by units; None if that is impossible."""
    if score.above is not None or score.below is not None:
        return None
    if isinstance(score, MeanLoss):
        return score.evidence(_pooled(pairs, units))
    if not isinstance(score, CalibrationError) or not isinstance(score.curve, BinnedCurve):
        return None
    if not isinstance(score.norm, Squared | Absolute | Largest):
        return None  # a quantile of all gaps is not the mean of the quantiles of the classes
    curve = score.curve
    all_bins = [curve.bins(each) for each in pairs]
    bins = Bins(*(np.concatenate(part) for part in zip(*all_bins, strict=True)))
    if bins.n.size > WIDE and not isinstance(score.norm, Squared):
        return None  # their replicates cannot be added up piece by piece
    before = np.cumsum([0, *(each.n.size for each in all_bins[:-1])])
    column = np.concatenate(
        [curve.columns(each) + first for each, first in zip(pairs, before, strict=True)]
    )
    return BinGaps(bins, clusters(_pooled(pairs, units), bins, column=column))


def _pooled(pairs: list[Pairs], units: NDArray[Any]) -> Pairs:
    """Concatenate the pairs of all classes; each unit is a group."""
    y, q = (np.concatenate([getattr(each, name) for each in pairs]) for name in ("y", "q"))
    return Pairs(y, q, group=np.tile(units, len(pairs)))
