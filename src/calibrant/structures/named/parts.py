"""Read which part of a corpus each document belongs to."""

from pathlib import Path

from calibrant.errors import FileError
from calibrant.structures.lines import read_lines

PARTS = ("train", "dev", "test")


def read_parts(path: Path) -> dict[str, str]:
    """The part of each document, from the columns doc and split of a table."""
    (_, first), *lines = read_lines(path)
    columns = first.split("\t")
    if not {"doc", "split"} <= set(columns):
        raise FileError(
            f"{path}, line 1: the table must have columns doc and split, separated by tabs, but "
            f"its columns are {', '.join(map(repr, columns))}."
        )
    doc, split = columns.index("doc"), columns.index("split")
    found: dict[str, str] = {}
    for number, line in lines:
        cells = line.split("\t")
        if line.strip() and len(cells) < len(columns):
            raise FileError(
                f"{path}, line {number}: the row must have {len(columns)} columns, but it has "
                f"{len(cells)}."
            )
        if line.strip():
            found[cells[doc]] = cells[split]
    return found
