"""What each group adds to the gaps, and to the sums over them."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibrant.calibration.gaps.evidence import Clusters, Gaps
from calibrant.calibration.gaps.norms import Norm
from calibrant.checks.arrays import sum_by

Float = NDArray[np.float64]


class Contributions(NamedTuple):
    """By group: noise of gaps, and what is linear in it."""

    noise: Float  # what each group adds to the gap of each bin it touches
    linear: Float  # (groups, 3): to the slope, to the variance, to the composition


def contributions(norm: Norm, gaps: Gaps, clusters: Clusters) -> Contributions:
    """What each group adds, measured against the gaps of the other groups."""
    if gaps.smoother is not None:
        return _smooth_contributions(norm, gaps, clusters)
    column, share = clusters.column, gaps.share[clusters.column]
    leverage = np.minimum(clusters.weight / clusters.n[column], 0.9)
    if gaps.isotonic:  # the curve pools cells, so none of them follows its own groups
        leverage = np.zeros_like(leverage)
    # a group pulls the mean of its bins towards itself: undo that (the jackknife, CR3)
    noise = clusters.residual / clusters.n[column] / (1 - leverage)
    others = gaps.gap[column] - noise  # the gap of the bin without this group
    rows = (share * noise * others, share * noise**2, _composition(norm, gaps, clusters))
    owner = clusters.owner
    linear = [sum_by(owner, each, clusters.groups) for each in rows]
    return Contributions(noise, np.column_stack(linear))


def _composition(norm: Norm, gaps: Gaps, clusters: Clusters) -> Float:
    """What each group adds to the sum by falling into these bins and no others."""
    spread = norm.spread(gaps.gap, gaps.share)
    beyond = spread - gaps.share @ spread
    each: Float = clusters.weight / clusters.n.sum() * beyond[clusters.column]
    return each


def _smooth_contributions(norm: Norm, gaps: Gaps, clusters: Clusters) -> Contributions:
    """The same where a group moves the curve in other cells too."""
    from calibrant.kernels.calibration.groups import quadratic_forms

    assert gaps.smoother is not None
    column, owner = clusters.column, clusters.owner
    weighted = gaps.smoother.T * gaps.share
    start, residual = clusters.start, clusters.residual
    squares = quadratic_forms(start, column, residual, weighted @ gaps.smoother)
    slope = sum_by(owner, residual * (weighted @ gaps.gap)[column], clusters.groups) - squares
    composition = sum_by(owner, _composition(norm, gaps, clusters), clusters.groups)
    return Contributions(residual, np.column_stack([slope, squares, composition]))


def slope_factor(slopes: Float, quadratic: Float, observed: float, plain: float) -> float:
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
