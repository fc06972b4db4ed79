"""Mentions from cells of brackets, such as (3|(4) and 3)."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from calibrant.errors import FileError
from calibrant.structures.coreference.reading.rows import Row

NOTHING = {"", "-", "_", "*"}  # cells without brackets
MARK = re.compile(r"\|?(?:\(([^()|\s]+)(\))?|([^()|\s]+)\))")


class Bracketed(NamedTuple):
    """Words `begin` to `end` (excluded) of a sentence, in a pair of brackets of an entity."""

    sentence: int
    begin: int
    end: int
    entity: str


def bracketed(
    path: str | Path, document: str, sentence: int, rows: Sequence[Row]
) -> list[Bracketed]:
    """The mentions of one sentence, in the order in which they open."""
    open_: dict[str, list[int]] = {}
    found: list[Bracketed | None] = []  # by the order in which they open
    begins: list[int] = []
    for at, row in enumerate(rows):
        if row.cell in NOTHING:
            continue
        for entity, whole, closing in _marks(path, document, row):
            if entity:
                found.append(Bracketed(sentence, at, at + 1, entity) if whole else None)
                begins.append(at)
                if not whole:
                    open_.setdefault(entity, []).append(len(found) - 1)
            elif open_.get(closing):
                number = open_[closing].pop()
                found[number] = Bracketed(sentence, begins[number], at + 1, closing)
            else:
                raise FileError(
                    f"{path}, line {row.line}, document {document!r}: {row.cell!r} closes a "
                    f"mention of entity {closing}, but none is open in this sentence."
                )
    for entity, numbers in open_.items():
        if numbers:
            row = rows[begins[numbers[-1]]]
            raise FileError(
                f"{path}, line {row.line}, document {document!r}: {row.cell!r} opens a mention of "
                f"entity {entity} that is not closed in its sentence."
            )
    return [each for each in found if each is not None]


def _marks(path: str | Path, document: str, row: Row) -> Iterator[tuple[str, bool, str]]:
    """The brackets of a cell: the entity that opens, whether it closes at once, or which closes."""
    at = 0
    while at < len(row.cell):
        mark = MARK.match(row.cell, at)
        if mark is None:
            raise FileError(
                f"{path}, line {row.line}, document {document!r}: brackets of mentions must look "
                f"like (3, 3) or (3)|(4, but the cell is {row.cell!r}."
            )
        yield mark.group(1) or "", mark.group(2) is not None, mark.group(3) or ""
        at = mark.end()
