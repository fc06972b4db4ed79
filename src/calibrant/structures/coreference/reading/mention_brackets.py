"""Parse mentions from cells of brackets, such as (3|(4) and 3)."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from calibrant.errors import FileError
from calibrant.structures.coreference.reading.rows import Row, shortened

NOTHING = {"", "-", "_", "*"}  # empty cells
MARK = re.compile(r"\|?(?:\(([^()|\s]+)(\))?|([^()|\s]+)\))")


class Bracketed(NamedTuple):
    """A bracketed mention: words `begin` to `end` (excluded) of a sentence, and its entity."""

    sentence: int
    begin: int
    end: int
    entity: str


class Mark(NamedTuple):
    """A bracket of a cell: `(3` opens, `3)` closes, `(3)` does both."""

    entity: str
    opens: bool
    closes: bool


def bracketed(
    path: str | Path, document: str, sentence: int, rows: Sequence[Row]
) -> list[Bracketed]:
    """The mentions of one sentence, in the order in which they open."""
    waiting: dict[str, list[int]] = {}  # the numbers of open mentions, by entity
    begins: list[int] = []
    ends: list[Bracketed | None] = []  # None while a mention is open
    for at, row in enumerate(rows):
        for mark in _marks(path, document, row):
            if mark.opens:
                waiting.setdefault(mark.entity, []).append(len(begins))
                begins.append(at)
                ends.append(None)
            if mark.closes:
                if not waiting.get(mark.entity):
                    what = f"closes a mention of entity {mark.entity}, but none is open"
                    raise _fault(path, document, row, f"{what} in this sentence")
                number = waiting[mark.entity].pop()
                ends[number] = Bracketed(sentence, begins[number], at + 1, mark.entity)
    for entity, numbers in waiting.items():
        if numbers:
            row = rows[begins[numbers[-1]]]
            what = f"opens a mention of entity {entity} that is not closed in its sentence"
            raise _fault(path, document, row, what)
    return [each for each in ends if each is not None]


def _fault(path: str | Path, document: str, row: Row, what: str) -> FileError:
    return FileError(
        f"{path}, line {row.line}, document {document!r}: {shortened(row.cell)} {what}."
    )


def _marks(path: str | Path, document: str, row: Row) -> Iterator[Mark]:
    """The brackets of a cell."""
    at = 0 if row.cell not in NOTHING else len(row.cell)
    while at < len(row.cell):
        mark = MARK.match(row.cell, at)
        if mark is None:
            raise FileError(
                f"{path}, line {row.line}, document {document!r}: brackets of mentions must look "
                f"like (3, 3) or (3)|(4, but the cell is {shortened(row.cell)}."
            )
        opened, whole, closed = mark.groups()
        yield Mark(opened or closed, opens=opened is not None, closes=bool(whole or closed))
        at = mark.end()
