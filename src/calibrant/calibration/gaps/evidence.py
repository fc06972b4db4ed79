"""What a score and its interval are computed from, so that neither needs the pairs again.

`Gaps` belong to calibration errors (one gap q̂ − p̂ per bin), `Losses` to scores that are means
of one loss per pair. Intervals resample these, never the rows. The names of this package that
other packages need are gathered here.
"""

from typing import TypeAlias

from calibrant.calibration.gaps.bin_gaps import BinGaps
from calibrant.calibration.gaps.bins import Bins, at_predicted, distinct
from calibrant.calibration.gaps.cell_gaps import CellGaps
from calibrant.calibration.gaps.clusters import Clusters, clusters
from calibrant.calibration.gaps.exact_sums import order_free, order_free_sum
from calibrant.calibration.gaps.fine_gaps import FineGaps, KernelGaps
from calibrant.calibration.gaps.gaps import Gaps
from calibrant.calibration.gaps.isotonic_gaps import IsotonicGaps
from calibrant.calibration.gaps.losses import Losses, losses
from calibrant.calibration.gaps.smooth_gaps import SmoothGaps
from calibrant.calibration.gaps.units import (
    UnitRows,
    by_content,
    refuse_draws,
    refuse_one_group,
    resampling_units,
    sums_by_unit,
)

Evidence: TypeAlias = Gaps | Losses

__all__ = [
    "BinGaps",
    "Bins",
    "CellGaps",
    "Clusters",
    "Evidence",
    "FineGaps",
    "Gaps",
    "IsotonicGaps",
    "KernelGaps",
    "Losses",
    "SmoothGaps",
    "UnitRows",
    "at_predicted",
    "by_content",
    "clusters",
    "distinct",
    "losses",
    "order_free",
    "order_free_sum",
    "refuse_draws",
    "refuse_one_group",
    "resampling_units",
    "sums_by_unit",
]
