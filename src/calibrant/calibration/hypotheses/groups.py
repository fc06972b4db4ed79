"""Sum residuals by group, for tests of dependent pairs."""

import numpy as np
from numpy.typing import NDArray

from calibrant.calibration.curves.cells import GroupCells, group_cells
from calibrant.calibration.gaps.units import resampling_units
from calibrant.checks.arrays import sum_by
from calibrant.pairs import Pairs

Float = NDArray[np.float64]
Int = NDArray[np.int64]
FLIPS = "signs of groups flipped"
TINY = 1e-12  # replaces a variance of 0, if all groups have the same residual


def leanings(pairs: Pairs, column: Int, count: int) -> GroupCells | None:
    """Sum the residuals y − q by group and cell; None if pairs are independent."""
    return group_cells(pairs, column, count, pairs.y - pairs.predicted)


def flipped(found: GroupCells, count: int, replicates: int, seed: int) -> Float:
    """Sums over cells with a random sign for every group, one row per replicate."""
    from calibrant.kernels.calibration.groups import flip

    return flip(found.start, found.column, found.k, count, replicates, seed)


def by_group(pairs: Pairs, columns: list[Float]) -> Float | None:
    """Weighted sums of each column by group; None if pairs are independent."""
    units = resampling_units(pairs)
    if units is None:
        return None
    codes, weight, order = units
    scale = 1.0 if weight is None else weight
    return np.column_stack([sum_by(codes, each[order] * scale) for each in columns])


def hotelling(sums: Float) -> tuple[float, float]:
    """Hotelling's test that the sums of groups have mean 0: F and its p-value."""
    from scipy.special import fdtrc

    groups, many = sums.shape
    total = sums.sum(axis=0)
    products = sums.T @ sums
    t = float(total @ np.linalg.pinv(products) @ total)
    t = min(max(t, 0.0), float(groups))  # rounding may move it out of its range
    f = (groups - many) / many * t / max(groups - t, TINY)
    return f, float(fdtrc(many, groups - many, f))
