"""Gaps of independent bins."""

from dataclasses import dataclass

from calibrant.calibration.gaps.cell_gaps import CellGaps


@dataclass(frozen=True, eq=False)
class BinGaps(CellGaps):
    """The gaps of bins, each estimated from its own pairs alone."""

    counted: bool = True  # whether the weights of pairs are multiplicities

    @property
    def too_small(self) -> int:
        """The number of bins with fewer than two pairs (or groups), which have no variance."""
        counts = self.bins.n if self.clusters is None else self.clusters.present
        return int((counts < 2).sum())
