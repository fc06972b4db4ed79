"""Forecasters that the gaps of a test set may come from.

A true score does not say where a model is wrong, so an interval imagines forecasters with one
pattern of gaps, scaled. A pattern is a set of gaps of its own, over the bins of the data.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibrant.calibration.gaps.cell_gaps import CellGaps
from calibrant.calibration.gaps.norms import Norm

Float = NDArray[np.float64]
CERTAIN = 2.0  # gaps of so many standard errors are taken to be real


class Patterns(NamedTuple):
    """Patterns whose lowest lower limit and highest upper limit make an interval."""

    both: CellGaps  # serves both limits: the observed gaps, or gaps that could hide behind 0
    lower: list[CellGaps]  # further patterns for the lower limit
    upper: list[CellGaps]  # and for the upper one


def patterns(norm: Norm, gaps: CellGaps) -> Patterns:
    """The observed pattern, and the extremes that the norm asks for.

    What noise adds to a squared score does not depend on the pattern, so the observed one will
    do. To absolute gaps it adds most where few bins are wrong and least where all are; to the
    largest gap most where all bins are equally wrong. So these norms are given the extremes too.
    """
    if gaps.nothing(norm):
        return Patterns(faint(gaps), [], [])
    if norm.additive:
        gaps = gaps.visible(norm)
    if not (norm.pattern_matters and gaps.reshapable):
        return Patterns(gaps, [], [])
    return Patterns(gaps, *norm.extremes(sparse(gaps), [flat(gaps, gaps.plain(norm))]))


def sparse(gaps: CellGaps) -> list[CellGaps]:
    """Only the gaps that are not noise; no pattern where they are all or none of the bins."""
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


def faint(gaps: CellGaps) -> CellGaps:
    """Gaps of one standard error, where all gaps are exactly 0."""
    bins = gaps.bins
    step = np.maximum(np.sqrt(bins.q * (1 - bins.q) / bins.n), 1 / (bins.n + 1))
    return gaps.with_gaps(np.where(bins.q < 0.5, -step, step))
