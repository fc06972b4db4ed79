"""JSON lines: one object per line."""

import io
import itertools
import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from calibrant.errors import FileError
from calibrant.tables.showing import shown
from calibrant.tables.sources import Source

if TYPE_CHECKING:
    import polars

LONG = 4000  # digits: Python refuses to parse integers of more than 4300 digits


@dataclass(frozen=True)
class JsonLines:
    """A file of JSON objects, one per line."""

    source: Source

    def names(self) -> list[str]:
        """All keys, in order of appearance."""
        return list(dict.fromkeys(key for _, row in self._rows() for key in row))

    def header_hint(self, names: list[str]) -> str:
        """No hint: keys are always names."""
        return ""

    def frame(
        self, wanted: list[str], rows: int | None = None, nested: bool = False
    ) -> "polars.DataFrame":
        """Read columns as text, from all rows or only the first ones.

        Lists and objects are refused, or with `nested` written as JSON.
        """
        import polars

        columns: dict[str, list[str | None]] = {name: [] for name in wanted}
        for line, row in itertools.islice(self._rows(), rows):
            for name in wanted:
                value = row.get(name)
                if nested and isinstance(value, list | dict):
                    value = json.dumps(value, ensure_ascii=False)
                columns[name].append(self._scalar(value, line, name))
        return polars.DataFrame(columns, schema=dict.fromkeys(wanted, polars.String))

    def place(self, index: int) -> str:
        """The line of a row, counting blank lines."""
        return f"line {self._lines[index]}"

    @cached_property
    def _lines(self) -> list[int]:
        """The line of each row: a page asks for thousands."""
        return [line for line, _ in self._texts()]

    def _texts(self) -> Iterator[tuple[int, str]]:
        """The lines that are not blank."""
        text = io.TextIOWrapper(
            io.BytesIO(self.source.data), encoding="utf-8-sig", errors="replace", newline=""
        )
        return ((line, each) for line, each in enumerate(text, start=1) if each.strip())

    def _rows(self) -> Iterator[tuple[int, dict[str, Any]]]:
        for line, each in self._texts():
            yield line, self._row(each, line)

    def _row(self, text: str, line: int) -> dict[str, Any]:
        place = f"{self.source.name}, line {line}"
        try:
            value = json.loads(text, parse_int=_integer)
        except RecursionError as error:
            raise FileError(f"{place}: lists or objects are nested too deeply.") from error
        except ValueError as error:
            raise FileError(f"{place}: not JSON: {error}.") from error
        if not isinstance(value, dict):
            raise FileError(f"{place}: an object {{...}} was expected.")
        return value

    def _scalar(self, value: object, line: int, name: str) -> str | None:
        place = f"{self.source.name}, line {line}, column {name}"
        if isinstance(value, list | dict):
            raise FileError(f"{place}: {shown(value)} is not a single value.")
        text = None if value is None else str(value)
        if text is not None and not is_unicode(text):
            raise FileError(f"{place}: {shown(text)} holds half a character (a lone surrogate).")
        return text


def _integer(digits: str) -> int | str:
    return int(digits) if len(digits) <= LONG else digits


def is_unicode(text: str) -> bool:
    """Whether a text has no half of a surrogate pair, which no file could hold."""
    return text.isascii() or not any("\ud800" <= each <= "\udfff" for each in text)
