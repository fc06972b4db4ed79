"""Calibration errors that need neither bins nor a curve."""

from abc import abstractmethod
from dataclasses import dataclass
from math import isqrt

import numpy as np

from calibrant.calibration.curves.adaptive import AdaptiveBins
from calibrant.calibration.curves.cells import make_cells
from calibrant.calibration.curves.estimator import LARGE
from calibrant.calibration.gaps.bin_gaps import BinGaps
from calibrant.calibration.gaps.bins import Bins, distinct
from calibrant.calibration.gaps.clusters import clusters
from calibrant.calibration.gaps.fine_gaps import FineGaps
from calibrant.calibration.gaps.norms import CumulativeLargest, CumulativeRange, Norm, Placed
from calibrant.calibration.gaps.placed_norms import Smoothed
from calibrant.calibration.scores.proper import set_range
from calibrant.calibration.scores.score import GapScore
from calibrant.errors import UnknownName
from calibrant.pairs import Pairs

CELLS = 1 << 16  # cells to sum predictions over first: far narrower than any Gaussian used


def fine_gaps(pairs: Pairs) -> FineGaps:
    """The gap of every distinct prediction.

    The gap of a single pair is all noise, so replicates use √n cells of neighbours.
    """
    return pairs.remember("fine gaps", lambda: _fine(pairs, distinct(pairs)))


def _fine(pairs: Pairs, bins: Bins) -> FineGaps:
    return FineGaps(bins, coarse_gaps(pairs, bins))


def coarse_gaps(pairs: Pairs, bins: Bins, least: int = 1) -> BinGaps:
    """The gaps of √n cells of neighbours, or of `least` cells if that is more.

    With groups, the cells are the usual bins, which hold enough groups to show their noise.
    """
    if pairs.codes is None:
        cells = bins.merged(max(least, isqrt(int(pairs.n))))
    else:
        cells = bins.joined(np.searchsorted(AdaptiveBins().bins(pairs).upper, bins.upper))
    return BinGaps(cells, clusters(pairs, cells), pairs.counted)


class Unbinned(GapScore, abstract=True):
    """An error computed from the gaps of all distinct predictions."""

    def evidence(self, pairs: Pairs) -> FineGaps:
        """The gaps of all distinct predictions."""
        return fine_gaps(pairs)


class Walk(Unbinned, abstract=True):
    """An error of the walk Σ(q − y)/n in the order of q; equal predictions are one step."""

    @property
    @abstractmethod
    def norm(self) -> Norm:
        """The norm that summarises the gaps."""

    def value(self, evidence: FineGaps) -> float:
        """The error of the walk."""
        return evidence.plain(self.norm)


@dataclass(frozen=True, repr=False)
class ECCE(Walk):
    """The cumulative calibration error: how far Σ(q − y)/n, in the order of q, strays from 0.

    "range" is the largest minus the smallest cumulative sum (ECCE-R), "max" the largest distance
    from 0 (ECCE-MAD). There are no bins to choose. It is a plug-in value, which shrinks only as
    1/√n for calibrated models. The test that goes with it is `Cumulative`. The range is also known
    as the cutoff calibration error, `Cutoff`.

    Reference: Arrieta-Ibarra et al. (2022), arXiv:2205.09680.

    Examples
    --------
    >>> from calibrant import ECCE, Pairs
    >>> pairs = Pairs([0, 0, 1, 0, 1, 1, 0, 1], [0.1, 0.2, 0.3, 0.4, 0.6, 0.7, 0.8, 0.9])
    >>> round(ECCE("max")(pairs), 6)
    0.0875
    """

    statistic: str = "range"
    above: float | None = None
    below: float | None = None

    def __post_init__(self) -> None:
        set_range(self)
        if self.statistic not in ("range", "max"):
            raise UnknownName("statistic", str(self.statistic), ("range", "max"))

    @property
    def norm(self) -> Norm:
        """The norm that summarises the gaps."""
        return CumulativeRange() if self.statistic == "range" else CumulativeLargest()


@dataclass(frozen=True, repr=False)
class Cutoff(Walk):
    """The cutoff calibration error: the largest sum of errors over an interval of predictions.

    The maximum over intervals I of |Σ_{q ∈ I} (q − y)| / n. Use it if predictions are compared
    with cutoffs to make decisions. It is the range of the cumulative differences, so it equals
    `ECCE("range")`, with the same interval. It is a plug-in value, which shrinks only as 1/√n for
    calibrated models.

    Reference: Rossellini et al. (2025), arXiv:2502.19851.

    Examples
    --------
    >>> from calibrant import Cutoff, Pairs
    >>> pairs = Pairs([0, 0, 1, 1], [0.1, 0.3, 0.6, 0.8])
    >>> round(Cutoff()(pairs), 6)  # from 0.6 to 0.8: (−0.4 − 0.2)/4
    0.15
    """

    above: float | None = None
    below: float | None = None

    def __post_init__(self) -> None:
        set_range(self)

    @property
    def norm(self) -> Norm:
        """The norm that summarises the gaps."""
        return CumulativeRange()


@dataclass(frozen=True, repr=False)
class SmoothECE(Unbinned):
    """The smooth calibration error: gaps are smoothed by a Gaussian, then integrated.

    smECE = ∫ |Σ K(t, q)(q − y)/n| dt, where K is a Gaussian reflected at 0 and 1. Its width is
    the error itself, so there is nothing to choose. Small changes in the predictions change the
    error only slightly. It is a plug-in value.

    The authors' package, and others that follow it, put predictions on a grid whose two end
    points count half, so predictions within 0.001 of 0 or 1 count half too. `ends="half"` gives
    their numbers; `ends="whole"` is the integral above. The two differ where models are often
    certain.

    Reference: Błasiok and Nakkiran (2023), arXiv:2309.12236.

    Examples
    --------
    >>> from calibrant import Pairs, SmoothECE
    >>> pairs = Pairs([0, 0, 1, 0, 1, 1, 0, 1], [0.1, 0.2, 0.3, 0.4, 0.6, 0.7, 0.8, 0.9])
    >>> round(SmoothECE()(pairs), 4)
    0.1057
    """

    ends: str = "half"
    above: float | None = None
    below: float | None = None

    def __post_init__(self) -> None:
        set_range(self)
        if self.ends not in ("half", "whole"):
            raise UnknownName("way to count ends", str(self.ends), ("half", "whole"))

    @property
    def norm(self) -> Placed:
        """The norm that summarises the gaps."""
        return Smoothed(whole=self.ends == "whole")

    def evidence(self, pairs: Pairs) -> FineGaps:
        """The gaps of distinct predictions, or of very many cells."""
        if len(pairs) < LARGE or pairs.weight is not None or pairs.group is not None:
            return fine_gaps(pairs)
        return pairs.remember("cell gaps", lambda: _cell_gaps(pairs))

    def value(self, evidence: FineGaps) -> float:
        """The error at the width that equals it."""
        from calibrant.kernels.calibration.reflection import Smoothing

        smoothing = Smoothing(
            evidence.bins.q, evidence.gap, evidence.share, whole=self.ends == "whole"
        )
        return smoothing.error(smoothing.width())


def _cell_gaps(pairs: Pairs) -> FineGaps:
    cells = make_cells(pairs, "identity", CELLS)
    return _fine(pairs, Bins(cells.n, cells.k, cells.n * cells.q, cells.q))
