"""Read a probability for every class, and the true class, from tables and .npz files.

Errors name the file, the row, the column and the value.
"""

from pathlib import Path

from calibrant.tables.files import Note, open_layout
from calibrant.tables.matrices.arrays import classes_from_arrays
from calibrant.tables.matrices.columns import classes_from_table
from calibrant.tables.matrices.table import ClassColumns, ClassTable


def classes_from_file(
    path: str | Path,
    wanted: ClassColumns,
    format: str | None = None,
    note: Note | None = None,
) -> ClassTable:
    """Read the probabilities of all classes; `note` is told what was used."""
    say = note or (lambda _: None)
    if format == "npz" or (format is None and Path(path).suffix.lower() == ".npz"):
        return classes_from_arrays(path, wanted, say)
    return classes_from_table(open_layout(path, format), wanted, say)
