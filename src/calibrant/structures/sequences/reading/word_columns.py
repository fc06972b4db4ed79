"""Parse rows of columns separated by tabs or spaces, with comments and document marks."""

import re
from pathlib import Path

from calibrant.errors import FileError, option
from calibrant.structures.lines import Block
from calibrant.structures.sequences.reading.rows import (
    DOCUMENT_MARK,
    END_DOCUMENT,
    Row,
    is_document_mark,
)

KEYED = re.compile(r"# (newdoc|newpar|\S+ =)")
BEGIN_DOCUMENT = "#begin document"


def read_rows(
    path: str | Path, block: Block, columns: tuple[int, int], blank: str | None
) -> list[Row]:
    """The words and tags of a sentence, from its columns of words and tags."""
    found: list[Row] = []
    first = next((line for _, line in block if not (line.startswith("# ") or _mark(line))), "")
    width = len(_split(first))
    ended = False
    for number, line in block:
        mark = _mark(line)
        if mark is not None:
            _check_mark(path, number, mark, found)
            ended = mark == END_DOCUMENT
            continue
        if not found and _is_comment(line, first):
            continue
        if ended:
            raise FileError(
                f"{path}, line {number}: a sentence must not follow {END_DOCUMENT} directly, but "
                f"there is {line[:60]!r}. Put an empty line or {BEGIN_DOCUMENT} before it."
            )
        parts = _split(line)
        _check_size(path, number, parts, columns, width)
        found.append(_row(path, number, parts, columns, blank))
    return found


def _row(
    path: str | Path, number: int, parts: list[str], columns: tuple[int, int], blank: str | None
) -> Row:
    word, tag = parts[columns[0]] or blank, parts[columns[1]]
    if not word or not tag:  # a no-break space can be a word in tweets
        blank = option("blank", '"_"')
        empty = "tag" if word else f"word. Pass {blank} to read one there"
        raise FileError(
            f"{path}, line {number}: a word and its tag must not be empty, but there is no {empty}."
        )
    return Row(number, word, tag)


def _mark(line: str) -> str | None:
    """The document mark on a line, if the line is not a word."""
    if is_document_mark(line):
        return DOCUMENT_MARK
    return next((each for each in (BEGIN_DOCUMENT, END_DOCUMENT) if line.startswith(each)), None)


def _check_mark(path: str | Path, number: int, mark: str, found: list[Row]) -> None:
    """Refuse a document mark within a sentence."""
    if found and mark != END_DOCUMENT:
        raise FileError(
            f"{path}, line {number}: {mark} must not stand within a sentence, but it follows the "
            f"word {found[-1].word!r}. Put an empty line before it."
        )


def _split(line: str) -> list[str]:
    return line.split("\t") if "\t" in line else line.split()


def _is_comment(line: str, first: str) -> bool:
    """Whether `# ...` is a comment: no, if it has as many columns as the words."""
    spaced = "\t" not in line + first and len(line.split()) == len(first.split())
    return line.startswith("# ") and (not spaced or KEYED.match(line) is not None)


def _check_size(
    path: str | Path, number: int, parts: list[str], columns: tuple[int, int], width: int
) -> None:
    size = len(parts)
    wanted = max(2, *(column + 1 if column >= 0 else -column for column in columns))
    if size < wanted:
        raise FileError(
            f"{path}, line {number}: there must be at least {wanted} columns, {_found(parts)}"
        )
    if size != width and min(columns) < 0:  # negative columns would shift
        raise FileError(
            f"{path}, line {number}: there must be {width} columns, as in the first row of the "
            f"sentence, {_found(parts)}"
        )
    if columns[0] % size == columns[1] % size:
        raise FileError(
            f"{path}, line {number}: {option('word', str(columns[0]))} and "
            f"{option('tag', str(columns[1]))} must be different "
            f"columns, but of {size} columns they are the same one."
        )


def _found(parts: list[str]) -> str:
    size = len(parts)
    return f"but there {'is' if size == 1 else 'are'} {size}: {' '.join(parts)[:60]!r}."
