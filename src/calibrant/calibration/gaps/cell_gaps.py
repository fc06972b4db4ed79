"""What the gaps of bins, of smooth curves and of isotonic curves share."""

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from calibrant.calibration.gaps.clusters import Clusters
from calibrant.calibration.gaps.gaps import Gaps
from calibrant.calibration.gaps.norms import Norm
from calibrant.checks.arrays import sum_by

Float = NDArray[np.float64]
Int = NDArray[np.int64]
Family = Callable[[float], Float]  # the score of each replicate, if gaps were c times as large

ALMOST = 0.9999  # of the noise is removed in tests: else 0 and 1 positives of n look the same
FAINT = 0.01  # of the noise: a smaller pattern has a shape, but its size is chance
MOST_LEVERAGE = 0.9  # a group that is all of a bin has no others to be measured against


class GroupNoise(NamedTuple):
    """What each group adds to the gaps, and to a sum of their squares."""

    rows: Float  # to the gap of each bin it touches, one entry per compressed row
    slope: Float  # by group: to the sum, in proportion to the gaps
    square: Float  # by group: to the sum, whatever the gaps are


@dataclass(frozen=True, eq=False)
class CellGaps(Gaps):
    """Gaps of cells, and the noise that groups or independent pairs add to them."""

    reshapable: ClassVar[bool] = True  # whether imagined gaps may have another pattern

    clusters: Clusters | None

    @property
    def cells(self) -> Self:
        """These gaps themselves."""
        return self

    def with_gaps(self, gap: Float) -> Self:
        """A forecaster with the same predictions and other gaps."""
        return replace(self, bins=self.bins.with_gaps(gap))

    # how sure the gaps are

    @property
    def variance(self) -> Float:
        """An unbiased estimate of each gap's variance; 0 for bins too small to tell."""
        if self.clusters is not None:
            return self.clusters.variance()
        n, p = self.bins.n, self.bins.p
        return np.where(n > 1, p * (1 - p) / np.maximum(n - 1, 1), 0.0)

    @property
    def sampling_variance(self) -> Float:
        """The variance of a resample around each gap: p̂(1−p̂)/n, or the robust one."""
        if self.clusters is not None:
            return self.clusters.variance()
        return np.asarray(self.bins.p * (1 - self.bins.p) / self.bins.n)

    def total(self, norm: Norm, part: float = 1.0) -> float:
        """The sum over bins without (a part of) the noise, or the plain sum if it must stay."""
        if not norm.debiasable:
            return self.plain(norm)
        variance = self.variance if norm.unbiased else self.sampling_variance
        return float(norm.debiased(self.gap, self.share, part * variance))

    @property
    def standard_error(self) -> Float:
        """A gap beyond a few of these is not noise.

        Bins without noise are only too small to show it, so each has at least that of a
        calibrated forecaster.
        """
        q, n = self.bins.q, self.bins.n
        return np.maximum(np.sqrt(self.sampling_variance), np.sqrt(q * (1 - q) / n))

    def visible(self, norm: Norm) -> Self:
        """The same pattern as large as its noise, where errors of groups cancel by chance.

        Patterns are scaled anyway. But groups are measured against the gaps of the others, and
        beside gaps of nearly 0 each of them would look enormous.
        """
        if self.clusters is None:
            return self
        noise, plain = float(self.variance @ self.share), self.plain(norm)
        return self if plain >= FAINT * noise else self.with_gaps(self.gap * np.sqrt(noise / plain))

    # what replicates do to the gaps

    @abstractmethod
    def apart(self, norm: Norm) -> bool:
        """Whether replicates of the sum over bins can be added up over pieces of the bins."""

    def parabolic(self, norm: Norm) -> bool:
        """Whether the sum of every replicate is a parabola in the size of the gaps."""
        return norm.additive

    def slope(self, norm: Norm) -> Float | None:
        """How the sum over bins changes with each gap; None where it has no slope."""
        return norm.slope(self.gap, self.share)

    def row_noise(self, clusters: Clusters) -> Float:
        """What each compressed row adds to the gap of its own cell, before `spread_out`."""
        return clusters.residual / self.bins.n[clusters.column]

    def spread_out(self, noise: Float) -> Float:
        """From noise of every cell by itself to noise of the gaps."""
        return noise

    def refitted(self, gap: Float) -> Float:
        """The gaps of a curve that is fitted to frequencies with these gaps."""
        return gap

    def frequencies(self, n: Float, positive: Float) -> Float:
        """The curve of each replicate with n pairs, some of them positive, in its cells."""
        raw = np.where(n > 0, positive / np.maximum(n, 1e-9), self.bins.p)
        return np.clip(raw, 0.0, 1.0)

    def leverage(self, clusters: Clusters) -> Float:
        """How far each compressed row pulls the mean of its bin towards itself."""
        return np.minimum(clusters.weight / clusters.n[clusters.column], MOST_LEVERAGE)

    def group_noise(self, clusters: Clusters) -> GroupNoise:
        """What each group adds, measured against the gaps of the other groups."""
        column, share = clusters.column, self.share[clusters.column]
        # a group pulls the mean of its bins towards itself: undo that (the jackknife, CR3)
        noise = clusters.residual / clusters.n[column] / (1 - self.leverage(clusters))
        others = self.gap[column] - noise  # the gap of the bin without this group
        owner, many = clusters.owner, clusters.groups
        slope = sum_by(owner, share * noise * others, many)
        return GroupNoise(noise, slope, sum_by(owner, share * noise**2, many))

    def silent(self, clusters: Clusters) -> NDArray[np.bool_]:
        """Bins in which all outcomes, or all groups, are alike: they show no noise."""
        positive, n = self.bins.positive, self.bins.n
        return np.equal(positive, 0) | np.equal(positive, n) | clusters.silent()

    def noise_of_counts(self, n: Int, p: Float, positive: Int) -> tuple[Float, Float]:
        """Noise of the gaps of replicates with so many positives of n, and its variance.

        `p` is what was expected of each cell. Cells without pairs have no noise.
        """
        drawn = positive / np.maximum(n, 1)
        variance = np.where(n > 1, drawn * (1 - drawn) / np.maximum(n - 1, 1), 0.0)
        return np.where(n > 0, p - drawn, 0.0), variance

    def skew_factor(self) -> float:
        """How much larger Σ gap² · variance is than the observed gaps and variances show.

        Where p lies further out than q, chance that enlarges a gap also lowers p̂(1 − p̂), so
        their product is too small by 2 · gap · (1 − 2p) · variance / n on average. Where it is
        too large, the interval is left as wide as it is.
        """
        n, p, gap = self.bins.n, self.bins.p, self.gap
        weighted = self.share**2 * p * (1 - p) / n
        seen = float(weighted @ gap**2)
        missing = float(weighted @ (2 * gap * (1 - 2 * p) / n))
        return float(np.sqrt(np.clip(1 + missing / seen, 1.0, 2.0))) if seen > 0 else 1.0

    def unseen_variance(self) -> Float | None:
        """The variance of the gaps where replicates do not show it; None where they do."""
        return None if self.clusters is None else self.sampling_variance

    def family(self, norm: Norm, noise: Float, composition: Float) -> Family:
        """The score of each replicate as a function of c, for norms without a parabola."""
        share, gap, q, n = self.share, self.gap, self.bins.q, self.bins.n
        if not norm.debiasable:
            return lambda c: norm.plain(c * gap + noise, share)
        robust = self.unseen_variance()

        def at(c: float) -> Float:
            moved = c * gap + noise
            p = np.clip(q - moved, 0.0, 1.0)
            variance = p * (1 - p) / n if robust is None else robust
            return norm.debiased(moved, share, ALMOST * variance) + c**norm.power * composition

        return at
