"""Gaps of single predictions, which are too noisy to resample directly."""

from dataclasses import dataclass

from calibrant.calibration.gaps.cell_gaps import CellGaps
from calibrant.calibration.gaps.gaps import Gaps


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
