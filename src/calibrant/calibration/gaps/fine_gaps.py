"""Gaps of single predictions, too noisy by themselves for replicates."""

from dataclasses import dataclass

from calibrant.calibration.gaps.cell_gaps import CellGaps
from calibrant.calibration.gaps.gaps import Gaps


@dataclass(frozen=True, eq=False)
class FineGaps(Gaps):
    """One gap per distinct prediction, with the coarser cells that replicates are drawn for."""

    coarse: CellGaps

    @property
    def cells(self) -> CellGaps:
        """The coarser gaps."""
        return self.coarse


@dataclass(frozen=True, eq=False)
class KernelGaps(FineGaps):
    """Fine gaps, with what a unit (pair or group) adds to a kernel form by itself."""

    own: float  # Σ over units of the form of each
    others: float  # how many ordered pairs of rows belong to different units
