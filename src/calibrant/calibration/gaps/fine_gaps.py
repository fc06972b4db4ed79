"""Gaps of single predictions, which are too noisy to resample directly."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from calibrant.calibration.gaps.bin_gaps import BinGaps
from calibrant.calibration.gaps.cell_gaps import CellGaps, Family
from calibrant.calibration.gaps.gaps import Gaps
from calibrant.calibration.gaps.norms import Norm

Float = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class FineGaps(Gaps):
    """One gap per distinct prediction, with coarser cells for resampling."""

    coarse: CellGaps

    @property
    def cells(self) -> CellGaps:
        """The coarser gaps."""
        return self.coarse


@dataclass(frozen=True, eq=False)
class KernelGaps(FineGaps):
    """Fine gaps, with the contribution of each unit (pair or group) by itself to a kernel form."""

    own: float  # Σ over units of the form of each
    others: float  # how many ordered pairs of rows belong to different units


@dataclass(frozen=True, eq=False)
class BalancedCells(BinGaps):
    """Cells for a wide kernel, under which gaps may balance out.

    A pattern whose gaps balance would have to be very many times as large to have a given form,
    and then the form would depend on how many pairs lie in which cell, more than on anything else.
    But true gaps are hardly larger than the observed ones. So the effect of these counts grows
    only in proportion to the form, not to the gaps.
    """

    def family(self, norm: Norm, noise: Float, composition: Float) -> Family:
        """The score of each replicate as a function of c."""
        score = super().family(norm, noise, np.zeros_like(composition))
        return lambda c: score(c) + min(c, c**norm.power) * composition
