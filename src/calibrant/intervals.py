"""Intervals for scores: `Bootstrap`, the default, and `NormalSampling`, the thesis's.

`Bootstrap` inverts a test. It imagines forecasters whose gaps have the observed pattern, only c
times as large, and keeps every c for which the observed score is not surprising. What replicates
add to the gap of a bin is noise that changes little with c, so a few draws serve all c.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from calibrant.arrays import sum_by
from calibrant.curves.bands import normal_quantile
from calibrant.errors import UnsupportedError
from calibrant.evidence import Clusters, Gaps, Losses
from calibrant.inversion import Family, Worlds, lower_limit, upper_limit
from calibrant.naming import Named
from calibrant.norms import Norm, Squared
from calibrant.parameters import whole_number
from calibrant.patterns import patterns

Float = NDArray[np.float64]
Int = NDArray[np.int64]
Search = Callable[[Worlds, float, float, float, float], float]


class Scored(Protocol):
    """What an interval needs to know of a calibration error."""

    norm: ClassVar[Norm]

    def scale(self, total: float) -> float:
        """From the sum over bins to the scale the score is reported on."""


class Interval(Named, ABC, abstract=True):
    """A way to an interval for a score."""

    kind: ClassVar[str] = "interval"

    @abstractmethod
    def limits(self, score: Any, evidence: Gaps | Losses, level: float) -> tuple[float, float]:  # noqa: ANN401
        """Low and high end at `level`."""


WIDE = 1 << 14  # bins, times replicates, that are held in memory at once
ALMOST = 0.9999  # of the noise is removed in tests: else 0 and 1 positives of n look the same
MOST = 100_000  # replicates: all are held in memory, and more would not be seen in a limit


@dataclass(frozen=True, repr=False)
class Bootstrap(Interval):
    """Resample groups (sentences, documents), or pairs where there are no groups.

    For a calibration error the limits are the smallest and the largest true score under which
    the observed one is not in the outer (1 − level)/2 of its replicates. The replicates belong
    to forecasters with the observed pattern of gaps, scaled; without groups they are drawn from
    the predictions themselves (binomial counts in every bin), with groups from whole groups. So
    the lower limit is 0 exactly when a calibrated model could have produced the data.

    For `Brier` and `LogLoss` the limits are the quantiles of the replicates.

    The result depends on the seed, and neither on the order of rows nor on the labels of groups.

    Parameters
    ----------
    replicates
        How many replicates are drawn.
    seed
        The seed of the draws.
    """

    replicates: int = 1000
    seed: int = 0

    def __post_init__(self) -> None:
        object.__setattr__(
            self, "replicates", whole_number("replicates", self.replicates, 100, MOST)
        )
        object.__setattr__(self, "seed", whole_number("seed", self.seed, 0, 2**63 - 1))

    def limits(self, score: Any, evidence: Gaps | Losses, level: float) -> tuple[float, float]:  # noqa: ANN401
        """Low and high end at `level`."""
        groups = 2 if evidence.groups is None else evidence.groups
        if groups < 2:
            raise UnsupportedError(
                "All pairs are of one group, so nothing tells how much groups differ: "
                "leave the group out, or ask for interval=None."
            )
        if isinstance(evidence, Losses):
            return self._mean(evidence, level)
        return self._gaps(score, evidence, level)

    def _mean(self, losses: Losses, level: float) -> tuple[float, float]:
        if not np.isfinite(losses.value):
            return losses.value, losses.value
        if losses.grouped:
            from calibrant.kernels.groups import resample

            none = np.zeros(0, np.int64)
            start = np.zeros(losses.total.size + 1, np.int64)
            linear = np.column_stack([losses.total, losses.weight])
            _, sums = resample(start, none, np.zeros(0), linear, 0, self.replicates, self.seed)
            replicates = sums[:, 0] / sums[:, 1]
        else:
            generator = np.random.default_rng(self.seed)
            n = round(losses.weight.sum())
            kinds = losses.weight / losses.weight.sum()
            drawn = generator.multinomial(n, kinds, self.replicates)
            replicates = drawn @ (losses.total / losses.weight) / n
            replicates += losses.value - losses.total.sum() / n
        tail = (1 - level) / 2
        low, high = np.quantile(replicates, [tail, 1 - tail])
        return float(low), float(high)

    def _gaps(self, score: Scored, gaps: Gaps, level: float) -> tuple[float, float]:
        if gaps.coarse is not None:
            gaps = replace(gaps, bins=gaps.coarse, coarse=None)
        norm = score.norm.at(gaps.bins.q, gaps.gap, gaps.share)
        observed = gaps.total(norm, ALMOST) if np.any(gaps.gap) else 0.0
        low, high = patterns(norm, gaps)
        known: dict[int, Worlds] = {}  # by pattern: its noise serves both limits

        def limit(search: Search, pattern: Gaps) -> float:
            return self._limit(search, norm, pattern, observed, level, known)

        return (
            score.scale(norm.settled(min(limit(lower_limit, pattern) for pattern in low))),
            score.scale(norm.settled(max(limit(upper_limit, pattern) for pattern in high))),
        )

    def _limit(
        self,
        search: Search,
        norm: Norm,
        pattern: Gaps,
        observed: float,
        level: float,
        known: dict[int, Worlds],
    ) -> float:
        """A limit of the sum over bins for forecasters of one pattern."""
        if not np.any(pattern.gap):
            return 0.0
        plain = float(norm.plain(pattern.gap, pattern.share))
        if id(pattern) not in known:
            known[id(pattern)] = (
                self._independent(norm, pattern, plain)
                if pattern.clusters is None
                else self._clustered(norm, pattern, pattern.clusters, observed, plain)
            )
        worlds = known[id(pattern)]
        best = (max(observed, 0.0) / plain) ** (1 / norm.power)
        furthest = np.maximum(pattern.bins.q, 1 - pattern.bins.q)  # no gap can be larger
        wrong = np.where(pattern.gap == 0, 0.0, furthest)
        most = (float(norm.plain(wrong, pattern.share)) / plain) ** (1 / norm.power)
        found = search(worlds, observed, best, most, level)
        return float(found**norm.power * plain)

    def _independent(self, norm: Norm, gaps: Gaps, plain: float) -> Worlds:
        """Binomial counts around the frequencies that the scaled pattern implies."""
        bins, share, gap = gaps.bins, gaps.share, gaps.gap
        spread = norm.spread(gap, share)
        mixture = np.sqrt(max(share @ spread**2 - (share @ spread) ** 2, 0.0) / bins.n.sum())
        skew, robust = _skew_factor(gaps), _robust(norm, gaps)

        def world(c: float) -> Family:
            generator = np.random.default_rng(self.seed)
            composition = mixture * generator.standard_normal(self.replicates)
            noise, variance = _binomial(generator, gaps, c, bins.n, self.replicates)
            if gaps.isotonic:
                return _refitted(norm, gaps, noise)
            if not isinstance(norm, Squared):
                return _direct(norm, gaps, noise, composition, robust)
            quadratic = norm.debiased(noise, share, ALMOST * variance)
            return _parabolas(plain + composition, skew * (noise @ (share * gap)), quadratic)

        return world

    def _clustered(
        self, norm: Norm, gaps: Gaps, clusters: Clusters, observed: float, plain: float
    ) -> Worlds:
        """Noise from whole groups, each measured against the gaps of the other groups.

        A bin in which all outcomes are equal shows no noise. It gets that of as many independent
        pairs as it has groups, at the frequency the scaled pattern implies.
        """
        from calibrant.kernels.groups import resample

        share, gap = gaps.share, gaps.gap
        parts = _contributions(norm, gaps, clusters)
        pieces = _pieces(norm, gaps)
        quadratic: Float = np.zeros(self.replicates)
        for piece in pieces:
            start, column, noise = _within(clusters, parts.noise, piece)
            many = piece.stop - piece.start
            sums, lines = resample(
                start, column, noise, parts.linear, many, self.replicates, self.seed
            )
            sums -= sum_by(column, noise, many)
            if gaps.smoother is not None:
                sums = sums @ gaps.smoother.T
            quadratic = quadratic + norm.plain(sums, share[piece])
        slope = lines[:, 0] - parts.linear[:, 0].sum()
        quadratic = quadratic - ALMOST * lines[:, 1]
        slope *= _slope_factor(parts.linear[:, 0], quadratic, observed, plain)
        pure = (gaps.bins.positive == 0) | (gaps.bins.positive == gaps.bins.n)
        pure &= gaps.smoother is None
        robust = _robust(norm, gaps)

        def world(c: float) -> Family:
            generator = np.random.default_rng(self.seed)
            counts = np.where(pure, clusters.present, 0)
            line, rest = slope, quadratic
            for piece in pieces:
                noise, variance = _binomial(generator, gaps, c, counts, self.replicates, piece)
                if gaps.isotonic:
                    return _refitted(norm, gaps, sums + noise)
                if not isinstance(norm, Squared):
                    return _direct(norm, gaps, sums + noise, lines[:, 2], robust)
                line = line + noise @ (share * gap)[piece]
                rest = rest + norm.debiased(noise, share[piece], ALMOST * variance)
            return _parabolas(plain + lines[:, 2], line, rest)

        return world


def _pieces(norm: Norm, gaps: Gaps) -> list[slice]:
    """The bins in pieces whose replicates are held at once: all, unless squares can be added up."""
    whole = gaps.gap.size
    apart = isinstance(norm, Squared) and gaps.smoother is None and not gaps.isotonic
    step = WIDE if apart else whole
    return [slice(first, min(first + step, whole)) for first in range(0, whole, step)]


def _within(clusters: Clusters, value: Float, piece: slice) -> tuple[Int, Int, Float]:
    """Where groups start, the bins and the values of the compressed rows of a piece of the bins."""
    inside = (clusters.column >= piece.start) & (clusters.column < piece.stop)
    before = np.concatenate([[0], np.cumsum(inside)])
    return before[clusters.start], clusters.column[inside] - piece.start, value[inside]


def _skew_factor(gaps: Gaps) -> float:
    """How much larger Σ gap² · variance is than the observed gaps and variances show.

    Where p lies further out than q, chance that enlarges a gap also lowers p̂(1 − p̂), so their
    product is too small by 2 · gap · (1 − 2p) · variance / n on average. Where it is too large,
    the interval is left as wide as it is.
    """
    if gaps.smoother is not None:
        return 1.0
    n, p, gap = gaps.bins.n, gaps.bins.p, gaps.gap
    weighted = gaps.share**2 * p * (1 - p) / n
    seen = float(weighted @ gap**2)
    missing = float(weighted @ (2 * gap * (1 - 2 * p) / n))
    return float(np.sqrt(np.clip(1 + missing / seen, 1.0, 2.0))) if seen > 0 else 1.0


def _binomial(
    generator: np.random.Generator,
    gaps: Gaps,
    c: float,
    counts: NDArray[Any],
    replicates: int,
    piece: slice = slice(None),
) -> tuple[Float, Float]:
    """Noise of the gaps of `counts` pairs per bin if the gaps were c times as large; its variance.

    Bins of no pairs have no noise.
    """
    p = np.clip(gaps.bins.q - c * gaps.gap, 0.0, 1.0)[piece]
    n = np.rint(counts[piece]).astype(np.int64)
    # bin by bin: numpy prepares a binomial distribution anew whenever it changes
    counted = generator.binomial(n[:, None], p[:, None], (n.size, replicates)).T
    if gaps.smoother is not None:
        noise: Float = (n * p - counted) @ gaps.smoother.T
        return noise, gaps.smoother**2 @ (n * p * (1 - p))
    drawn = counted / np.maximum(n, 1)
    variance = np.where(n > 1, drawn * (1 - drawn) / np.maximum(n - 1, 1), 0.0)
    return np.where(n > 0, p - drawn, 0.0), variance


class _Contributions(NamedTuple):
    noise: Float  # what each group adds to the gap of each bin it touches
    linear: Float  # (groups, 3): to the slope, to the variance, to the composition


def _contributions(norm: Norm, gaps: Gaps, clusters: Clusters) -> _Contributions:
    if gaps.smoother is not None:
        return _smooth_contributions(norm, gaps, clusters)
    column, share = clusters.column, gaps.share[clusters.column]
    leverage = np.minimum(clusters.weight / clusters.n[column], 0.9)
    # a group pulls the mean of its bins towards itself: undo that (the jackknife, CR3)
    noise = clusters.residual / clusters.n[column] / (1 - leverage)
    others = gaps.gap[column] - noise  # the gap of the bin without this group
    rows = (share * noise * others, share * noise**2, _composition(norm, gaps, clusters))
    owner = clusters.owner
    linear = [sum_by(owner, each, clusters.groups) for each in rows]
    return _Contributions(noise, np.column_stack(linear))


def _composition(norm: Norm, gaps: Gaps, clusters: Clusters) -> Float:
    """What each group adds to the sum by falling into these bins and no others."""
    spread = norm.spread(gaps.gap, gaps.share)
    beyond = spread - gaps.share @ spread
    each: Float = clusters.weight / clusters.n.sum() * beyond[clusters.column]
    return each


def _smooth_contributions(norm: Norm, gaps: Gaps, clusters: Clusters) -> _Contributions:
    """The same where a group moves the curve in other cells too."""
    from calibrant.kernels.groups import quadratic_forms

    assert gaps.smoother is not None
    column, owner = clusters.column, clusters.owner
    weighted = gaps.smoother.T * gaps.share
    start, residual = clusters.start, clusters.residual
    squares = quadratic_forms(start, column, residual, weighted @ gaps.smoother)
    slope = sum_by(owner, residual * (weighted @ gaps.gap)[column], clusters.groups) - squares
    composition = sum_by(owner, _composition(norm, gaps, clusters), clusters.groups)
    return _Contributions(residual, np.column_stack([slope, squares, composition]))


def _slope_factor(slopes: Float, quadratic: Float, observed: float, plain: float) -> float:
    """How much more the true pattern varies with the groups than the noisy one does.

    The observed pattern is the true one plus noise, and noise varies with the groups in its own
    way. Without bias the two are told apart by the variance of the quadratic part; where the
    score is itself lost in noise, nothing can be told and the factor is 1.
    """
    noisy, both = float(np.var(quadratic)), float(np.sum(slopes**2))
    if both == 0.0:
        return 1.0
    true = max(both - noisy / 2, 0.0)
    certain = max(observed, np.sqrt(noisy))
    return float(np.sqrt(np.clip(true / certain / (both / plain), 1.0, 4.0)))


def _parabolas(square: Float, slope: Float, rest: Float) -> Family:
    """The debiased squared score of each replicate as a function of c."""
    return lambda c: c * c * square + 2 * c * slope + rest


def _robust(norm: Norm, gaps: Gaps) -> Float | None:
    """The variance of the gaps where replicates do not show it; None where they do, or need not."""
    plain = gaps.clusters is None and gaps.smoother is None
    needed = norm.debiasable and not isinstance(norm, Squared) and not plain
    return gaps.sampling_variance if needed else None


def _direct(
    norm: Norm, gaps: Gaps, noise: Float, composition: Float, robust: Float | None
) -> Family:
    """The score of each replicate as a function of c, for norms that are not quadratic."""
    share, gap = gaps.share, gaps.gap
    q, n = gaps.bins.q, gaps.bins.n

    def at(c: float) -> Float:
        moved = c * gap + noise
        if not norm.debiasable:
            return norm.plain(moved, share)
        p = np.clip(q - moved, 0.0, 1.0)
        variance = p * (1 - p) / n if robust is None else robust
        return norm.debiased(moved, share, ALMOST * variance) + c**norm.power * composition

    return at


def _refitted(norm: Norm, gaps: Gaps, noise: Float) -> Family:
    """The score of each replicate as a function of c, of isotonic curves fitted to replicates."""
    from calibrant.kernels.pav import fit_rows

    q, n = gaps.bins.q, gaps.bins.n

    def at(c: float) -> Float:
        frequency = q - c * gaps.gap - noise
        fit_rows(frequency, n)
        return norm.plain(q - frequency, gaps.share)

    return at


@dataclass(frozen=True, repr=False)
class NormalSampling(Interval):
    """The thesis's interval: draw p̂* ~ N(p̂, se²) in every bin and report mean ± z · sd.

    Kept for comparison. Each draw adds the sampling noise a second time, so the interval is
    centred too high: for a calibrated model it practically never contains the truth, and often
    not even the plug-in value. Use `Bootstrap`.

    Parameters
    ----------
    samples
        How many curves are drawn.
    seed
        The seed of the draws.
    """

    samples: int = 1000
    seed: int = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "samples", whole_number("samples", self.samples, 2, MOST))
        object.__setattr__(self, "seed", whole_number("seed", self.seed, 0, 2**63 - 1))

    def limits(self, score: Any, evidence: Gaps | Losses, level: float) -> tuple[float, float]:  # noqa: ANN401
        """Mean ± z · sd of the scores of the drawn curves."""
        binned = isinstance(evidence, Gaps) and evidence.smoother is None
        if isinstance(evidence, Losses) or not binned or evidence.coarse is not None:
            raise UnsupportedError(
                f"NormalSampling is for scores over bins, and {score!r} has none: use Bootstrap."
            )
        bins = evidence.bins
        if not evidence.counted:
            raise UnsupportedError("Importance weights need Bootstrap, not NormalSampling.")
        generator = np.random.default_rng(self.seed)
        se = np.sqrt(bins.p * (1 - bins.p) / bins.n)
        drawn = np.clip(generator.normal(bins.p, se, (self.samples, se.size)), 0.0, 1.0)
        sums = score.norm.plain(bins.q - drawn, evidence.share)
        scores = np.array([score.scale(float(each)) for each in sums])
        mean, half = scores.mean(), normal_quantile(level) * scores.std(ddof=1)
        return float(mean - half), float(mean + half)
