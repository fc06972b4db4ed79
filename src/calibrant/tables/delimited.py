"""CSV and TSV: rows of fields under a line of column names."""

import csv
import io
import itertools
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from calibrant.errors import FileError
from calibrant.tables.damage import readable
from calibrant.tables.sources import Source

if TYPE_CHECKING:
    import polars

UNCLOSED = "unexpected end of data"  # the message of csv for an unclosed quote


@dataclass(frozen=True)
class Delimited:
    """A CSV or TSV file."""

    source: Source

    def names(self) -> list[str]:
        """The fields of the first line."""
        with _long_fields():
            return next(self._rows(), (1, []))[1]

    def header_hint(self, names: list[str]) -> str:
        """Suggest what may be wrong with the first line."""
        if not names:
            return " The first line is blank: delete it."
        if self.source.format == "csv" and len(names) == 1 and ";" in names[0]:
            return " The columns seem to be separated by semicolons: write commas or tabs."
        if all(_is_number(name) for name in names):
            return " The first line looks like data: add a line of column names."
        return ""

    def frame(self, wanted: list[str], rows: int | None = None) -> "polars.DataFrame":
        """Read columns as text, from all rows or only the first ones."""
        import polars

        source = self.source
        if source.format == "csv" and b'"' in source.data:
            return self._quoted_frame(wanted, rows)
        try:
            with readable(source):
                return polars.read_csv(
                    io.BytesIO(source.data),
                    separator="\t" if source.format == "tsv" else ",",
                    columns=wanted,
                    n_rows=rows,
                    infer_schema=False,
                    encoding="utf8-lossy",
                    quote_char=None,
                )
        except FileError:
            self._refuse_long_rows()
            raise

    def place(self, index: int) -> str:
        """The line on which a row ends."""
        lines = self._lines
        return f"line {lines[index]}" if index < len(lines) else f"row {index + 1}"

    @cached_property
    def _lines(self) -> list[int]:
        """The line on which each row ends, without the header: a page asks for thousands."""
        with _long_fields():
            return [line for line, _ in self._rows()][1:]

    def _quoted_frame(self, wanted: list[str], most: int | None) -> "polars.DataFrame":
        """Read quoted CSV row by row: faster readers lose rows after a stray quote."""
        import polars

        values: dict[str, list[str | None]] = {name: [] for name in wanted}
        with _long_fields():
            rows = self._rows()
            _, header = next(rows)
            places = {name: header.index(name) for name in wanted}
            for line, row in itertools.islice(rows, most):
                self._check_length(row, header, line)
                for name, place in places.items():
                    values[name].append(row[place] if place < len(row) else None)
        return polars.DataFrame(values, schema=dict.fromkeys(wanted, polars.String))

    def _refuse_long_rows(self) -> None:
        with _long_fields():
            rows = self._rows()
            _, header = next(rows)
            for line, row in rows:
                self._check_length(row, header, line)

    def _check_length(self, row: list[str], header: list[str], line: int) -> None:
        if len(row) > len(header):
            raise FileError(
                f"{self.source.name}, line {line}: {len(row)} fields, but the first line names "
                f"{len(header)} columns."
            )

    def _rows(self) -> Iterator[tuple[int, list[str]]]:
        """Iterate over rows, each with the line on which it ends."""
        reader = self._reader()
        line = 0
        while True:
            try:
                row = next(reader)
            except StopIteration:
                return
            except csv.Error as error:
                raise self._unreadable(error, line + 1, reader.line_num) from error
            line = reader.line_num
            yield line, row

    def _unreadable(self, error: csv.Error, first: int, last: int) -> FileError:
        """Name the first line of a row whose quote never closes, and the last line otherwise."""
        if UNCLOSED in str(error):
            return FileError(
                f"{self.source.name}, line {first}: a quote opens in this row but never closes."
            )
        return FileError(f"{self.source.name}, line {last}: {error}.")

    def _reader(self) -> Any:  # noqa: ANN401 - csv does not name the type
        """A csv reader: quotes are special only at the start of a CSV field, and never in TSV."""
        text = io.TextIOWrapper(
            io.BytesIO(self.source.data), encoding="utf-8-sig", errors="replace", newline=""
        )
        if self.source.format == "tsv":
            return csv.reader(text, delimiter="\t", quoting=csv.QUOTE_NONE, strict=True)
        return csv.reader(text, strict=True)


@contextmanager
def _long_fields() -> Iterator[None]:
    """Let csv read fields of any length; it refuses more than 131,072 characters by default."""
    before = csv.field_size_limit(sys.maxsize)
    try:
        yield
    finally:
        csv.field_size_limit(before)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
