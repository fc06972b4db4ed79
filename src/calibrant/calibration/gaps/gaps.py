"""Gaps q̂ − p̂ between predictions and frequencies, and how sure each of them is.

The kinds of gaps, each with a module of its own:

Gaps
├── CellGaps          gaps with known noise: forecasters with other gaps can be imagined
│   ├── BinGaps       each bin for itself
│   ├── SmoothGaps    cells of a smooth curve, which move each other
│   └── IsotonicGaps  cells of a curve that never falls
└── FineGaps          one gap per distinct prediction, whose noise is known on coarser cells
    └── KernelGaps    with what each unit adds to a kernel form by itself
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
    """The gaps that a calibration error is taken from."""

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
        """Whether the gaps have no size, so that no multiple of them has one either."""
        return self.plain(norm) < NOTHING**norm.power

    @property
    @abstractmethod
    def cells(self) -> "CellGaps":
        """The gaps that replicates are drawn for: these, or coarser ones."""

    @property
    def groups(self) -> int | None:
        """How many groups a bootstrap draws from; None where it draws pairs."""
        found = self.cells.clusters
        return None if found is None else found.groups

    @property
    def too_small(self) -> int:
        """How many bins have fewer than two pairs (or groups), so that no variance is known."""
        return 0

    def total(self, norm: Norm, part: float = 1.0) -> float:
        """The sum over bins without (a part of) the noise, or the plain sum if it must stay."""
        return self.plain(norm)
