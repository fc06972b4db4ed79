"""Which part of a corpus a document belongs to."""

from pathlib import Path

from calibrant.errors import FileError
from calibrant.structures.lines import read_lines

PARTS = ("train", "dev", "test")


def read_parts(path: Path) -> dict[str, str]:
    """The part of each document, of a table with columns doc and split; others do not matter."""
    (_, first), *lines = read_lines(path)
    columns = first.split("\t")
    if not {"doc", "split"} <= set(columns):
        raise FileError(
            f"{path}, line 1: columns doc and split, parted by tabs, are wanted, but the columns "
            f"are {', '.join(map(repr, columns))}."
        )
    doc, split = columns.index("doc"), columns.index("split")
    found: dict[str, str] = {}
    for number, line in lines:
        cells = line.split("\t")
        if line.strip() and len(cells) < len(columns):
            raise FileError(
                f"{path}, line {number}: {len(columns)} columns are wanted, but there are "
                f"{len(cells)}."
            )
        if line.strip():
            found[cells[doc]] = cells[split]
    return found
