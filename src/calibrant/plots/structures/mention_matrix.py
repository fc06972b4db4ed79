"""Draw the probabilities of pairs of mentions as a matrix, for many mentions."""

from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant.plots.structures.entities import Shown
from calibrant.plots.structures.lettering import POINTS, brief, inches, ink, shade, width_of, write
from calibrant.plots.style import house_style, new_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WRITTEN = 16  # maximum mentions for which cells show numbers
LARGE, SMALL = 0.27, 0.17  # size in inches of a cell with and without a number
LETTERS = 7.0  # points
NEW = -1.5  # the column of new entities, apart from the others
WIDER = 1.6  # extra width for that column
INSIDE = 0.84  # size of a frame relative to its cell, so that frames do not touch


def draw_matrix(shown: Shown, floor: float, ax: "Axes | None" = None) -> "Axes":
    """Draw a row for each mention and a cell for each pair; entities frame their pairs.

    If there are few mentions, cells show probabilities of at least `floor`.
    """
    count = len(shown.texts)
    names = [f"{text}  {k}".strip() for k, text in enumerate(shown.texts)]
    cell = LARGE if count <= WRITTEN else SMALL
    with house_style():
        if ax is None:
            ax = _fitting(cell * (count + WIDER), cell * count, names)
        else:
            wide, high = inches(ax)
            cell = min(cell, wide / (count + WIDER), high / count)
        size = min(LETTERS, 0.6 * POINTS * cell)
        _cells(ax, shown)
        _entities(ax, shown, size)
        if count <= WRITTEN:
            _numbers(ax, shown, floor, size)
        _names(ax, names, size)
        _key(ax, size)
    return ax


def _fitting(width: float, height: float, names: list[str]) -> "Axes":
    """Make axes of this size in a figure with room for the names."""
    left, below, free = max(width_of(name, LETTERS) for name in names) + 0.1, 0.2, 0.05
    whole = left + width + free, below + height + free
    _, (ax,) = new_axes(*whole)
    ax.set_position((left / whole[0], below / whole[1], width / whole[0], height / whole[1]))
    return ax


def _cells(ax: "Axes", shown: Shown) -> None:
    from matplotlib.colors import ListedColormap

    count = len(shown.texts)
    ramp = ListedColormap([shade(q, "Greys") for q in np.linspace(0, 1, 256)])
    look: dict[str, Any] = {"cmap": ramp, "vmin": 0, "vmax": 1}
    look |= {"edgecolors": "white", "linewidth": 0.4}
    below = np.tril(np.ones((count, count), bool), -1)
    edges = np.arange(count + 1) - 0.5
    ax.pcolormesh(edges, edges, np.ma.masked_where(~below, shown.same), **look)
    ax.pcolormesh([NEW - 0.5, NEW + 0.5], edges, shown.new[:, None], **look)


def _entities(ax: "Axes", shown: Shown, size: float) -> None:
    """Draw the letters of entities on the diagonal, and frames around their pairs."""
    for j, (letter, colour) in enumerate(zip(shown.letters, shown.colours, strict=True)):
        filled = {"facecolor": colour if letter else "white", "lw": 0.1 * size, "zorder": 2}
        _frame(ax, j, j, colour, filled)
        write(ax, j, j, letter, size, "white")
        for i in range(j):
            if shown.together(i, j):
                _frame(ax, i, j, colour, {"fill": False, "lw": 0.2 * size, "zorder": 3})


def _frame(ax: "Axes", x: int, y: int, colour: str, look: dict[str, Any]) -> None:
    """Draw a frame just inside a cell."""
    from matplotlib.patches import Rectangle

    corner = x - INSIDE / 2, y - INSIDE / 2
    ax.add_patch(Rectangle(corner, INSIDE, INSIDE, edgecolor=colour, **look))


def _numbers(ax: "Axes", shown: Shown, floor: float, size: float) -> None:
    for j in range(len(shown.texts)):
        row = {NEW: shown.new[j], **{float(i): shown.same[i, j] for i in range(j)}}
        for x, q in row.items():
            if q >= floor:
                write(ax, x, j, brief(q), size, ink(q))


def _names(ax: "Axes", names: list[str], size: float) -> None:
    count = len(names)
    ax.set(xlim=(-0.5 - WIDER, count - 0.5), ylim=(count - 0.5, -0.5))
    ax.set_aspect("equal", adjustable="box")
    ax.set_yticks(range(count), names, size=size, parse_math=False)
    ax.set_xticks([NEW, *range(count)], ["new", *map(str, range(count))], size=size)
    ax.tick_params(length=0, pad=2)
    ax.spines[:].set_visible(False)


def _key(ax: "Axes", size: float) -> None:
    """Draw the colour scale, in the empty half."""
    key = ax.inset_axes((0.62, 0.93, 0.36, 0.03))
    bar = ax.figure.colorbar(
        ax.collections[0], cax=key, orientation="horizontal", ticks=[0, 0.5, 1]
    )
    bar.set_label("P(same entity), P(new)", size=size)
    bar.ax.tick_params(labelsize=size, length=2, pad=1)
    bar.outline.set_linewidth(0.4)
