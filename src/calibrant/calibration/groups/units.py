"""The units of a bootstrap: groups, or rows with importance weights."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibrant.calibration.groups.exact_sums import order_free
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
    weight: Float | None  # weights of the rows in `order`; None if every row counts once
    order: Int | slice  # a fixed order of the rows, because sums of fractions depend on it


def rows_are_units(pairs: Pairs) -> bool:
    """Whether rows are independent and count as whole pairs, so that nothing is summed by unit."""
    return pairs.codes is None and pairs.counted


def resampling_units(pairs: Pairs) -> Units | None:
    """The units of these pairs; None if rows are independent and not fractional.

    Without groups, each row with an importance weight is a unit.
    """
    if rows_are_units(pairs):
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
    """Sums of each unit in each cell it touches, one compressed row each."""

    start: Int  # (units + 1,) where the rows of each unit begin
    column: Int  # the cell of each compressed row
    order: Int  # the code of each unit; units are sorted by content, not by label

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
    # sums of whole weights are exact in any order; sums of fractions are not
    return sums if pairs.counted else sums._replace(error=order_free(sums.error))


def by_content(sums: "GroupSums", value: Float) -> tuple[Int, Int, Int]:
    """Sort units by content, so that results depend neither on labels nor on the name of yes.

    Returns where the units start, their compressed rows and their codes, in that order.
    `value` has one entry per compressed row.
    """
    size = np.diff(sums.start)
    owner = np.repeat(np.arange(size.size), size)
    weight, column = sums.weight, sums.column
    place = column - (column.min() + column.max()) / 2  # from the middle
    # the direction of q and the sign of values do not matter, except between mirror images
    even = (value**2, weight, value**2 * place**2, weight * place**2, weight**2)
    odd = (value, value * place, weight * place, value**2 * place)
    sums_of = [sum_by(owner, each, size.size) for each in (*even, *odd)]
    keys = [*sums_of[len(even) :], *map(np.abs, sums_of[len(even) :]), *sums_of[: len(even)]]
    order = np.lexsort((*keys, size))
    return *rearranged(sums.start, order), order


def rearranged(start: Int, order: Int) -> tuple[Int, Int]:
    """Reorder units: where they start, and their compressed rows."""
    size = np.diff(start)[order]
    moved = np.concatenate([[0], np.cumsum(size)])
    rows = np.repeat(start[:-1][order] - moved[:-1], size) + np.arange(moved[-1])
    return moved, rows


def refuse_draws(pairs: Pairs, what: str, instead: str) -> None:
    """Refuse shares of draws if their noise would be mistaken for errors."""
    if pairs.held is not None:
        raise UnsupportedError(f"{what} cannot tell the noise of draws from errors: {instead}.")


def leave_groups_out() -> str:
    """Advice on how to ignore groups."""
    return f"leave the group out{' (--no-group)' if on_command_line() else ''}"


def refuse_one_group(groups: int, bare: bool = False) -> None:
    """Refuse a single group if the variation between groups is needed.

    `bare` says whether the verb can also return values without intervals.
    """
    if groups == 1:
        instead = f", or use {option('interval', 'None')}" if bare else ""
        raise UnsupportedError(
            "All pairs belong to one group, so variation between groups cannot be estimated: "
            f"{leave_groups_out()}{instead}."
        )
