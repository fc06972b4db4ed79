"""Gaps along a smooth curve, where each cell also influences the curve in other cells."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from calibrant.calibration.gaps.cell_gaps import CellGaps
from calibrant.calibration.gaps.clusters import Clusters

Float = NDArray[np.float64]
Int = NDArray[np.int64]
CLOSE = 1e-6  # difference of logits below which the slope is that at either of them
LEAST = 1e-12  # smallest frequency: logits of smaller ones say nothing


@dataclass(frozen=True, eq=False)
class SmoothGaps(CellGaps):
    """The gaps of the cells of a smooth curve."""

    mixing = True

    smoother: Float  # (cells, cells): the effect of one more positive in a cell on p in each cell
    logistic: bool = False  # whether the smoother is for logits, and was converted at p

    @property
    def variance(self) -> Float:
        """The variance of each gap."""
        return self.sampling_variance

    @cached_property
    def sampling_variance(self) -> Float:
        """The variance of the curve due to independent pairs or groups."""
        if self.clusters is not None:
            return self.clusters.smoothed_variance(self.smoother)
        return np.asarray(self.smoother**2 @ (self.bins.n * self.bins.p * (1 - self.bins.p)))

    @property
    def standard_error(self) -> Float:
        """The standard error of each gap, used to tell real gaps from noise."""
        return np.sqrt(self.sampling_variance)

    @property
    def cell_scale(self) -> Float:
        """1: the smoother turns positives of cells into frequencies."""
        return np.ones(self.bins.n.size)

    def spread_out(self, noise: Float) -> Float:
        """The effect of the positives of each cell on the curve in all cells."""
        moved: Float = noise @ self.smoother.T
        return moved

    def smoothed(self) -> Float:
        """The gaps after smoothing them once more."""
        found: Float = self.smoother @ (self.bins.n * self.gap)
        return found

    def grown(self, noise: Float, observed: Float, supposed: Float) -> Float:
        """Noise of logits, which moves frequencies between the observed and the supposed curve.

        If hardly any positives were seen where the predictions promise some, p is close to 0, where
        a logit moves it little. So noise counts with the mean slope of p between both curves, if
        that is more.
        """
        if not self.logistic:
            return noise
        seen, wanted = np.clip(self.bins.q - np.stack([observed, supposed]), LEAST, 1 - LEAST)
        found: Float = noise * np.maximum(mean_slope(seen, wanted) / (seen * (1 - seen)), 1.0)
        return found

    @property
    def grows(self) -> bool:
        """Whether noise depends on the supposed gaps."""
        return self.logistic

    def frequencies(self, n: Float, positive: Float) -> Float:
        """The curve of each replicate with n pairs, some of them positive, in its cells."""
        p = self.bins.p
        return np.clip(p + (positive - n * p) @ self.smoother.T, 0.0, 1.0)

    def silent(self, clusters: Clusters) -> NDArray[np.bool_]:
        """No cells: every cell shares the noise of its neighbours."""
        return np.zeros(self.bins.n.size, bool)

    def noise_of_counts(self, n: Int, p: Float, positive: Float) -> tuple[Float, Float]:
        """The noise of the curve for these counts of positives out of n, and its variance."""
        return self.spread_out(n * p - positive), self.smoother**2 @ (n * p * (1 - p))

    def skew_factor(self) -> float:
        """1: a smooth curve pools many pairs, so its noise has hardly any skew."""
        return 1.0

    def unseen_variance(self) -> Float | None:
        """The variance of the curve, which single cells do not reveal."""
        return self.sampling_variance


def mean_slope(one: Float, other: Float) -> Float:
    """The mean derivative of a frequency by its logit, p(1 − p), between two frequencies.

    >>> mean_slope(np.array([0.5, 0.5]), np.array([0.5, 0.8])).round(3)
    array([0.25 , 0.216])
    """
    away = np.log(other / one) - np.log((1 - other) / (1 - one))
    near = np.abs(away) < CLOSE
    return np.where(near, one * (1 - one), (other - one) / np.where(near, 1.0, away))
