"""Gaps along a smooth curve, where each cell also influences the curve in other cells."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from calibrant.calibration.gaps.cell_gaps import CellGaps, GroupNoise
from calibrant.calibration.gaps.clusters import Clusters
from calibrant.calibration.gaps.norms import Norm
from calibrant.checks.arrays import sum_by

Float = NDArray[np.float64]
Int = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class SmoothGaps(CellGaps):
    """The gaps of the cells of a smooth curve."""

    smoother: Float  # (cells, cells): the effect of one more positive in a cell on p in each cell

    @property
    def variance(self) -> Float:
        """The variance of each gap."""
        return self.sampling_variance

    @property
    def sampling_variance(self) -> Float:
        """The variance of the curve due to independent pairs or groups."""
        if self.clusters is not None:
            return self.clusters.smoothed_variance(self.smoother)
        return np.asarray(self.smoother**2 @ (self.bins.n * self.bins.p * (1 - self.bins.p)))

    @property
    def standard_error(self) -> Float:
        """The standard error of each gap, used to tell real gaps from noise."""
        return np.sqrt(self.sampling_variance)

    def visible(self, norm: Norm) -> Self:
        """The pattern unchanged: smooth gaps do not cancel by chance."""
        return self

    def apart(self, norm: Norm) -> bool:
        """False: cells influence each other, so all are needed at once."""
        return False

    def row_noise(self, clusters: Clusters) -> Float:
        """The contribution of each compressed row to the positives of its cell."""
        return clusters.residual

    def spread_out(self, noise: Float) -> Float:
        """The effect of the positives of each cell on the curve in all cells."""
        moved: Float = noise @ self.smoother.T
        return moved

    def frequencies(self, n: Float, positive: Float) -> Float:
        """The curve of each replicate with n pairs, some of them positive, in its cells."""
        p = self.bins.p
        return np.clip(p + (positive - n * p) @ self.smoother.T, 0.0, 1.0)

    def group_noise(self, clusters: Clusters) -> GroupNoise:
        """The contribution of each group, relative to the gaps of the other groups."""
        from calibrant.kernels.calibration.groups import quadratic_forms

        column, residual = clusters.column, clusters.residual
        weighted = self.smoother.T * self.share
        squares = quadratic_forms(clusters.start, column, residual, weighted @ self.smoother)
        towards = residual * (weighted @ self.gap)[column]
        slope = sum_by(clusters.owner, towards, clusters.groups) - squares
        return GroupNoise(residual, slope, squares)

    def silent(self, clusters: Clusters) -> NDArray[np.bool_]:
        """No cells: every cell shares the noise of its neighbours."""
        return np.zeros(self.bins.n.size, bool)

    def noise_of_counts(self, n: Int, p: Float, positive: Int) -> tuple[Float, Float]:
        """The noise of the curve for these counts of positives out of n, and its variance."""
        return self.spread_out(n * p - positive), self.smoother**2 @ (n * p * (1 - p))

    def skew_factor(self) -> float:
        """1: a smooth curve pools many pairs, so its noise has hardly any skew."""
        return 1.0

    def unseen_variance(self) -> Float | None:
        """The variance of the curve, which single cells do not reveal."""
        return self.sampling_variance
