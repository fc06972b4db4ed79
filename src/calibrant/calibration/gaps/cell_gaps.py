"""The base class of the gaps of bins, smooth curves and isotonic curves."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from calibrant.calibration.gaps.clusters import Clusters
from calibrant.calibration.gaps.gaps import Gaps
from calibrant.calibration.gaps.norms import Norm

Float = NDArray[np.float64]
Int = NDArray[np.int64]
Family = Callable[[float], Float]  # the score of each replicate, if gaps were c times as large
Over = Callable[[Callable[[Float], Float]], Float]  # a function of the noise, for all replicates

SAME = 1e-12  # smaller means are 0, but for rounding
ALMOST = 0.9999  # share of the noise removed in tests; at 1, 0 and 1 positives of n would tie


@dataclass(frozen=True, eq=False)
class CellGaps(Gaps):
    """Gaps of cells, and the noise that groups or independent pairs add to them."""

    reshapable: ClassVar[bool] = True  # whether simulated gaps may have another pattern
    mixing: ClassVar[bool] = False  # whether the noise of a cell also moves the gaps of others

    clusters: Clusters | None

    @property
    def cells(self) -> Self:
        """These gaps themselves."""
        return self

    def with_gaps(self, gap: Float) -> Self:
        """A forecaster with the same predictions and other gaps."""
        return replace(self, bins=self.bins.with_gaps(gap))

    @property
    def turned(self) -> bool:
        """Whether 1 − q comes first, in an order that does not depend on the name of yes."""
        q, share, p = self.bins.q - 0.5, self.share, self.bins.p - 0.5
        for side in (share @ q, share @ p, share @ q**3):
            if abs(side) > SAME:
                return bool(side > 0)
        return False

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
            return np.maximum(self.clusters.variance(), 0.0)
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

    # effect of replicates on the gaps

    def parabolic(self, norm: Norm) -> bool:
        """Whether the sum of every replicate is a parabola in the size of the gaps."""
        return norm.additive

    def slope(self, norm: Norm) -> Float | None:
        """The derivative of the sum over bins by each gap; None if there is none."""
        return norm.slope(self.gap, self.share)

    @property
    def cell_scale(self) -> Float:
        """What values of groups are divided by in each cell, before `spread_out`."""
        return self.bins.n

    def spread_out(self, noise: Float) -> Float:
        """Turn the noise of single cells into the noise of the gaps."""
        return noise

    @property
    def grows(self) -> bool:
        """Whether noise depends on the supposed gaps, so that `grown` changes it."""
        return False

    def grown(self, noise: Float, observed: Float, supposed: Float) -> Float:
        """The noise that was estimated at observed gaps, if others are supposed; here the same."""
        return noise

    def smoothed(self) -> Float:
        """The gaps that the curve would show if the observed gaps were the true ones."""
        return self.gap

    def refitted(self, gap: Float) -> Float:
        """The gaps after refitting the curve to frequencies with these gaps."""
        return gap

    def frequencies(self, n: Float, positive: Float) -> Float:
        """The curve of each replicate with n pairs, some of them positive, in its cells."""
        raw = np.where(n > 0, positive / np.maximum(n, 1e-9), self.bins.p)
        return np.clip(raw, 0.0, 1.0)

    def silent(self, clusters: Clusters) -> NDArray[np.bool_]:
        """Bins in which all outcomes or all groups are equal, so that they show no noise."""
        positive, n = self.bins.positive, self.bins.n
        return np.equal(positive, 0) | np.equal(positive, n) | clusters.silent()

    def noise_of_counts(self, n: Int, p: Float, positive: Float) -> tuple[Float, Float]:
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
        return None

    def replicated(self, norm: Norm, c: float, over: Over, composition: Float) -> Float:
        """The score of each replicate if gaps were c times as large, without a parabola.

        `over` applies a function to the noise of all replicates, a block at a time.
        """
        share, gap, q, n = self.share, self.gap, self.bins.q, self.bins.n
        if not norm.debiasable:
            return over(lambda noise: norm.plain(c * gap + noise, share))
        robust = self.unseen_variance()

        def debiased(noise: Float) -> Float:
            moved = c * gap + noise
            p = np.clip(q - moved, 0.0, 1.0)
            variance = p * (1 - p) / n if robust is None else robust
            return norm.debiased(moved, share, ALMOST * variance)

        return over(debiased) + c**norm.power * composition
