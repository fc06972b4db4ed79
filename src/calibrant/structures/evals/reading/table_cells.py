"""Cells of a table of attempts: texts, and lists of them where a row holds several attempts."""

import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from calibrant.errors import FileError, printable
from calibrant.results.wording import counted
from calibrant.structures.evals.kinds import SCALAR
from calibrant.structures.evals.reading.json_files import Place, json_object
from calibrant.tables.files import open_layout, text_frame
from calibrant.tables.jsonl import is_unicode
from calibrant.tables.showing import shown

if TYPE_CHECKING:
    import polars

    from calibrant.tables.files import Layout

Cell = str | list[Any] | None
BY_ATTEMPT = ("epoch", "answer", "correct", *SCALAR)  # roles whose lists are several attempts
# roles of which an attempt has several values
LISTS = ("gold", "logliks", "right", "wrong", "right_texts", "wrong_texts")


@dataclass(frozen=True)
class Cells:
    """A table whose rows may be nested: `doc.id` is the key `id` of the object `doc`."""

    layout: "Layout"

    @classmethod
    def of(cls, path: str | Path) -> "Cells":
        """The cells of a file."""
        return cls(open_layout(path))

    @property
    def file(self) -> str:
        """What messages call the file."""
        return self.layout.source.name

    def names(self) -> list[str]:
        """The names of all columns, keys of objects included."""
        if self.layout.source.format == "jsonl":
            return list(dict.fromkeys(name for _, row in self._objects() for name in _keys(row)))
        if self.layout.source.format == "parquet":
            first = self.layout.frame(self.layout.names(), 1)
            nested = {name: _fields(each) for name, each in first.schema.items()}
            return [f"{name}{field}" for name, fields in nested.items() for field in fields]
        return self.layout.names()

    def columns(self, wanted: Sequence[str]) -> dict[str, list[Cell]]:
        """The cells of these columns."""
        if self.layout.source.format == "jsonl":
            found: dict[str, list[Cell]] = {name: [] for name in wanted}
            for place, row in self._objects():
                for name in wanted:
                    found[name].append(_cell(_inside(row, name), f"{place}, column {name}"))
            return found
        if self.layout.source.format == "parquet":
            return {name: self._typed(name) for name in wanted}
        frame = text_frame(self.layout, list(wanted))
        return {name: frame[name].to_list() for name in wanted}

    def place(self, row: int) -> str:
        """Where a row is, counted from 0: the file, and the line or number."""
        return f"{self.file}, {self.layout.place(row)}"

    def _objects(self) -> Iterator[tuple[Place, dict[str, Any]]]:
        place = Place(self.file)
        for number, line in enumerate(io.BytesIO(self.layout.source.data), start=1):
            if not line.isspace():
                place.line = number
                yield place, json_object(line, place)

    def _typed(self, name: str) -> list[Cell]:
        """A column of Parquet; what is not nested is converted at once."""
        import polars

        top = name if name in self.layout.names() else name.partition(".")[0]
        series = self.layout.frame([top])[top]
        if not series.dtype.is_nested():
            texts: list[Cell] = series.cast(polars.String).to_list()
            return texts
        rows = ({top: each} for each in series.to_list())
        return [
            _cell(_inside(row, name), f"{self.file}, row {i}, column {name}")
            for i, row in enumerate(rows, start=1)
        ]


def flattened(
    columns: Mapping[str, list[Cell]], cells: Cells
) -> tuple[Sequence[int], Mapping[str, list[Cell]]]:
    """Columns with one cell for each attempt, and the row that each attempt is from.

    A list in a column that attempts have of their own stands for several attempts, and what else is
    in the row belongs to each of them.
    """
    height = len(next(iter(columns.values())))
    if not any(isinstance(cell, list) for values in columns.values() for cell in values):
        return range(height), columns
    found: dict[str, list[Cell]] = {role: [] for role in columns}
    places = []
    for i in range(height):
        row = {role: values[i] for role, values in columns.items()}
        lists = _by_attempt(row, cells, i)
        many = len(next(iter(lists.values()), [None]))
        for k in range(max(many, 1)):  # an empty list is an attempt without an answer
            places.append(i)
            for role, cell in row.items():
                listed = lists.get(role)
                found[role].append(cell if listed is None else listed[k] if many else None)
    return places, found


def _by_attempt(row: Mapping[str, Cell], cells: Cells, index: int) -> dict[str, list[Cell]]:
    """The lists of a row that have a value for each attempt."""
    lists: dict[str, list[Cell]] = {}
    for role, cell in row.items():
        if not isinstance(cell, list):
            continue
        deep = any(isinstance(each, list) for each in cell)
        if (deep and role != "logliks") or not (role in BY_ATTEMPT or role in LISTS):
            raise FileError(f"{cells.place(index)}: {role} must be a single value, not a list.")
        if role in BY_ATTEMPT or deep:
            lists[role] = cell
    for role, cell in lists.items():
        first = next(iter(lists))
        if len(cell) != len(lists[first]):
            raise FileError(
                f"{cells.place(index)}: {first} has {counted(len(lists[first]), 'value')}, but "
                f"{role} has {len(cell)}."
            )
    return lists


def _keys(row: Mapping[str, Any]) -> Iterator[str]:
    """The keys of an object, and those of objects in it."""
    for name, value in row.items():
        yield name
        if isinstance(value, dict):
            yield from (f"{name}.{inner}" for inner in value)


def _fields(dtype: "polars.DataType") -> list[str]:
    """What follows the name of a column: nothing, and the fields of a structure."""
    import polars

    inner = [f".{each.name}" for each in dtype.fields] if isinstance(dtype, polars.Struct) else []
    return ["", *inner]


def _inside(row: Mapping[str, Any], name: str) -> object:
    """The value of a key, or of a key in an object; None if there is none."""
    if name in row:
        return row[name]
    outer, _, inner = name.partition(".")
    value = row.get(outer)
    return value.get(inner) if isinstance(value, dict) else None


def _cell(value: object, place: str) -> Cell:
    if isinstance(value, list):
        return [_cell(each, place) for each in value]
    if isinstance(value, dict):
        some = printable(next(iter(value), "KEY"))
        raise FileError(
            f"{place}: {shown(value)} is not a single value. Name a key of it, such as "
            f"{place.rpartition(' ')[2]}.{some}."
        )
    text = None if value is None else str(value)
    if text is not None and not is_unicode(text):
        raise FileError(f"{place}: {shown(text)} holds half a character (a lone surrogate).")
    return text
