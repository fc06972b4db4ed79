"""Read tallies of single questions: predictions, with labels where there are any."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibrant.errors import FileError, InputError, option
from calibrant.pairs.tallies import Tallies
from calibrant.tables.checking import Column
from calibrant.tables.columns import SEEN, Given, choose_prediction, named
from calibrant.tables.files import Note, open_layout
from calibrant.tables.frames import whole_frame
from calibrant.tables.predictions import check_columns, refuse_summary

if TYPE_CHECKING:
    import polars

Float = NDArray[np.float64]
DESIGN = "label_weight"  # the column that a plan writes
ROW = "row"  # the number of a row, counted from 1, in a table that has no column of that name


class Tallied(NamedTuple):
    """Tallies of rows, the weights of the design of their labels, and the roles of columns."""

    tallies: Tallies
    design: Float | None
    frame: "polars.DataFrame"
    roles: Mapping[str, str]


class Table(NamedTuple):
    """A table to read from, wherever it is."""

    name: str
    names: Sequence[str]
    columns: Callable[[list[str]], "polars.DataFrame"]
    place: Callable[[int], str]


def table_of(source: object, format: str | None = None) -> Table:
    """A file or a data frame as a table."""
    if isinstance(source, str | Path):
        refuse_summary(source, format)
        layout = open_layout(source, format)
        return Table(layout.source.name, layout.names(), layout.frame, layout.place)
    frame = whole_frame(source)
    return Table("The frame", frame.columns, frame.select, lambda row: f"row {row}")


class Labels(NamedTuple):
    """Labels in a table of their own, joined by key columns."""

    table: Table
    key: Sequence[str]


def tallies_of_table(
    table: Table,
    given: Given,
    by: Sequence[str] = (),
    design: str | None = None,
    labels: Labels | None = None,
    note: Note | None = None,
) -> Tallied:
    """Read predictions, labels that may be missing, groups, weights, and columns to count by."""
    roles = _roles(table, given, labels is None)
    if labels is None and (design is not None or DESIGN in table.names):
        roles["design"] = design or DESIGN
    if note is not None:
        note(f"{table.name}: {', '.join(f'{role}={name}' for role, name in roles.items())}")
    frame = _frame(table, [*roles.values(), *by, *(() if labels is None else labels.key)])
    if labels is None:
        y = _labels(table, frame, roles["y"]) if "y" in roles else None
        weights = _design(table, frame, roles["design"]) if "design" in roles else None
    else:
        y, weights = _joined(table, frame, labels, given, design)
    tallies = _tallies(table, frame, roles, y, by)
    _refuse_unweighted(table, tallies, weights)
    return Tallied(tallies, weights, frame, roles)


def _frame(table: Table, wanted: list[str]) -> "polars.DataFrame":
    """The wanted columns; the number of each row, if a table has no such column."""
    numbered = ROW in wanted and ROW not in table.names
    names = [name for name in dict.fromkeys(wanted) if not (numbered and name == ROW)]
    check_columns(names, table.names, table.name)
    frame = table.columns(names)
    if frame.height == 0:
        raise FileError(f"{table.name} has column names but no rows.")
    return frame.with_row_index(ROW, offset=1) if numbered else frame


def _tallies(
    table: Table,
    frame: "polars.DataFrame",
    roles: Mapping[str, str],
    y: Float | None,
    by: Sequence[str],
) -> Tallies:
    values = {
        role: Column(frame[roles[role]], role, roles[role], table.name, table.place).checked()
        for role in ("q", "weight", "group")
        if role in roles
    }
    arrays = {role: column.to_numpy() for role, column in values.items()}
    return Tallies.of_rows(
        arrays["q"],
        y,
        weight=arrays.get("weight"),
        group=arrays.get("group"),
        by={name: frame[name] for name in by},
    )


def _refuse_unweighted(table: Table, tallies: Tallies, weights: Float | None) -> None:
    """Refuse labels without a weight, if there are weights."""
    if weights is None:
        return
    missing = int(np.isnan(weights[tallies.labelled]).sum())
    if missing:
        raise InputError(
            f"{table.name}: every label needs a weight of its design, but {missing} of "
            f"{int(tallies.labelled.sum())} have none."
        )


def _roles(table: Table, given: Given, with_labels: bool) -> dict[str, str]:
    """The columns of q, y, weight and group; all but q may be missing."""

    def look(names: list[str]) -> Mapping[str, Sequence[object]]:
        frame = table.columns(names).head(SEEN)
        return {name: frame[name].to_list() for name in names}

    found: dict[str, str] = {"q": choose_prediction(table.names, given, table.name, look)}
    for role in ("y", "weight", "group"):
        if role == "y" and not with_labels:
            continue
        name = named(role, table.names, given, table.name)
        if name in found.values() and given.get(role) is not None:
            raise InputError(f"{table.name}: column {name!r} cannot be both {role} and q.")
        if name is not None and name not in found.values():
            found[role] = name
    return found


def _labels(table: Table, frame: "polars.DataFrame", name: str) -> Float:
    """Observations, NaN where a cell is empty."""
    import polars

    series = frame[name]
    if series.dtype == polars.String:
        series = series.set(series.str.strip_chars() == "", None)
    elif series.dtype.is_float():
        series = series.fill_nan(None)
    there = np.flatnonzero(series.is_not_null().to_numpy())
    found = np.full(series.len(), np.nan)
    if not there.size:
        return found
    column = Column(
        series.drop_nulls(), "y", name, table.name, lambda row: table.place(int(there[row]))
    )
    found[there] = column.checked().to_numpy()
    return found


def _design(table: Table, frame: "polars.DataFrame", name: str) -> Float:
    """Weights of the design, NaN where a cell is empty."""
    import polars

    series = frame[name].cast(polars.Float64, strict=False)
    text = frame[name].cast(polars.String).str.strip_chars()
    wrong = (series.is_null() & text.is_not_null() & (text != "")).to_numpy()
    if wrong.any():
        where = int(np.argmax(wrong))
        raise FileError(
            f"{table.name}, {table.place(where)}, column {name}: a weight must be a number, but it "
            f"is {frame[name][where]!r}."
        )
    return series.fill_null(float("nan")).to_numpy().astype(np.float64)


def _joined(
    table: Table, frame: "polars.DataFrame", labels: Labels, given: Given, design: str | None
) -> tuple[Float, Float | None]:
    """Labels of another table, and weights of all rows that were drawn, where their keys say."""
    other, key = labels.table, list(labels.key)
    if not key:
        raise InputError(f"Name the columns that both tables share with {option('key')}.")
    check_columns(key, other.names, other.name)
    name = named("y", other.names, given, other.name)
    if name is None:
        raise InputError(f"{other.name} has no labels: name their column with {option('y')}.")
    if design is None and DESIGN in other.names:
        design = DESIGN
    wanted = [*key, name, *([] if design is None else [design])]
    check_columns(wanted, other.names, other.name)
    held = other.columns(list(dict.fromkeys(wanted)))
    place = _places(frame, held, key, table.name, other.name)
    y = np.full(frame.height, np.nan)
    y[place] = _labels(other, held, name)
    if design is None:
        return y, None
    weights = np.full(frame.height, np.nan)
    weights[place] = _design(other, held, design)
    return y, weights


def _places(
    frame: "polars.DataFrame", held: "polars.DataFrame", key: list[str], one: str, other: str
) -> NDArray[np.int64]:
    """The row of the first table for each row of the second; each must be there once."""
    import polars

    texts = [polars.col(name).cast(polars.String) for name in key]
    mine = frame.select(*texts).with_row_index("_row")
    if mine.select(key).is_duplicated().any():
        raise InputError(f"{one}: the columns {', '.join(key)} do not tell all its rows apart.")
    theirs = held.select(*texts)
    if theirs.is_duplicated().any():
        first = theirs.row(int(theirs.is_duplicated().arg_max() or 0))
        raise InputError(f"{other}: {_shown(key, first)} is labelled more than once.")
    row = theirs.join(mine, on=key, how="left", maintain_order="left")["_row"]
    if row.null_count():
        first = theirs.row(int(row.is_null().arg_max() or 0))
        raise InputError(
            f"{other}: {_shown(key, first)} is labelled, but {one} has no such row "
            f"({row.null_count()} of {row.len()} labels have none)."
        )
    return row.to_numpy().astype(np.int64)


def _shown(key: list[str], values: Sequence[Any]) -> str:
    return ", ".join(f"{name}={value}" for name, value in zip(key, values, strict=True))
