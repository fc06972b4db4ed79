"""Arrange panels in a nearly square grid."""

from math import ceil, sqrt
from typing import TYPE_CHECKING

from calibrant.plots.style import house_style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ROW = 3  # maximum panels in a single row: three still fit the width of a page
WIDEST = 2  # maximum ratio of columns to rows
TITLE = 0.15  # height of a panel title in inches


def near_square(count: int) -> int:
    """The number of columns for this many panels: nearly square, with few gaps.

    >>> [near_square(count) for count in (1, 2, 3, 4, 6, 8, 9, 12)]
    [1, 2, 3, 2, 3, 4, 3, 4]
    """
    if count <= ROW:
        return count
    square = ceil(sqrt(count))
    fitting = [each for each in (square, square + 1) if each <= WIDEST * ceil(count / each)]
    return min(fitting, key=lambda columns: -count % columns)  # the fewest empty places


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
