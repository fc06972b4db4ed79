"""Calibration errors that are means over two pairs, weighted by a kernel."""

from abc import abstractmethod
from dataclasses import dataclass
from math import fsum

import numpy as np
from numpy.typing import NDArray

from calibrant.calibration.gaps.bin_gaps import BinGaps
from calibrant.calibration.gaps.bins import Bins, distinct
from calibrant.calibration.gaps.fine_gaps import KernelGaps
from calibrant.calibration.gaps.norms import Placed
from calibrant.calibration.gaps.placed_norms import KernelForm, TwoBins
from calibrant.calibration.groups.units import resampling_units
from calibrant.calibration.scores.proper import set_range
from calibrant.calibration.scores.unbinned import Unbinned, coarse_gaps
from calibrant.checks.arrays import sum_by
from calibrant.checks.parameters import real_number
from calibrant.errors import ParameterError
from calibrant.pairs import Pairs

Float = NDArray[np.float64]
Int = NDArray[np.int64]
MOST = 2000  # maximum cells for replicates of a kernel, which has an entry per pair of cells
ROUNDING = 1e-12  # share of pairs of rows below which it is rounding error


class KernelError(Unbinned, abstract=True):
    """The mean of k(q, q′)(q − y)(q′ − y′) over two pairs, where k(q, q) = 1.

    Debiased, it is the mean over two different pairs (from different groups, if there are
    groups); as a plug-in it includes each pair with itself.
    """

    debiased: bool

    def __post_init__(self) -> None:
        set_range(self)
        if not isinstance(self.debiased, bool):
            raise ParameterError(f"debiased must be True or False, but it is {self.debiased!r}.")

    @abstractmethod
    def forms(self, start: Int, q: Float, mass: Float) -> Float:
        """Σ mass_i mass_j k(q_i, q_j) within each segment; the q of a segment ascend."""

    @abstractmethod
    def cells(self, pairs: Pairs, bins: Bins) -> BinGaps:
        """Cells of neighbours, for replicates."""

    def evidence(self, pairs: Pairs) -> KernelGaps:
        """The gaps of distinct predictions, and the contribution of each unit by itself."""
        return pairs.remember(("kernel gaps", *self.kernel), lambda: self._make(pairs))

    @property
    def kernel(self) -> tuple[object, ...]:
        """What determines the kernel: scores with the same kernel share their evidence."""
        return (type(self).__name__,)

    def _make(self, pairs: Pairs) -> KernelGaps:
        bins = distinct(pairs)
        own, together = self._own(pairs, bins)
        return KernelGaps(bins, self.cells(pairs, bins), own=own, others=pairs.n**2 - together)

    def _own(self, pairs: Pairs, bins: Bins) -> tuple[float, float]:
        """The contribution of each unit by itself, and the number of row pairs within units."""
        units = resampling_units(pairs)
        if units is None:
            squares = bins.positive * (1 - bins.q) ** 2 + (bins.n - bins.positive) * bins.q**2
            return float(squares.sum()), pairs.n
        codes, weight, order = units
        q, error = pairs.q[order].astype(np.float64), (pairs.predicted - pairs.y)[order]
        scale = np.ones(q.size) if weight is None else weight
        rows = np.lexsort((error, scale, q, codes))
        start = np.concatenate([[0], np.cumsum(np.bincount(codes))])
        own = self.forms(start, q[rows], (error * scale)[rows])
        return fsum(own), fsum(sum_by(codes, scale) ** 2)  # fsum: independent of order

    def value(self, evidence: KernelGaps) -> float:
        """The mean over different units, or over all pairs with `debiased=False`."""
        return self._mean(evidence) if self.debiased else self.plugin(evidence)

    def _mean(self, evidence: KernelGaps) -> float:
        if evidence.others <= ROUNDING * float(evidence.bins.n.sum()) ** 2:
            name = type(self).__name__
            raise ParameterError(f"{name} needs at least two pairs, from different groups.")
        return (self._form(evidence) - evidence.own) / evidence.others

    def plugin(self, evidence: KernelGaps) -> float:
        """The mean over all pairs, including each pair with itself."""
        return self._form(evidence) / float(evidence.bins.n.sum()) ** 2

    def _form(self, evidence: KernelGaps) -> float:
        bins = evidence.bins
        every = np.array([0, bins.n.size])
        # `upper` is the position of a prediction, even if q comes from held-back draws
        return float(self.forms(every, bins.upper, evidence.gap * bins.n)[0])


@dataclass(frozen=True, repr=False)
class SKCE(KernelError):
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
        super().__post_init__()
        if not real_number("width", self.width) > 0:
            raise ParameterError(f"width must be positive, but it is {self.width!r}.")

    @property
    def norm(self) -> Placed:
        """The norm that summarises the gaps."""
        return KernelForm(self.width)

    @property
    def kernel(self) -> tuple[object, ...]:
        """The kernel depends on the width."""
        return (type(self).__name__, self.width)

    def forms(self, start: Int, q: Float, mass: Float) -> Float:
        """The sum over all pairs of points of each segment."""
        from calibrant.kernels.calibration.laplace import forms

        found: Float = forms(start, q, mass, self.width)
        return found

    def cells(self, pairs: Pairs, bins: Bins) -> BinGaps:
        """At least four cells per width, so that replicates show what a narrow kernel does."""
        return coarse_gaps(pairs, bins, round(min(4 / self.width, int(pairs.n) // 4, MOST)))


@dataclass(frozen=True, repr=False)
class ATB(KernelError):
    """The averaged two-bin calibration error, minimised by the truth.

    A threshold t divides the predictions into two bins. The squared sums of their errors are
    added, and averaged over all t from 0 to 1:

    ATB = ∫ (Σ_{q < t} (q − y)/n)² + (Σ_{q ≥ t} (q − y)/n)² dt.

    This is the mean of (1 − |q − q′|)(q − y)(q′ − y′) over any two pairs, and takes one pass over
    the sorted predictions. It is on the scale of squares.

    Use it if someone could gain from a better score. Other calibration errors may be smaller, on
    finite data, for a model that says the base rate everywhere than for one that says the true
    probabilities. Over samples of n independent pairs, the mean of ATB is 1 − 1/n of its true
    value plus 1/n of the Brier score. True probabilities minimise both. So ATB is a plug-in value
    and biased by design: compare it only for equal numbers of pairs.

    `debiased=True` is the mean over two different pairs (from different groups, if the pairs have
    groups). It is unbiased, so it may be negative for calibrated models. But it leaves the Brier
    score out, so the base rate does as well as the truth: do not choose a model by it.

    Reference: Hartline, Hu and Wu (2026), arXiv:2508.13100.

    Examples
    --------
    >>> from calibrant import ATB, Pairs
    >>> ATB()(Pairs([0, 1], [0.5, 0.75]))  # ½ · (⅛)² + ¼ · (¼² + ⅛²) + ¼ · (⅛)²
    0.03125
    """

    debiased: bool = False
    above: float | None = None
    below: float | None = None

    @property
    def norm(self) -> Placed:
        """The norm that summarises the gaps."""
        return TwoBins()

    def forms(self, start: Int, q: Float, mass: Float) -> Float:
        """The integral of the two squared sums of each segment."""
        from calibrant.kernels.calibration.two_bins import two_bin_forms

        found: Float = two_bin_forms(start, q, mass)
        return found

    def cells(self, pairs: Pairs, bins: Bins) -> BinGaps:
        """Cells whose gaps may balance out."""
        return coarse_gaps(pairs, bins)
