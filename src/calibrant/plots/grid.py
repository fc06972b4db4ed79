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


def share_legend(panels: "list[Axes]") -> None:
    """One legend for all panels, above them, instead of one in each."""
    handles, labels = panels[0].get_legend_handles_labels()
    for panel in panels:
        legend = panel.get_legend()
        if legend is not None:
            legend.remove()
    if labels:
        figure = panels[0].get_figure(root=True)
        assert figure is not None
        with house_style():
            figure.legend(
                handles, labels, loc="outside upper center", ncols=len(labels), frameon=False
            )
