"""Forecasters that the gaps of a test set may come from.

A true score does not say where a model is wrong, so an interval imagines forecasters with one
pattern of gaps, scaled. A pattern is a set of gaps of its own, over the bins of the data.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from calibrant.calibration.gaps.evidence import Gaps
from calibrant.calibration.gaps.norms import Absolute, Largest, Norm, Squared

Float = NDArray[np.float64]
FAINT = 0.01  # of the noise: a smaller pattern has a shape, but its size is chance
CERTAIN = 2.0  # gaps of so many standard errors are taken to be real


def patterns(norm: Norm, gaps: Gaps) -> tuple[list[Gaps], list[Gaps]]:
    """The patterns whose lowest lower limit and highest upper limit make an interval.

    What noise adds to a squared score does not depend on the pattern, so the observed one will
    do. To absolute gaps it adds most where few bins are wrong and least where all are; to the
    largest gap most where all bins are equally wrong. So these norms are given the extremes too.
    """
    if not np.any(gaps.gap):
        faint = _faint(gaps)
        return [faint], [faint]
    if isinstance(norm, Squared) and gaps.clusters is not None and gaps.smoother is None:
        gaps = _visible(norm, gaps)
    if gaps.isotonic or not isinstance(norm, Absolute | Largest):
        return [gaps], [gaps]
    sparse, flat = _sparse(gaps), [_flat(gaps, float(norm.plain(gaps.gap, gaps.share)))]
    most, least = (flat, sparse) if isinstance(norm, Largest) else (sparse, flat)
    return [gaps, *most], [gaps, *least]


def _visible(norm: Norm, gaps: Gaps) -> Gaps:
    """The same pattern as large as its noise, where errors of groups cancel by chance.

    Patterns are scaled anyway. But groups are measured against the gaps of the others, and beside
    gaps of nearly 0 each of them would look enormous.
    """
    noise = float(gaps.variance @ gaps.share)
    plain = float(norm.plain(gaps.gap, gaps.share))
    if plain >= FAINT * noise:
        return gaps
    return _with_gaps(gaps, gaps.gap * np.sqrt(noise / plain))


def _sparse(gaps: Gaps) -> list[Gaps]:
    """Only the gaps that are no noise; none where they are all or none of the bins."""
    bins = gaps.bins
    noise = np.sqrt(gaps.sampling_variance)
    if gaps.smoother is None:  # bins without noise are only too small to show it
        noise = np.maximum(noise, np.sqrt(bins.q * (1 - bins.q) / bins.n))
    certain = np.abs(gaps.gap) > CERTAIN * noise
    if certain.all() or not certain.any():
        return []
    return [_with_gaps(gaps, np.where(certain, gaps.gap, 0.0))]


def _flat(gaps: Gaps, height: float) -> Gaps:
    """The same gap everywhere, as far as probabilities allow, in the observed directions."""
    q = gaps.bins.q
    over = gaps.gap >= 0
    room = np.where(over, q, 1 - q)
    return _with_gaps(gaps, np.where(over, 1.0, -1.0) * np.minimum(height, room))


def _faint(gaps: Gaps) -> Gaps:
    """Gaps of one standard error, where all gaps are exactly 0."""
    bins = gaps.bins
    step = np.maximum(np.sqrt(bins.q * (1 - bins.q) / bins.n), 1 / (bins.n + 1))
    return _with_gaps(gaps, np.where(bins.q < 0.5, -step, step))


def _with_gaps(gaps: Gaps, wanted: Float) -> Gaps:
    bins = gaps.bins
    return replace(gaps, bins=bins._replace(positive=bins.total - wanted * bins.n))
