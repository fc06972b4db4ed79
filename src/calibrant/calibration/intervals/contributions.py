"""The contribution of each group to the gaps and to the sum over bins."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibrant.calibration.gaps.cell_gaps import CellGaps
from calibrant.calibration.gaps.clusters import Clusters
from calibrant.calibration.gaps.norms import Norm
from calibrant.checks.arrays import sum_by

Float = NDArray[np.float64]
STEEPEST = 4.0  # maximum correction of the variance of slopes: a larger ratio is mostly noise


class Contributions(NamedTuple):
    """By group: the noise of the gaps, and terms that are linear in it."""

    noise: Float  # to the gap of each bin that the group touches
    slope: Float  # to the sum, in proportion to the gaps
    square: Float  # to the sum, independent of the gaps
    composition: Float  # to the sum, through how the group is spread over bins

    @property
    def linear(self) -> Float:
        """The terms that replicates sum, one column each: slope, square, composition."""
        return np.column_stack([self.slope, self.square, self.composition])


def contributions(norm: Norm, gaps: CellGaps, clusters: Clusters) -> Contributions:
    """The contribution of each group, relative to the gaps of the other groups."""
    noise = gaps.group_noise(clusters)
    spread = norm.spread(gaps.gap, gaps.share)
    beyond = spread - gaps.share @ spread
    each = clusters.weight / clusters.n.sum() * beyond[clusters.column]
    return Contributions(*noise, sum_by(clusters.owner, each, clusters.groups))


def slope_factor(slopes: Float, quadratic: Float, observed: float, plain: float) -> float:
    """The ratio of the variance of the true pattern over groups to that of the noisy one.

    The observed pattern is the true one plus noise, which varies over groups too. The variance of
    the quadratic part separates the two without bias. If the score itself is lost in noise, the
    ratio cannot be estimated and the factor is 1.
    """
    noisy, both = float(np.var(quadratic)), float(np.sum(slopes**2))
    certain = max(observed, float(np.sqrt(noisy)))
    if both == 0.0 or certain == 0.0:
        return 1.0
    true = max(both - noisy / 2, 0.0)
    return float(np.sqrt(np.clip(true / certain / (both / plain), 1.0, STEEPEST)))
