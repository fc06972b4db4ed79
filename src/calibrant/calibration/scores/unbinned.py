"""Calibration errors that need neither bins nor a curve."""

from dataclasses import dataclass
from math import fsum, isqrt

import numpy as np

from calibrant.calibration.curves.adaptive import AdaptiveBins
from calibrant.calibration.curves.cells import make_cells
from calibrant.calibration.curves.estimator import LARGE
from calibrant.calibration.gaps.bin_gaps import BinGaps
from calibrant.calibration.gaps.bins import Bins, distinct
from calibrant.calibration.gaps.clusters import clusters
from calibrant.calibration.gaps.fine_gaps import FineGaps, KernelGaps
from calibrant.calibration.gaps.norms import CumulativeLargest, CumulativeRange, Norm, Placed
from calibrant.calibration.gaps.placed_norms import KernelForm, Smoothed
from calibrant.calibration.gaps.units import resampling_units
from calibrant.calibration.scores.proper import set_range
from calibrant.calibration.scores.score import GapScore
from calibrant.checks.arrays import sum_by
from calibrant.checks.parameters import real_number
from calibrant.errors import ParameterError, UnknownName
from calibrant.pairs import Pairs

MOST = 2000  # maximum cells for replicates of a kernel, which has an entry per pair of cells
ROUNDING = 1e-12  # share of pairs of rows below which it is rounding error
CELLS = 1 << 16  # cells to sum predictions over first: far narrower than any Gaussian used


def fine_gaps(pairs: Pairs) -> FineGaps:
    """The gap of every distinct prediction.

    The gap of a single pair is all noise, so replicates use √n cells of neighbours.
    """
    return pairs.remember("fine gaps", lambda: _fine(pairs, distinct(pairs)))


def _fine(pairs: Pairs, bins: Bins) -> FineGaps:
    return FineGaps(bins, _coarse(pairs, bins))


def _coarse(pairs: Pairs, bins: Bins, least: int = 1) -> BinGaps:
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


@dataclass(frozen=True, repr=False)
class ECCE(Unbinned):
    """The cumulative calibration error: how far Σ(q − y)/n, in the order of q, strays from 0.

    "range" is the largest minus the smallest cumulative sum (ECCE-R), "max" the largest distance
    from 0 (ECCE-MAD). There are no bins to choose. It is a plug-in value, which shrinks only as
    1/√n for calibrated models. The test that goes with it is `Cumulative`.

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

    def value(self, evidence: FineGaps) -> float:
        """The cumulative error."""
        return evidence.plain(self.norm)


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


@dataclass(frozen=True, repr=False)
class SKCE(Unbinned):
    """The squared kernel calibration error: whether similar q err in the same direction.

    The mean of k(q, q′)(q − y)(q′ − y′) over two different pairs (from different groups, if the
    pairs have groups), with k = exp(−|q − q′| / width). It is unbiased, so it may be negative for
    calibrated models. `debiased=False` includes each pair with itself. The sum over all n² pairs
    is exact and takes one pass over the sorted predictions. Its interval needs about ten pairs
    within a width: with 400 pairs and a width of 0.01 it covered the truth in 88 to 94 % of
    samples.

    Reference: Widmann, Lindsten and Zachariah (2019), arXiv:1910.11385.

    Examples
    --------
    >>> from calibrant import Pairs, SKCE
    >>> round(SKCE(width=1e9)(Pairs([0, 1, 1], [0.5, 0.5, 0.5])), 4)  # the mean of −¼, −¼, ¼
    -0.0833
    """

    width: float = 0.1
    debiased: bool = True
    above: float | None = None
    below: float | None = None

    def __post_init__(self) -> None:
        set_range(self)
        if not real_number("width", self.width) > 0:
            raise ParameterError(f"width must be positive, but it is {self.width!r}.")
        if not isinstance(self.debiased, bool):
            raise ParameterError(f"debiased must be True or False, but it is {self.debiased!r}.")

    @property
    def norm(self) -> Placed:
        """The norm that summarises the gaps."""
        return KernelForm(self.width)

    def evidence(self, pairs: Pairs) -> KernelGaps:
        """The gaps of distinct predictions, and the contribution of each unit by itself."""
        return pairs.remember(("kernel gaps", self.width), lambda: self._make(pairs))

    def _make(self, pairs: Pairs) -> KernelGaps:
        narrow = round(min(4 / self.width, int(pairs.n) // 4, MOST))
        bins = distinct(pairs)
        own, together = _own_forms(pairs, bins, self.width)
        coarse = _coarse(pairs, bins, narrow)
        return KernelGaps(bins, coarse, own=own, others=pairs.n**2 - together)

    def value(self, evidence: KernelGaps) -> float:
        """The mean over different units, or over all pairs with `debiased=False`."""
        return self._mean(evidence) if self.debiased else self.plugin(evidence)

    def _mean(self, evidence: KernelGaps) -> float:
        if evidence.others <= ROUNDING * float(evidence.bins.n.sum()) ** 2:
            raise ParameterError("SKCE needs at least two pairs, from different groups.")
        return (self._form(evidence) - evidence.own) / evidence.others

    def plugin(self, evidence: KernelGaps) -> float:
        """The mean over all pairs, including each pair with itself."""
        return self._form(evidence) / float(evidence.bins.n.sum()) ** 2

    def _form(self, evidence: KernelGaps) -> float:
        from calibrant.kernels.calibration.laplace import forms

        bins = evidence.bins
        every = np.array([0, bins.n.size])
        # `upper` is the position of a prediction, even if q comes from held-back draws
        return float(forms(every, bins.upper, evidence.gap * bins.n, self.width)[0])


def _own_forms(pairs: Pairs, bins: Bins, width: float) -> tuple[float, float]:
    """The contribution of each unit by itself, and the number of row pairs within units."""
    from calibrant.kernels.calibration.laplace import forms

    units = resampling_units(pairs)
    if units is None:
        squares = bins.positive * (1 - bins.q) ** 2 + (bins.n - bins.positive) * bins.q**2
        return float(squares.sum()), pairs.n
    codes, weight, order = units
    q, error = pairs.q[order].astype(np.float64), (pairs.predicted - pairs.y)[order]
    scale = np.ones(q.size) if weight is None else weight
    rows = np.lexsort((error, scale, q, codes))
    start = np.concatenate([[0], np.cumsum(np.bincount(codes))])
    own = forms(start, q[rows], (error * scale)[rows], width)
    return fsum(own), fsum(sum_by(codes, scale) ** 2)  # fsum: independent of order
