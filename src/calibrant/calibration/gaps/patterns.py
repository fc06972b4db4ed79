"""Patterns of gaps that could underlie the observed gaps of a test set.

A score does not determine where a model is wrong, so an interval considers forecasters whose gaps
are multiples of one pattern. A pattern has one gap for each bin of the data.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibrant.calibration.gaps.cell_gaps import CellGaps
from calibrant.calibration.gaps.norms import Norm

Float = NDArray[np.float64]
CERTAIN = 2.0  # gaps of this many standard errors count as real


class Patterns(NamedTuple):
    """Patterns whose lowest lower limit and highest upper limit form the interval."""

    both: CellGaps  # used for both limits: the observed gaps, or small ones if all gaps are 0
    lower: list[CellGaps]  # further patterns for the lower limit
    upper: list[CellGaps]  # further patterns for the upper limit


def patterns(norm: Norm, gaps: CellGaps) -> Patterns:
    """Choose the patterns for a norm: the observed one, and extremes if they matter.

    The bias of a squared score does not depend on the pattern, so the observed one is enough. The
    bias of absolute gaps is largest if few bins are wrong and smallest if all are. The bias of the
    largest gap is largest if all bins are equally wrong. These norms use the extremes as well.
    Noise adds least to smoothed gaps if all of them have one sign, so for those norms the upper
    limit also considers a gap of the same size and sign everywhere.
    """
    if gaps.nothing(norm):
        return Patterns(faint(gaps), [], [])
    if norm.smooths and gaps.reshapable:
        return Patterns(gaps, [], [level(gaps, gaps.plain(norm))])
    if not (norm.pattern_matters and gaps.reshapable):
        return Patterns(gaps, [], [])
    return Patterns(gaps, *norm.extremes(sparse(gaps), [flat(gaps, gaps.plain(norm))]))


def sparse(gaps: CellGaps) -> list[CellGaps]:
    """Keep only the significant gaps; no pattern if that is all or none of the bins."""
    certain = np.abs(gaps.gap) > CERTAIN * gaps.standard_error
    if certain.all() or not certain.any():
        return []
    return [gaps.with_gaps(np.where(certain, gaps.gap, 0.0))]


def flat(gaps: CellGaps, height: float) -> CellGaps:
    """The same gap everywhere, as far as probabilities allow, in the observed directions."""
    q = gaps.bins.q
    over = gaps.gap >= 0
    room = np.where(over, q, 1 - q)
    return gaps.with_gaps(np.where(over, 1.0, -1.0) * np.minimum(height, room))


def level(gaps: CellGaps, height: float) -> CellGaps:
    """The same gap everywhere, as far as probabilities allow, in the direction of the mean gap."""
    q, over = gaps.bins.q, gaps.share @ gaps.gap >= 0
    return gaps.with_gaps(np.minimum(height, q) if over else -np.minimum(height, 1 - q))


def faint(gaps: CellGaps) -> CellGaps:
    """Gaps of one standard error, for data whose gaps are all exactly 0."""
    bins = gaps.bins
    step = np.maximum(np.sqrt(bins.q * (1 - bins.q) / bins.n), 1 / (bins.n + 1))
    return gaps.with_gaps(np.where(bins.q < 0.5, -step, step))
