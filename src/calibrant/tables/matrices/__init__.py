"""From files to a probability for every class."""

from calibrant.tables.matrices.reading import classes_from_file
from calibrant.tables.matrices.table import ClassColumns, ClassTable

__all__ = ["ClassColumns", "ClassTable", "classes_from_file"]
