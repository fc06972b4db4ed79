"""Scan files, lazy frames and tables of engines."""

from collections.abc import Iterator
from functools import partial, reduce
from operator import add
from os import PathLike
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple

from calibrant.errors import FileError, InputError, on_command_line, option
from calibrant.pairs import Pairs
from calibrant.pairs.summary_size import FINEST
from calibrant.results.progress import Tell, bar
from calibrant.results.wording import counted
from calibrant.tables.columns import Columns, Given, guessed
from calibrant.tables.files import Note, columns_of, open_layout, pairs_from_file
from calibrant.tables.frames import is_frame, pairs_from_frame
from calibrant.tables.scanning.batches import TABLE, Table, open_table, read_whole
from calibrant.tables.scanning.parts import Part, find_parts
from calibrant.tables.scanning.streaming import Stream, open_stream
from calibrant.tables.summaries import is_summary

if TYPE_CHECKING:
    import polars

PIECE = 1 << 24  # bytes read at once to count lines


class Wanted(NamedTuple):
    """What to read, how large the summary may be, and whom to tell of the progress."""

    given: Given
    folds: int | None
    rows: int
    progress: bool
    note: Note | None


def scan_source(
    source: object,
    given: Given,
    *,
    folds: int | None,
    rows: int,
    format: str | None = None,
    progress: bool = False,
    note: Note | None = None,
) -> Pairs:
    """Summarise the pairs of files or of a table, without loading them."""
    paths = _paths(source)
    if paths is not None:
        return _scan_files(find_parts(paths, format), Wanted(given, folds, rows, progress, note))
    if not is_frame(source):
        raise InputError(
            "A path, a pattern, several paths or a table was expected, not "
            f"{type(source).__name__}."
        )
    lazy = _lazy_polars(source)
    if lazy is not None:
        table = Table(lazy, "The frame", TABLE)
        stream = open_stream(table.columns(given, note), folds, rows)
        for _ in stream.add_all(table.batches(stream.columns), "The frame", _row):
            pass
        return stream.pairs()
    from calibrant.tables.scanning.engines import is_lazy, scan_engine

    if is_lazy(source):
        return scan_engine(source, given, folds, rows)
    return pairs_from_frame(source, given).compress(FINEST, folds=folds, rows=rows)


def _paths(source: object) -> list[str | PathLike[str]] | None:
    """The paths given; None if something else was given."""
    given = source if isinstance(source, list | tuple) and source else [source]
    paths = [each for each in given if isinstance(each, str | PathLike)]
    return paths if len(paths) == len(given) else None


def _lazy_polars(source: Any) -> "polars.LazyFrame | None":  # noqa: ANN401 - any object
    """A lazy frame of polars, perhaps wrapped by narwhals; None for anything else."""
    import narwhals

    native = source.to_native() if isinstance(source, narwhals.LazyFrame) else source
    is_polars = type(native).__module__.split(".")[0] == "polars"
    return native if is_polars and type(native).__name__ == "LazyFrame" else None


def _scan_files(parts: list[Part], wanted: Wanted) -> Pairs:
    """The summary of all files; summaries among them, and standard input, are added."""
    whole = [part for part in parts if part.path == "-" or is_summary(part.path)]
    others = [part for part in parts if part not in whole]
    _refuse_mixture(whole, others)
    if not whole:
        return _scan_rows(others, wanted)
    found = [_load(part, wanted.given, wanted.note, len(parts) > 1) for part in whole]
    if others:
        found.append(_scan_rows(others, wanted))
    return reduce(add, found).compress(FINEST, folds=wanted.folds, rows=wanted.rows)


def _refuse_mixture(whole: list[Part], others: list[Part]) -> None:
    """Refuse a folder or pattern with summaries beside predictions, which may count rows twice."""
    found = {part.source for part in whole if part.source != part.path}
    twice = next((part for part in others if part.source in found), None)
    if twice is not None:
        summary = next(part for part in whole if part.source == twice.source)
        raise FileError(
            f"{twice.source} holds a summary ({summary.name}) beside predictions, whose rows may "
            "count twice: name the files to add one by one."
        )


def _load(part: Part, given: Given, note: Note | None, several: bool) -> Pairs:
    """A summary, or what standard input holds.

    Among several files, columns that are named are those of files that are no summaries.
    """
    if part.path == "-":
        return pairs_from_file(part.path, given, part.format or None, note)
    ignored: Given = {"group": False} if given.get("group") is False else {}
    return pairs_from_file(part.path, ignored if several else given, note=note)


def _scan_rows(parts: list[Part], wanted: Wanted) -> Pairs:
    columns = _columns(parts[0], wanted.given, wanted.note)
    stream = open_stream(columns, wanted.folds, wanted.rows)
    size = sum(part.size for part in parts)
    with bar(wanted.progress, size, f"scanning {counted(len(parts), 'file')}") as tell:
        seen = _Speed(tell)
        for part in parts:
            for done in _add_part(stream, part, wanted.given):
                seen.show(stream.rows + done, 0)
            seen.show(stream.rows, part.size)
    return stream.pairs()


def _columns(part: Part, given: Given, note: Note | None) -> Columns:
    """The columns of the first file, which all files must have."""
    if part.streamed:
        return open_table(part).columns(given, note)
    return columns_of(open_layout(part.path, part.format), given, note)


def _add_part(stream: Stream, part: Part, given: Given) -> Iterator[int]:
    """Add the rows of one file; yields how many were added so far."""
    before = stream.rows
    if part.streamed:
        table = open_table(part)
        _check_columns(table, stream.columns, given)
        place = partial(_row, first=table.line) if table.line == 1 else partial(_line, first=2)
        yield from stream.add_all(table.batches(stream.columns), part.name, place)
    else:
        batches = iter([read_whole(part, stream.columns)])
        yield from stream.add_all(batches, part.name, _row)
    part.check_unchanged()
    if part.streamed and part.format != "parquet":
        _check_lines(part, stream.rows - before)


def _check_columns(table: Table, columns: Columns, given: Given) -> None:
    """Refuse a file with weights or groups of its own, if the first file has none."""
    names = table.names()
    for role in ("weight", "group"):
        if getattr(columns, role) is None and given.get(role) is None:
            found = guessed(role, names)
            if found is not None:
                raise FileError(
                    f"{table.name} has a column {found} for {role}, but the first file has none: "
                    f"name it with {option(role, 'COLUMN')}, or leave it out "
                    f"({option(f'no_{role}') if on_command_line() else f'{role}=False'})."
                )


def _row(index: int, first: int = 1) -> str:
    return f"row {index + first}"


def _line(index: int, first: int) -> str:
    return f"line {index + first}"


def _check_lines(part: Part, rows: int) -> None:
    """Refuse CSV whose rows are not its lines: after a stray quote, readers lose rows."""
    lines, last = 0, b"\n"
    with Path(part.path).open("rb") as file:
        while piece := file.read(PIECE):
            lines += piece.count(b"\n")
            last = piece[-1:]
    lines += last != b"\n"
    if rows == 0 and part.size:
        raise FileError(
            f"{part.name} has column names but no rows. If its line ends are carriage returns "
            "alone, save it with line feeds."
        )
    if lines != rows + 1:
        raise FileError(
            f"{part.name} has {lines} lines but {rows} rows below the first line: blank lines, "
            "line breaks within fields or a stray quote make rows uncertain. Save it as Parquet."
        )


class _Speed:
    """Shows bytes done, and rows per second."""

    def __init__(self, tell: Tell) -> None:
        self.tell, self.begin, self.bytes = tell, perf_counter(), 0

    def show(self, rows: int, size: int) -> None:
        self.bytes += size
        rate = rows / max(perf_counter() - self.begin, 1e-9)
        self.tell(self.bytes, f"{rows:,} rows, {rate / 1e6:.1f} million per second")
