"""Read pairs from CSV, TSV, JSON lines and Parquet files, plain or gzipped.

An invalid row raises an error that names the file, line, column and value.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from numpy.typing import NDArray

from calibrant.errors import FileError, InputError, option
from calibrant.tables.checking import Column
from calibrant.tables.columns import SEEN, Columns, Given, choose_columns, choose_prediction
from calibrant.tables.delimited import Delimited
from calibrant.tables.jsonl import JsonLines
from calibrant.tables.parquet import Parquet
from calibrant.tables.sources import Source, open_source
from calibrant.tables.summaries import is_summary, made_from, read_summary

if TYPE_CHECKING:
    import polars

    from calibrant.pairs import Pairs

Note = Callable[[str], None]
T = TypeVar("T")


class Layout(Protocol):
    """How a format arranges columns."""

    @property
    def source(self) -> Source:
        """The bytes and where they came from."""

    def names(self) -> list[str]:
        """The names of all columns."""

    def header_hint(self, names: list[str]) -> str:
        """Suggest what may be wrong with the names."""

    def frame(self, wanted: list[str], rows: int | None = None) -> "polars.DataFrame":
        """Read some columns, from all rows or only the first ones."""

    def place(self, index: int) -> str:
        """Where a row is: its line, or its number."""


LAYOUTS: Mapping[str, Callable[[Source], Layout]] = {
    "csv": Delimited,
    "tsv": Delimited,
    "jsonl": JsonLines,
    "parquet": Parquet,
}


def pairs_from_file(
    path: str | Path, given: Given, format: str | None = None, note: Note | None = None
) -> "Pairs":
    """Read pairs; `note` is told which columns were used, and which were skipped."""
    if format in (None, "parquet") and is_summary(path):
        return _summary(path, given, note)
    return _pairs(open_layout(path, format), given, note)


def _summary(path: str | Path, given: Given, note: Note | None) -> "Pairs":
    """The pairs of a summary, without the groups if they are not wanted."""
    for role, name in given.items():
        if name not in (None, False):
            raise InputError(
                f"{path} is a summary, whose columns are fixed: leave {option(role)} out."
            )
    if note is not None:
        note(f"{path}: a summary of {made_from(path)}")
    pairs = read_summary(path)
    return pairs.without_groups() if given.get("group") is False else pairs


def keyed_pairs_from_file(
    path: str | Path,
    given: Given,
    keys: Sequence[str],
    format: str | None = None,
    note: Note | None = None,
) -> "tuple[Pairs, list[NDArray[Any]]]":
    """Read pairs and these columns, as labels; the file is read once (it may be a pipe)."""
    if not keys:
        return pairs_from_file(path, given, format, note), []
    layout = open_layout(path, format)
    return _pairs(layout, given, note), [_labels(layout, name) for name in keys]


def several_pairs_from_file(
    path: str | Path, given: Sequence[Given], format: str | None = None, note: Note | None = None
) -> "list[Pairs]":
    """Read several sets of pairs, one for each choice of columns; the file is read once."""
    layout = open_layout(path, format)
    return [_pairs(layout, each, note) for each in given]


def _pairs(layout: Layout, given: Given, note: Note | None) -> "Pairs":
    return pairs_of(layout, columns_of(layout, given, note))


def pairs_of(layout: Layout, columns: Columns) -> "Pairs":
    """Read and check these columns of a file."""
    frame = layout.frame(list(columns.roles().values()))
    if frame.height == 0:
        raise FileError(f"{layout.source.name} has column names but no rows.")
    found = {
        role: Column(frame[name], role, name, layout.source.name, layout.place)
        for role, name in columns.roles().items()
    }
    values = {role: column.checked() for role, column in found.items()}
    if columns.yes is not None:
        draws = values.get("draws", columns.draws)
        found["yes"].refuse(values["yes"] > draws, "yes must not exceed draws")
    return columns.pairs({role: series.to_numpy() for role, series in values.items()})


def _labels(layout: Layout, name: str) -> NDArray[Any]:
    """One column of a file, as labels."""
    names = layout.names()
    if name not in names:
        raise FileError(
            f"{layout.source.name} has no column {name!r}. Its columns are: {', '.join(names)}."
        )
    return labels_of(layout.frame([name])[name])


def labels_of(column: "polars.Series") -> NDArray[Any]:
    """A column as labels that can be sorted: numbers, or text."""
    found: NDArray[Any] = column.to_numpy()
    return found.astype(str) if found.dtype.kind == "O" else found


def open_layout(path: str | Path, format: str | None = None) -> Layout:
    """Open a file as a table of text columns."""
    source = open_source(path, format)
    return LAYOUTS[source.format](source)


def text_frame(layout: Layout, wanted: Sequence[str]) -> "polars.DataFrame":
    """Read columns as text; refuse text that is not UTF-8, which would be read as other text."""
    import polars

    frame = layout.frame(list(wanted)).cast(polars.String)
    refuse_garbled(frame, layout)
    return frame


def refuse_garbled(frame: "polars.DataFrame", layout: Layout) -> None:
    """Refuse columns of text that is not UTF-8: different words might look the same."""
    import polars

    if _is_utf_8(layout.source):
        return
    for column in frame.select(polars.col(polars.String)):
        garbled = column.str.contains("\ufffd", literal=True).fill_null(False)
        if garbled.any():
            place = f"{layout.source.name}, {layout.place(int(garbled.arg_max() or 0))}"
            raise FileError(f"{place}, column {column.name}: not UTF-8. Save the file in UTF-8.")


def _is_utf_8(source: Source) -> bool:
    if source.format == "parquet" or source.data.isascii():
        return True
    try:
        source.data.decode()
    except UnicodeDecodeError:
        return False
    return True


def columns_of(layout: Layout, given: Given, note: Note | None = None) -> Columns:
    """Choose the columns of pairs; `note` is told which, and which were skipped."""
    chosen = _chosen(layout, given, choose_columns)
    if note is not None:
        note(f"{layout.source.name}: {chosen}")
    return chosen.columns


def prediction_column(layout: Layout, given: Given, note: Note | None = None) -> Column:
    """The column of predictions of a file, which need not have observations."""
    name = _chosen(layout, given, choose_prediction)
    if note is not None:
        note(f"{layout.source.name}: q={name}")
    return Column(layout.frame([name])[name], "q", name, layout.source.name, layout.place)


def _chosen(layout: Layout, given: Given, choose: Callable[..., T]) -> T:
    """What `choose` makes of the names of the columns, and of their first values."""

    def look(names: list[str]) -> Mapping[str, Sequence[object]]:
        frame = layout.frame(names, SEEN)
        return {name: frame[name].to_list() for name in names}

    names = layout.names()
    try:
        return choose(names, given, layout.source.name, look)
    except FileError:
        raise
    except InputError as error:
        raise FileError(f"{error}{layout.header_hint(names)}") from error
