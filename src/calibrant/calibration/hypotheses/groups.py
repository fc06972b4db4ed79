"""What tests share: residuals of groups, and what a certain model can be told."""

import numpy as np
from numpy.typing import NDArray

from calibrant.calibration.curves.cells import GroupCells, group_cells
from calibrant.calibration.gaps.evidence import resampling_units
from calibrant.checks.arrays import sum_by
from calibrant.pairs import Pairs

Float = NDArray[np.float64]
Int = NDArray[np.int64]
FLIPS = "signs of groups flipped"


def leanings(pairs: Pairs, column: Int, count: int) -> GroupCells | None:
    """Sums of residuals y − q by group and cell; None without groups."""
    return group_cells(pairs, column, count, pairs.y - pairs.predicted)


def flipped(found: GroupCells, count: int, replicates: int, seed: int) -> Float:
    """Sums over cells with the sign of every group drawn anew, one row per replicate."""
    from calibrant.kernels.calibration.groups import flip

    return flip(found.start, found.column, found.k, count, replicates, seed)


def by_group(pairs: Pairs, columns: list[Float]) -> Float | None:
    """Sums of each column (one value per row, times weight) by group; None without groups."""
    units = resampling_units(pairs)
    if units is None:
        return None
    codes, weight, order = units
    scale = 1.0 if weight is None else weight
    return np.column_stack([sum_by(codes, each[order] * scale) for each in columns])


def hotelling(sums: Float) -> tuple[float, float]:
    """Whether the sums of groups have mean 0: the statistic F and its p-value."""
    from scipy.special import fdtrc

    groups, many = sums.shape
    total = sums.sum(axis=0)
    products = sums.T @ sums
    t = float(total @ np.linalg.pinv(products) @ total)
    f = (groups - many) / many * t / max(groups - t, 1e-12)
    return f, float(fdtrc(many, groups - many, f))


def certain(wrong: bool) -> tuple[float, float, str]:
    """All predictions are 0 or 1: a single surprise is impossible."""
    return (np.inf, 0.0, "certainty") if wrong else (0.0, 1.0, "certainty")
