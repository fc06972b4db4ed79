"""Pairs together with other columns of their table: what slices, examples and pages show."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibrant.errors import FileError, InputError, nearest
from calibrant.tables.columns import Columns, Given
from calibrant.tables.files import (
    Layout,
    Note,
    columns_of,
    open_layout,
    pairs_of,
    prediction_column,
    refuse_garbled,
)
from calibrant.tables.frames import collected_columns
from calibrant.tables.jsonl import JsonLines
from calibrant.tables.summaries import is_summary

if TYPE_CHECKING:
    import polars

    from calibrant.pairs import Pairs

# names of columns, or what makes them of the names of all columns and their roles
Wanted = Sequence[str] | Callable[[Sequence[str], Columns], Sequence[str]]


def every(names: Sequence[str], roles: Columns) -> Sequence[str]:
    """All columns are wanted."""
    return names


class Predictions(NamedTuple):
    """Pairs, and the columns beside them.

    Row k of `columns` is row k of the source. So is pair k, unless the pairs come from draws: then
    `pairs.origin` says which row each pair belongs to.
    """

    pairs: "Pairs"
    columns: "polars.DataFrame"
    roles: Columns  # which column of the source is y, q, group and so on
    name: str  # of the file, or "The frame"
    place: Callable[[int], str]  # where a row is in the source, for people: "line 3", "row 2"


def predictions_from_file(
    path: str | Path,
    given: Given,
    wanted: Wanted,
    format: str | None = None,
    note: Note | None = None,
) -> Predictions:
    """Read pairs and the wanted columns; the file is read once (it may be a pipe)."""
    refuse_summary(path, format)
    layout = open_layout(path, format)
    columns = columns_of(layout, given, note)
    names = layout.names()
    chosen = list(dict.fromkeys(wanted(names, columns) if callable(wanted) else wanted))
    check_columns(chosen, names, layout.source.name)
    pairs = pairs_of(layout, columns)
    return Predictions(pairs, beside(layout, chosen), columns, layout.source.name, layout.place)


def several_predictions_from_file(
    path: str | Path, given: Sequence[Given], format: str | None = None, note: Note | None = None
) -> list[Predictions]:
    """Read several sets of pairs of one file, each with all columns; the file is read once."""
    refuse_summary(path, format)
    layout = open_layout(path, format)
    columns_beside = beside(layout, layout.names())
    found = []
    for each in given:
        columns = columns_of(layout, each, note)
        pairs = pairs_of(layout, columns)
        found.append(Predictions(pairs, columns_beside, columns, layout.source.name, layout.place))
    return found


class Unlabelled(NamedTuple):
    """All columns of a file, and which of them holds predictions; observations are not needed."""

    columns: "polars.DataFrame"
    q: str
    values: NDArray[np.float64]


def unlabelled_from_file(
    path: str | Path, given: Given, format: str | None = None, note: Note | None = None
) -> Unlabelled:
    """Read the predictions of a file, checked, with all its columns."""
    refuse_summary(path, format)
    layout = open_layout(path, format)
    column = prediction_column(layout, given, note)
    if column.series.is_empty():
        raise FileError(f"{layout.source.name} has column names but no rows.")
    values = column.checked().to_numpy().astype(np.float64)
    return Unlabelled(beside(layout, layout.names()), column.name, values)


def beside(layout: Layout, names: list[str]) -> "polars.DataFrame":
    """Columns as they are, which may hold lists and objects too; their text must be UTF-8."""
    if isinstance(layout, JsonLines):
        frame = layout.frame(names, nested=True)
    else:
        frame = layout.frame(names)
    refuse_garbled(frame, layout)
    return frame


def refuse_summary(path: str | Path, format: str | None) -> None:
    """Refuse a summary where rows are needed."""
    if format in (None, "parquet") and is_summary(path):
        raise FileError(f"{path} is a summary, which has no rows: give the predictions themselves.")


def predictions_from_frame(frame: object, given: Given, wanted: Wanted) -> Predictions:
    """Pairs and the wanted columns of a data frame of any library."""
    found = collected_columns(frame, given, wanted, check_columns)
    pairs = found.columns.pairs(found.values)
    beside = found.frame.select(*found.wanted).to_polars()
    return Predictions(pairs, beside, found.columns, "The frame", lambda row: f"row {row}")


def check_columns(wanted: Sequence[str], names: Sequence[str], place: str) -> None:
    """Refuse columns that a table does not have."""
    for name in wanted:
        if name not in names:
            near = nearest(name, names)
            hint = f" Did you mean {near}?" if near else ""
            raise (InputError if place == "The frame" else FileError)(
                f"{place} has no column {name!r}.{hint} Its columns are: {', '.join(names)}."
            )
