"""Rows of columns, parted by tabs or spaces, told apart from comments."""

import re
from pathlib import Path

from calibrant.errors import FileError
from calibrant.structures.lines import Block
from calibrant.structures.sequences.reading.rows import DOCUMENT_MARK, Row

KEYED = re.compile(r"# (newdoc|newpar|\S+ =)")
MARKS = (DOCUMENT_MARK, "#begin document", "#end document")


def read_rows(
    path: str | Path, block: Block, columns: tuple[int, int], blank: str | None
) -> list[Row]:
    """The words and tags of a sentence, from its columns of words and tags."""
    found: list[Row] = []
    first = next((line for _, line in block if not line.startswith(("# ", *MARKS))), "")
    width = len(_split(first))
    for number, line in block:
        if line.startswith(MARKS) or (not found and _is_comment(line, first)):
            continue
        parts = _split(line)
        _check_size(path, number, parts, columns, width)
        word, tag = parts[columns[0]] or blank, parts[columns[1]]
        if not word or not tag:  # a no-break space is a word, in tweets
            empty = "tag" if word else 'word. Pass blank="_" to read one there'
            raise FileError(
                f"{path}, line {number}: a word and its tag must not be empty, but there is no "
                f"{empty}."
            )
        found.append(Row(number, word, tag))
    return found


def _split(line: str) -> list[str]:
    return line.split("\t") if "\t" in line else line.split()


def _is_comment(line: str, first: str) -> bool:
    """Whether `# ...` is a comment: not if spaces part it into as many columns as the words."""
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
    if size != width and min(columns) < 0:  # the last column of a short row is another column
        raise FileError(
            f"{path}, line {number}: there must be {width} columns, as in the first row of the "
            f"sentence, {_found(parts)}"
        )
    if columns[0] % size == columns[1] % size:
        raise FileError(
            f"{path}, line {number}: word={columns[0]} and tag={columns[1]} must be different "
            f"columns, but of {size} columns they are the same one."
        )


def _found(parts: list[str]) -> str:
    size = len(parts)
    return f"but there {'is' if size == 1 else 'are'} {size}: {' '.join(parts)[:60]!r}."
