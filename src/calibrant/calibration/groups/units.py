"""The units of a bootstrap: groups, or rows with importance weights."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibrant.calibration.groups.exact_sums import Column, column_sums, order_free
from calibrant.checks.arrays import Numbers, sum_by
from calibrant.errors import UnsupportedError, on_command_line, option
from calibrant.pairs import Pairs

if TYPE_CHECKING:
    from calibrant.kernels.calibration.groups import GroupSums

Float = NDArray[np.float64]
Int = NDArray[np.int64]
Rows = slice | Int  # some of the rows


class Units(NamedTuple):
    """The unit that each row belongs to."""

    codes: Numbers  # the number of the unit of each row, once the rows are in `order`
    weight: Float | None  # weights of the rows in `order`; None if every row counts once
    order: Int | slice  # a fixed order of the rows, because sums of fractions depend on it

    def sums(self, column: Callable[[Rows], Float]) -> Float:
        """The order-free sum of each unit, of a column computed for the rows that it is given."""
        return column_sums(self.ordered(column), self.codes.size, self.codes, self.many)

    def ordered(self, column: Callable[[Rows], Float]) -> Column:
        """A column in the fixed order of the rows."""
        order = self.order
        return column if isinstance(order, slice) else lambda rows: column(order[rows])

    @property
    def many(self) -> int:
        """The number of units."""
        return int(self.codes.max()) + 1


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


def unit_weights(pairs: Pairs, units: Units) -> Float:
    """The weight of each unit."""
    if units.weight is None:
        return pairs.group_weights
    return sum_by(units.codes, units.weight)


@dataclass(frozen=True, slots=True, eq=False)
class UnitRows:
    """Sums of each unit in each cell it touches, one compressed row each."""

    start: Int  # (units + 1,) where the rows of each unit begin
    column: Numbers  # the cell of each compressed row
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
    pairs: Pairs, column: Numbers, values: NDArray[Any], count: int
) -> "GroupSums | None":
    """Weight and Σ weight · value of each unit in each of `count` cells; None without units.

    `column` and `values` have one entry per row.
    """
    units = resampling_units(pairs)
    if units is None:
        return None
    from calibrant.kernels.calibration.groups import group_sums

    codes, weight, order = units
    sums = group_sums(codes, column[order], values[order], weight, int(codes.max()) + 1, count)
    # sums of whole weights are exact in any order; sums of fractions are not
    return sums if pairs.counted else sums._replace(error=order_free(sums.error))


def by_content(sums: "GroupSums", value: Float) -> Int:
    """The order of units by content, so that results depend neither on labels nor on yes and no.

    `value` has one entry per compressed row.
    """
    from calibrant.kernels.calibration.groups import contents

    middle = (int(sums.column.min()) + int(sums.column.max())) / 2
    found = np.zeros((9, sums.start.size - 1))
    contents(sums.start, sums.column, sums.weight, value, middle, found)
    # the direction of q and the sign of values do not matter, except between mirror images
    even, odd = found[:5], found[5:]
    return np.lexsort((*odd, *map(np.abs, odd), *even, np.diff(sums.start)))


def moved_start(start: Int, order: Int) -> Int:
    """Where units start in another order."""
    return np.concatenate([[0], np.cumsum(np.diff(start)[order])])


def moved(start: Int, order: Int, column: NDArray[Any]) -> NDArray[Any]:
    """The compressed rows of units, if the units are in another order."""
    from calibrant.kernels.calibration.groups import move

    found = np.empty_like(column)
    move(start, order, column, found)
    return found


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
