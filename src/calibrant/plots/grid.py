"""Panels in a grid that is about as wide as it is high."""

from math import ceil, sqrt
from typing import TYPE_CHECKING

from calibrant.plots.style import house_style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ROW = 3  # panels up to which one row is used: three still fit the width of a page
TITLE = 0.15  # inches that the title of a panel takes


def near_square(count: int) -> int:
    """The number of columns for so many panels: 2 for four, 3 for up to nine.

    >>> [near_square(count) for count in (1, 2, 3, 4, 6, 9, 12)]
    [1, 2, 3, 2, 3, 3, 4]
    """
    return count if count <= ROW else ceil(sqrt(count))


def new_grid(count: int, columns: int, side: float) -> "list[Axes]":
    """Axes of `side` inches each, in a new figure, row by row."""
    from matplotlib.figure import Figure

    rows = ceil(count / columns)
    size = side * columns, (side + TITLE) * rows
    with house_style():
        figure = Figure(figsize=size, dpi=200, layout="constrained")
        panels: list[Axes] = list(figure.subplots(rows, columns, squeeze=False).ravel())
    for extra in panels[count:]:
        extra.remove()
    return panels[:count]
