"""Batches of rows as numbers, from files or lazy frames of polars."""

import csv
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibrant.errors import FileError, InputError
from calibrant.tables.checking import RULES
from calibrant.tables.columns import SEEN, TRUTHS, Columns, Given, choose_columns
from calibrant.tables.damage import readable
from calibrant.tables.delimited import Delimited
from calibrant.tables.files import Note, pairs_from_file
from calibrant.tables.scanning.parts import Part
from calibrant.tables.sources import Source

if TYPE_CHECKING:
    import polars

Float = NDArray[np.float64]
TABLE = "table"  # the format of what is no file
ROWS = 1 << 20  # rows of a batch: much work for every time that threads are woken
GROUPED = 1 << 22  # with groups: 100 MB, enough that rows of the same groups come together


@dataclass(frozen=True)
class Batch:
    """Some rows: q and weights as floats (NaN where missing), y also as bytes, and groups."""

    y: "Float | NDArray[np.uint8]"
    q: Float
    weight: Float | None
    group: "polars.Series | None"


class Table(NamedTuple):
    """A lazy frame, what messages call it, and the place of its first row."""

    frame: "polars.LazyFrame"
    name: str
    format: str
    line: int = 1  # of the first row, counted from 1

    def names(self) -> list[str]:
        """The names of the columns."""
        with self._readable():
            return self.frame.collect_schema().names()

    def columns(self, given: Given, note: Note | None = None) -> Columns:
        """Choose the columns of pairs; `note` is told which."""

        def look(names: list[str]) -> Mapping[str, Sequence[object]]:
            with self._readable():
                first = self.frame.select(*names).head(SEEN).collect()
            return {name: first[name].to_list() for name in names}

        names = self.names()
        try:
            chosen = choose_columns(names, given, self.name, look)
        except FileError:
            raise
        except InputError as error:
            if self.format == TABLE:
                raise
            raise FileError(f"{error}{self._hint(names)}") from error
        if note is not None:
            note(f"{self.name}: {chosen}")
        return chosen.columns

    def _hint(self, names: list[str]) -> str:
        """Suggest what may be wrong with the names in the first line of a file."""
        if self.format == "parquet":
            return ""
        return Delimited(Source(self.name, b"", self.format)).header_hint(names)

    def batches(self, columns: Columns) -> Iterator[Batch]:
        """All rows, in order."""
        with self._readable():
            schema = self.frame.collect_schema()
            roles = {role: self._expression(role, schema, name) for role, name in _roles(columns)}
            frame = self.frame.select(**roles)
            rows = ROWS if columns.group is None else GROUPED
            frames = iter(frame.collect_batches(chunk_size=rows, maintain_order=True))
        while True:
            with self._readable():
                found = next(frames, None)
            if found is None:
                return
            yield _batch(found)

    def _readable(self) -> AbstractContextManager[None]:
        return readable(Source(self.name, b"", self.format))

    def _expression(self, role: str, schema: "polars.Schema", name: str) -> "polars.Expr":
        """A column as numbers or labels; refuse columns of other types."""
        import polars

        if name not in schema:
            raise FileError(
                f"{self.name} has no column {name!r}. Its columns are: {', '.join(schema)}."
            )
        dtype, column = schema[name], polars.col(name)
        wide = (polars.Int128, polars.UInt128)
        if role == "group":
            if dtype == polars.String or (dtype.is_integer() and dtype not in wide):
                return column
            if isinstance(dtype, polars.Categorical | polars.Enum):
                return column.cast(polars.String)
            raise FileError(
                f"{self.name}, column {name}: group must hold integers of at most 64 bits or "
                f"strings, but the column holds {dtype} values."
            )
        if dtype == polars.String:
            text = column.str.strip_chars()
            if role == "y":
                digits = {word: f"{number:g}" for word, number in TRUTHS.items()}
                text = text.str.to_lowercase().replace(digits)
            return text.cast(polars.Float64, strict=False).fill_null(float("nan"))
        if role == "y" and dtype == polars.UInt8:
            return column  # `_batch` looks for missing values, and most often copies nothing
        if dtype.is_numeric() or dtype == polars.Boolean:
            return column.cast(polars.Float64).fill_null(float("nan"))
        raise FileError(
            f"{self.name}, column {name}: {role} must be {RULES[role]}, but the column holds "
            f"{dtype} values."
        )


def _roles(columns: Columns) -> list[tuple[str, str]]:
    return list(columns.roles().items())


def _batch(frame: "polars.DataFrame") -> Batch:
    def numbers(role: str) -> Float:
        return frame[role].to_numpy()

    y = frame["y"]
    return Batch(
        # bytes with missing values become floats, which can be NaN
        y=y.cast(float).fill_null(float("nan")).to_numpy() if y.null_count() else y.to_numpy(),
        q=numbers("q"),
        weight=numbers("weight") if "weight" in frame.columns else None,
        group=frame["group"] if "group" in frame.columns else None,
    )


def open_table(part: Part) -> Table:
    """The rows of a file that is read piece by piece."""
    import polars

    if part.format == "parquet":
        frame = polars.scan_parquet(part.path, hive_partitioning=part.hive, glob=False)
        return Table(frame, part.name, part.format)
    tabs = part.format == "tsv"
    _refuse_twins(part)
    frame = polars.scan_csv(
        part.path,
        separator="\t" if tabs else ",",
        quote_char=None if tabs else '"',
        infer_schema=False,
        glob=False,
    )
    return Table(frame, part.name, part.format, line=2)


def _refuse_twins(part: Part) -> None:
    """Refuse a table whose first line names a column twice, which polars would rename."""
    with Path(part.path).open(encoding="utf-8-sig", errors="replace", newline="") as file:
        header = next(
            csv.reader([file.readline()], delimiter="\t" if part.format == "tsv" else ",")
        )
    twice = next((name for name in header if header.count(name) > 1), None)
    if twice is not None:
        raise FileError(f"{part.name} has more than one column {twice!r}: rename one of them.")


def read_whole(part: Part, columns: Columns) -> Batch:
    """The rows of a file that cannot be read piece by piece, such as JSON lines."""
    import polars

    given = dict.fromkeys(Columns._fields) | {"weight": False, "group": False}
    pairs = pairs_from_file(part.path, given | columns.roles(), part.format)
    return Batch(
        y=pairs.y.astype(np.float64),
        q=pairs.q.astype(np.float64),
        weight=None if pairs.weight is None else pairs.weight.astype(np.float64),
        group=None if pairs.group is None else polars.Series("group", pairs.group),
    )
