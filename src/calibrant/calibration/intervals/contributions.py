"""What each group adds to the gaps, and to the sums over them."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibrant.calibration.gaps.cell_gaps import CellGaps
from calibrant.calibration.gaps.clusters import Clusters
from calibrant.calibration.gaps.norms import Norm
from calibrant.checks.arrays import sum_by

Float = NDArray[np.float64]
STEEPEST = 4.0  # a variance of slopes is enlarged at most so often: beyond it is a ratio of noises


class Contributions(NamedTuple):
    """By group: noise of gaps, and what is linear in it."""

    noise: Float  # what each group adds to the gap of each bin it touches
    slope: Float  # to the sum, in proportion to the gaps
    square: Float  # to the sum, whatever the gaps are
    composition: Float  # to the sum, by falling into these bins and no others

    @property
    def linear(self) -> Float:
        """What replicates add up, one column each: slope, square, composition."""
        return np.column_stack([self.slope, self.square, self.composition])


def contributions(norm: Norm, gaps: CellGaps, clusters: Clusters) -> Contributions:
    """What each group adds, measured against the gaps of the other groups."""
    noise = gaps.group_noise(clusters)
    spread = norm.spread(gaps.gap, gaps.share)
    beyond = spread - gaps.share @ spread
    each = clusters.weight / clusters.n.sum() * beyond[clusters.column]
    return Contributions(*noise, sum_by(clusters.owner, each, clusters.groups))


def slope_factor(slopes: Float, quadratic: Float, observed: float, plain: float) -> float:
    """How much more the true pattern varies with the groups than the noisy one does.

    The observed pattern is the true one plus noise, and noise varies with the groups in its own
    way. The variance of the quadratic part tells the two apart without bias. Where the score
    itself is lost in noise, nothing can be told and the factor is 1.
    """
    noisy, both = float(np.var(quadratic)), float(np.sum(slopes**2))
    certain = max(observed, float(np.sqrt(noisy)))
    if both == 0.0 or certain == 0.0:
        return 1.0
    true = max(both - noisy / 2, 0.0)
    return float(np.sqrt(np.clip(true / certain / (both / plain), 1.0, STEEPEST)))
