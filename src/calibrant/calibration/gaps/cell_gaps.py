"""The base class of the gaps of bins, smooth curves and isotonic curves."""

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

ALMOST = 0.9999  # share of the noise removed in tests; at 1, 0 and 1 positives of n would tie
FAINT = 0.01  # share of the noise: a smaller pattern has a shape, but its size is chance
MOST_LEVERAGE = 0.9  # a group that fills a bin has no other groups to compare with


class GroupNoise(NamedTuple):
    """The contribution of each group to the gaps and to the sum of their squares."""

    rows: Float  # to the gap of each bin that the group touches, one entry per compressed row
    slope: Float  # by group: to the sum, in proportion to the gaps
    square: Float  # by group: to the sum, independent of the gaps


@dataclass(frozen=True, eq=False)
class CellGaps(Gaps):
    """Gaps of cells, and the noise that groups or independent pairs add to them."""

    reshapable: ClassVar[bool] = True  # whether simulated gaps may have another pattern

    clusters: Clusters | None

    @property
    def cells(self) -> Self:
        """These gaps themselves."""
        return self

    def with_gaps(self, gap: Float) -> Self:
        """A forecaster with the same predictions and other gaps."""
        return replace(self, bins=self.bins.with_gaps(gap))

    # uncertainty of the gaps

    @property
    def variance(self) -> Float:
        """An unbiased estimate of the variance of each gap; 0 for bins that are too small."""
        if self.clusters is not None:
            return self.clusters.variance()
        n, p = self.bins.n, self.bins.p
        return np.where(n > 1, p * (1 - p) / np.maximum(n - 1, 1), 0.0)

    @property
    def sampling_variance(self) -> Float:
        """The variance of resampled gaps: p̂(1−p̂)/n, or its robust form with groups."""
        if self.clusters is not None:
            return self.clusters.variance()
        return np.asarray(self.bins.p * (1 - self.bins.p) / self.bins.n)

    def total(self, norm: Norm, part: float = 1.0) -> float:
        """The sum over bins minus (part of) the noise; the plain sum if noise cannot be removed."""
        if not norm.debiasable:
            return self.plain(norm)
        variance = self.variance if norm.unbiased else self.sampling_variance
        return float(norm.debiased(self.gap, self.share, part * variance))

    @property
    def standard_error(self) -> Float:
        """The standard error of each gap, used to tell real gaps from noise.

        Bins that show no variance are merely small, so each bin gets at least the standard error
        that a calibrated forecaster would have.
        """
        q, n = self.bins.q, self.bins.n
        return np.maximum(np.sqrt(self.sampling_variance), np.sqrt(q * (1 - q) / n))

    def visible(self, norm: Norm) -> Self:
        """Scale the pattern up to its noise if errors of groups cancel by chance.

        Patterns are rescaled anyway. But each group is compared with the gaps of the other groups,
        and next to gaps of nearly 0 every group would look enormous.
        """
        if self.clusters is None:
            return self
        noise, plain = float(self.variance @ self.share), self.plain(norm)
        return self if plain >= FAINT * noise else self.with_gaps(self.gap * np.sqrt(noise / plain))

    # effect of replicates on the gaps

    @abstractmethod
    def apart(self, norm: Norm) -> bool:
        """Whether replicates of the sum can be accumulated over pieces of the bins."""

    def parabolic(self, norm: Norm) -> bool:
        """Whether the sum of every replicate is a parabola in the size of the gaps."""
        return norm.additive

    def slope(self, norm: Norm) -> Float | None:
        """The derivative of the sum over bins by each gap; None if there is none."""
        return norm.slope(self.gap, self.share)

    def row_noise(self, clusters: Clusters) -> Float:
        """The contribution of each compressed row to the gap of its cell, before `spread_out`."""
        return clusters.residual / self.bins.n[clusters.column]

    def spread_out(self, noise: Float) -> Float:
        """Turn the noise of single cells into the noise of the gaps."""
        return noise

    def refitted(self, gap: Float) -> Float:
        """The gaps after refitting the curve to frequencies with these gaps."""
        return gap

    def frequencies(self, n: Float, positive: Float) -> Float:
        """The curve of each replicate with n pairs, some of them positive, in its cells."""
        raw = np.where(n > 0, positive / np.maximum(n, 1e-9), self.bins.p)
        return np.clip(raw, 0.0, 1.0)

    def leverage(self, clusters: Clusters) -> Float:
        """The leverage of each compressed row on the mean of its bin."""
        return np.minimum(clusters.weight / clusters.n[clusters.column], MOST_LEVERAGE)

    def group_noise(self, clusters: Clusters) -> GroupNoise:
        """The contribution of each group, relative to the gaps of the other groups."""
        column, share = clusters.column, self.share[clusters.column]
        # undo the pull of a group on the mean of its bins (the jackknife, CR3)
        noise = clusters.residual / clusters.n[column] / (1 - self.leverage(clusters))
        others = self.gap[column] - noise  # the gap of the bin without this group
        owner, many = clusters.owner, clusters.groups
        slope = sum_by(owner, share * noise * others, many)
        return GroupNoise(noise, slope, sum_by(owner, share * noise**2, many))

    def silent(self, clusters: Clusters) -> NDArray[np.bool_]:
        """Bins in which all outcomes or all groups are equal, so that they show no noise."""
        positive, n = self.bins.positive, self.bins.n
        return np.equal(positive, 0) | np.equal(positive, n) | clusters.silent()

    def noise_of_counts(self, n: Int, p: Float, positive: Int) -> tuple[Float, Float]:
        """The noise of replicates with these counts of positives out of n, and its variance.

        `p` is the expected frequency of each cell. Cells without pairs have no noise.
        """
        drawn = positive / np.maximum(n, 1)
        variance = np.where(n > 1, drawn * (1 - drawn) / np.maximum(n - 1, 1), 0.0)
        return np.where(n > 0, p - drawn, 0.0), variance

    def skew_factor(self) -> float:
        """The factor by which the plug-in Σ gap² · variance is too small.

        If p is more extreme than q, noise that enlarges a gap also lowers p̂(1 − p̂), so their
        product is too small by 2 · gap · (1 − 2p) · variance / n on average. If the product is
        too large instead, it is not corrected, and the interval stays wide.
        """
        n, p, gap = self.bins.n, self.bins.p, self.gap
        weighted = self.share**2 * p * (1 - p) / n
        seen = float(weighted @ gap**2)
        missing = float(weighted @ (2 * gap * (1 - 2 * p) / n))
        return float(np.sqrt(np.clip(1 + missing / seen, 1.0, 2.0))) if seen > 0 else 1.0

    def unseen_variance(self) -> Float | None:
        """The variance of the gaps if replicates do not show it; None if they do."""
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
