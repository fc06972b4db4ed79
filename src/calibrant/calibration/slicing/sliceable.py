"""Pairs with columns to slice them by, from a table or from arrays, and the slices of them."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from calibrant.calibration.slicing.cuts import (
    Choice,
    Cut,
    Parts,
    Wanted,
    all_parts,
    as_column,
    chosen,
    cut_column,
)
from calibrant.calibration.slicing.slices import pairs_of
from calibrant.checks.arrays import sum_by
from calibrant.errors import InputError, ParameterError, UnsupportedError, option
from calibrant.pairs import Pairs

if TYPE_CHECKING:
    import polars

    from calibrant.tables.columns import Columns
    from calibrant.tables.predictions import Predictions

By = str | Iterable[str] | Mapping[str, object] | None


@dataclass(frozen=True, eq=False)
class Sliceable:
    """Pairs that remember their rows, and what each row has in other columns."""

    pairs: Pairs
    columns: Mapping[str, "polars.Series"]
    choice: Choice

    def cuts(self) -> dict[Wanted, Cut]:
        """The cut of every column."""
        weight = _row_weights(self.pairs)
        return {
            each: cut_column(each, self.columns[each.column], weight)
            for each in self.choice.singles
        }

    def suitable_cuts(self) -> tuple[dict[Wanted, Cut], dict[str, str]]:
        """The cuts of columns that can be cut, and why others cannot."""
        weight = _row_weights(self.pairs)
        cuts: dict[Wanted, Cut] = {}
        left_out: dict[str, str] = {}
        for each in self.choice.singles:
            try:
                cuts[each] = cut_column(each, self.columns[each.column], weight)
            except InputError as error:
                left_out[each.column] = str(error)
        if not cuts:
            raise InputError(next(iter(left_out.values())))
        return cuts, left_out

    def parts(self) -> list[Parts]:
        """All slices."""
        return all_parts(self.cuts(), self.choice)

    def pairs_by_name(self) -> dict[str, Pairs]:
        """The pairs of every slice, in the order of the columns and their values."""
        return {", ".join(map(str, parts)): pairs_of(self.pairs, parts) for parts in self.parts()}


def _row_weights(pairs: Pairs) -> NDArray[np.float64] | None:
    """The weight of each row of the source."""
    if pairs.weight is None:
        return None
    weight = pairs.weight.astype(np.float64)
    return weight if pairs.held is None or pairs.origin is None else sum_by(pairs.origin, weight)


def wanted_columns(
    by: By, crosses: bool = False, worst: bool = False
) -> "Callable[[Sequence[str], Columns], list[str]]":
    """Which columns of a table to read."""

    def columns(names: Sequence[str], roles: "Columns") -> list[str]:
        if by is None and worst:
            return _beside(names, roles)
        choice = chosen(_words(by), names, crosses)
        refuse_roles(choice.columns, roles)
        return choice.columns

    return columns


def _beside(names: Sequence[str], roles: "Columns") -> list[str]:
    """The columns that are not those of the pairs."""
    found = [name for name in names if name not in roles.roles().values()]
    if not found:
        raise InputError("There are no columns to search beside those of the pairs.")
    return found


def _words(by: By) -> str | Iterable[str]:
    if by is None:
        raise ParameterError(f"Name a column to slice by, such as {option('by', 'genre')}.")
    if isinstance(by, Mapping):
        raise ParameterError("by must name columns of the table, not be a mapping to arrays.")
    if not isinstance(by, Iterable):
        raise ParameterError(f"{option('by')} must name columns, but it is {by!r}.")
    return by


def refuse_roles(columns: Iterable[str], roles: "Columns") -> None:
    """Refuse slices by the observations, or by groups."""
    for name in columns:
        if name == roles.y:
            raise InputError(
                f"Column {name!r} holds the observations y. Where y is known, even a perfect "
                "model looks wrong: slice by something known before."
            )
        if name == roles.group:
            raise InputError(
                f"Column {name!r} holds the groups, so each slice would be a single group, which "
                f"cannot be tested. If its rows are independent, use {option('group', 'False')}."
            )


def from_predictions(
    found: "Predictions", by: By, crosses: bool = False, worst: bool = False
) -> Sliceable:
    """The pairs of a table, with columns of it."""
    from calibrant.tables.predictions import check_columns

    if by is None and worst:
        by = found.columns.columns
    choice = chosen(_words(by), found.columns.columns, crosses)
    refuse_roles(choice.columns, found.roles)
    check_columns(choice.columns, found.columns.columns, found.name)
    return Sliceable(_remembering(found.pairs), found.columns.to_dict(), choice)


def from_arrays(pairs: Pairs, by: By, crosses: bool = False) -> Sliceable:
    """Pairs, with an array for each name."""
    if not isinstance(by, Mapping) or not by:
        raise ParameterError(
            "Pairs have no other columns: pass by={'genre': genres}, with an array for each name."
        )
    if pairs.held is None and pairs.origin is not None:  # rows are those of these pairs
        pairs = Pairs(pairs.y, pairs.q, weight=pairs.weight, group=pairs.group)
    pairs = _remembering(pairs)
    origin = pairs.origin
    rows = len(pairs) if pairs.held is None or origin is None else int(origin.max()) + 1
    names = {name.partition(":")[0] if ":" in name else name: name for name in map(str, by)}
    columns = {name: as_column(name, by[word]) for name, word in names.items()}
    for name, column in columns.items():
        if column.len() != rows:
            raise InputError(
                f"by[{names[name]!r}] must have a value for each of the {rows} rows, but it has "
                f"{column.len()}."
            )
    return Sliceable(pairs, columns, chosen(list(names.values()), list(columns), crosses))


def _remembering(pairs: Pairs) -> Pairs:
    if pairs.moments is not None:
        raise UnsupportedError(
            "Compressed pairs are sums over many rows, which cannot be sliced: take the "
            "predictions themselves."
        )
    return pairs.with_rows()
