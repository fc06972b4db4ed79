"""Read a probability for every class, and the true class, from tables and .npz files.

Errors name the file, the row, the column and the value.
"""

from collections.abc import Sequence
from pathlib import Path

from calibrant.errors import FileError
from calibrant.tables.files import Note, open_layout
from calibrant.tables.matrices.arrays import classes_from_arrays
from calibrant.tables.matrices.columns import classes_from_table, unlabelled_from_table
from calibrant.tables.matrices.table import ClassColumns, ClassTable, UnlabelledClasses


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


def class_predictions_from_file(
    path: str | Path,
    patterns: Sequence[str],
    format: str | None = None,
    note: Note | None = None,
) -> UnlabelledClasses:
    """Read the probabilities of all classes of a table, with all its columns."""
    if format == "npz" or (format is None and Path(path).suffix.lower() == ".npz"):
        raise FileError(
            f"{path} holds arrays: give a table with a column for each class, or apply the map in "
            "Python."
        )
    return unlabelled_from_table(open_layout(path, format), patterns, note or (lambda _: None))
