"""From files to a probability for every class."""

from calibrant.tables.matrices.reading import class_predictions_from_file, classes_from_file
from calibrant.tables.matrices.table import ClassColumns, ClassTable

__all__ = ["ClassColumns", "ClassTable", "class_predictions_from_file", "classes_from_file"]
