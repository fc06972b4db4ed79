"""Gaps q̂ − p̂ between predictions and frequencies, and their uncertainty.

The kinds of gaps, each in its own module:

Gaps
├── CellGaps          gaps with known noise, which can be rescaled to simulate other forecasters
│   ├── BinGaps       independent bins
│   │   └── BalancedCells  cells for a kernel so wide that gaps may balance out
│   ├── SmoothGaps    cells of a smooth curve, which influence each other
│   └── IsotonicGaps  cells of a non-decreasing curve
└── FineGaps          one gap per distinct prediction, with noise known on coarser cells
    └── KernelGaps    with the contribution of each unit by itself to a kernel form
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from calibrant.calibration.gaps.bins import Bins
from calibrant.calibration.gaps.norms import NOTHING, Norm

if TYPE_CHECKING:
    from calibrant.calibration.gaps.cell_gaps import CellGaps

Float = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Gaps(ABC):
    """The gaps from which a calibration error is computed."""

    bins: Bins

    @property
    def share(self) -> Float:
        """Each bin's share of the pairs."""
        return self.bins.share

    @property
    def gap(self) -> Float:
        """q̂ − p̂."""
        return self.bins.q - self.bins.p

    def plain(self, norm: Norm) -> float:
        """The plug-in sum over bins."""
        return float(norm.plain(self.gap, self.share))

    def nothing(self, norm: Norm) -> bool:
        """Whether the norm of the gaps is 0, and so of every multiple of them."""
        return self.plain(norm) < NOTHING**norm.power

    @property
    @abstractmethod
    def cells(self) -> "CellGaps":
        """The gaps to resample: these, or coarser ones."""

    @property
    def groups(self) -> int | None:
        """How many groups a bootstrap draws from; None if it draws pairs."""
        found = self.cells.clusters
        return None if found is None else found.groups

    @property
    def too_small(self) -> int:
        """The number of bins with fewer than two pairs (or groups), which have no variance."""
        return 0

    def total(self, norm: Norm, part: float = 1.0) -> float:
        """The sum over bins minus (part of) the noise; the plain sum if noise cannot be removed."""
        return self.plain(norm)
