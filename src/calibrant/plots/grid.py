"""Panels in a grid that is about as wide as it is high."""

from math import ceil, sqrt
from typing import TYPE_CHECKING

from calibrant.plots.style import house_style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ROW = 3  # panels up to which one row is used: three still fit the width of a page
WIDEST = 2  # times as many columns as rows: a wider grid is a strip
TITLE = 0.15  # inches that the title of a panel takes


def near_square(count: int) -> int:
    """The number of columns for this many panels: a square, or one more if that leaves no gaps.

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
