"""The units that are drawn in a bootstrap: groups, or rows with importance weights."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibrant.calibration.gaps.exact_sums import order_free
from calibrant.checks.arrays import sum_by
from calibrant.errors import UnsupportedError, on_command_line, option
from calibrant.pairs import Pairs

if TYPE_CHECKING:
    from calibrant.kernels.calibration.groups import GroupSums

Float = NDArray[np.float64]
Int = NDArray[np.int64]


class Units(NamedTuple):
    """The unit that each row belongs to."""

    codes: Int  # the number of the unit of each row, once the rows are in `order`
    weight: Float | None  # of the rows in `order`; None where every row counts once
    order: Int | slice  # a fixed order of the rows, because sums of fractions depend on it


def resampling_units(pairs: Pairs) -> Units | None:
    """The units of these pairs; None where all rows are alike and independent.

    Rows with importance weights are units of their own where there are no groups.
    """
    if pairs.codes is None and pairs.counted:
        return None
    if pairs.codes is not None and pairs.counted:
        weight = None if pairs.weight is None else pairs.weight.astype(np.float64, copy=False)
        return Units(pairs.codes, weight, slice(None))
    assert pairs.weight is not None
    order = np.lexsort((pairs.predicted, pairs.weight, pairs.y, pairs.q))
    codes = np.arange(len(pairs)) if pairs.codes is None else pairs.codes[order]
    return Units(codes, pairs.weight[order].astype(np.float64, copy=False), order)


@dataclass(frozen=True, slots=True, eq=False)
class UnitRows:
    """What each unit holds in each cell that it touches, compressed row by row."""

    start: Int  # (units + 1,) where the rows of each unit begin
    column: Int  # the cell of each compressed row
    order: Int  # the code of each unit: they are ordered by content, so that labels cannot matter

    @property
    def groups(self) -> int:
        """The number of units."""
        return self.start.size - 1

    @property
    def owner(self) -> Int:
        """The unit of each compressed row."""
        return np.repeat(np.arange(self.groups), np.diff(self.start))


def sums_by_unit(
    pairs: Pairs, column: Int, values: NDArray[np.generic], count: int
) -> "GroupSums | None":
    """Weight and Σ weight · value of each unit in each of `count` cells; None without units.

    `column` and `values` have one entry per row.
    """
    units = resampling_units(pairs)
    if units is None:
        return None
    from calibrant.kernels.calibration.groups import group_sums

    codes, weight, order = units
    each = values[order].astype(np.float64, copy=False)
    sums = group_sums(codes, column[order], each, weight, int(codes.max()) + 1, count)
    # whole weights leave sums that are exact in any order of the units; others do not
    return sums if pairs.counted else sums._replace(error=order_free(sums.error))


def by_content(sums: "GroupSums", value: Float) -> tuple[Int, Int, Int]:
    """Order units by what they hold, so that their labels cannot matter.

    Returns where the units start, their compressed rows and their codes, all in that order.
    `value` has one entry per compressed row.
    """
    size = np.diff(sums.start)
    owner = np.repeat(np.arange(size.size), size)
    column, weight = sums.column, sums.weight
    contents = (value, value**2, value * column, weight * column, value**2 * column, weight)
    keys = [sum_by(owner, each, size.size) for each in contents]
    order = np.lexsort((*keys, size))
    return *rearranged(sums.start, order), order


def rearranged(start: Int, order: Int) -> tuple[Int, Int]:
    """Where units start, and their compressed rows, once the units are in this order."""
    size = np.diff(start)[order]
    moved = np.concatenate([[0], np.cumsum(size)])
    rows = np.repeat(start[:-1][order] - moved[:-1], size) + np.arange(moved[-1])
    return moved, rows


def refuse_draws(pairs: Pairs, what: str, instead: str) -> None:
    """Refuse shares of draws where their noise would be taken for something else."""
    if pairs.held is not None:
        raise UnsupportedError(f"{what} cannot tell the noise of draws from errors: {instead}.")


def leave_groups_out() -> str:
    """How to do without groups, in words."""
    return f"leave the group out{' (--no-group)' if on_command_line() else ''}"


def refuse_one_group(groups: int, bare: bool = False) -> None:
    """Refuse what needs the variation between groups if there is only one.

    `bare` says that the verb can also give values without intervals.
    """
    if groups == 1:
        instead = f", or ask for {option('interval', 'None')}" if bare else ""
        raise UnsupportedError(
            "All pairs belong to one group, so variation between groups cannot be estimated: "
            f"{leave_groups_out()}{instead}."
        )
