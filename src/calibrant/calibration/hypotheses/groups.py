"""Sum residuals by group, for tests of dependent pairs.

Under calibration the residuals of a whole group could as well have had the other sign, so tests
flip the signs of groups. This is exact for symmetric sums, however few and unequal the groups.
Sums of rare outcomes are skewed: if few positives were seen by chance, all groups look alike. So
the flipped sums are rescaled to the variance that the predictions imply.
"""

from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray

from calibrant.calibration.curves.cells import GroupCells, group_cells
from calibrant.calibration.gaps.outcomes import believed
from calibrant.calibration.groups.exact_sums import column_sum
from calibrant.calibration.groups.units import Rows, resampling_units
from calibrant.checks.arrays import Numbers
from calibrant.pairs import Pairs

Float = NDArray[np.float64]
Int = NDArray[np.int64]
Factor = Callable[[Rows], Float | float]  # computed for a few rows at a time
FLIPS = "signs of groups flipped"


def ones(rows: Rows) -> float:
    """The factor 1."""
    return 1.0


def leanings(pairs: Pairs, column: Numbers, count: int) -> GroupCells | None:
    """Sum the residuals y − q by group and cell; None if pairs are independent."""
    return group_cells(pairs, column, count, pairs.y - pairs.predicted)


def noise_scale(pairs: Pairs, factor: Factor = ones) -> float:
    """How much larger the flipped sums of `factor` · (y − q) should be (default: factor 1).

    The root of the variance that the predictions imply, relative to the one that was seen.
    """
    if pairs.held is not None:  # the noise of draws is part of what was seen
        return 1.0

    def weighted(rows: Rows) -> Float:
        square = factor(rows) ** 2
        return np.asarray(square if pairs.weight is None else square * pairs.weight[rows])

    def chance(rows: Rows) -> Float:
        q = pairs.q[rows].astype(np.float64, copy=False)
        return weighted(rows) * q * (1 - q)

    def squares(rows: Rows) -> Float:
        q = pairs.q[rows].astype(np.float64, copy=False)
        return np.asarray(weighted(rows) * (q - pairs.y[rows]) ** 2)

    expected, seen = (column_sum(each, len(pairs)) for each in (chance, squares))
    return float(np.sqrt(believed(expected, seen)))


def flipped(found: GroupCells, count: int, replicates: int, seed: int) -> Float:
    """Sums over cells with a random sign for every group, one row per replicate."""
    from calibrant.kernels.calibration.groups import Effects, flip

    return flip(found.start, found.column, Effects.plain(found.k, count), replicates, seed)


def flipped_sums(
    pairs: Pairs, factors: list[Factor], replicates: int, seed: int
) -> tuple[Float, Float]:
    """Σ factor · (y − q) for each factor: in the data, and with flipped signs of groups.

    Flipped sums have one row per replicate and the variance that the predictions imply.
    """
    from calibrant.kernels.calibration.groups import Effects, flip

    units = resampling_units(pairs)
    assert units is not None  # there are groups, or weighted rows

    def leaning(rows: Rows, factor: Factor) -> Float:
        weight = 1.0 if pairs.weight is None else pairs.weight[rows].astype(np.float64, copy=False)
        return np.asarray(factor(rows) * ((pairs.y[rows] - pairs.predicted[rows]) * weight))

    sums = np.column_stack([units.sums(partial(leaning, factor=each)) for each in factors])
    sums = sums[np.lexsort((*sums.T, *np.abs(sums).T))]  # labels of groups cannot matter
    start, first = np.arange(sums.shape[0] + 1), np.zeros(sums.shape[0], np.int64)
    drawn = [
        flip(start, first, Effects.plain(column, 1), replicates, seed)[:, 0]
        * noise_scale(pairs, factor)
        for column, factor in zip(sums.T.copy(), factors, strict=True)
    ]
    return sums.sum(axis=0), np.column_stack(drawn)
