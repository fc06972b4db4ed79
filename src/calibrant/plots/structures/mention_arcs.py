"""A few mentions in a row, and arcs between those that may be of one entity."""

from typing import TYPE_CHECKING

import numpy as np

from calibrant.plots.structures.entities import Shown
from calibrant.plots.structures.lettering import brief, canvas, caption, width_of, write
from calibrant.plots.style import GREY

if TYPE_CHECKING:
    from matplotlib.axes import Axes

TEXT, SMALL = 9.0, 7.0  # points
GAP, BOX, STEP = 0.16, 0.24, 0.27  # inches: between boxes, their height, between heights of arcs


def draw_arcs(shown: Shown, floor: float, ax: "Axes | None" = None) -> "Axes":
    """Draw an arc for every two mentions of at least the floor.

    An arc is as high as mentions lie apart, so that no two have their numbers at one place.
    """
    count = len(shown.texts)
    below = [f"{letter}{' · ' if letter else ''}new {brief(q)}"
             for letter, q in zip(shown.letters, shown.new, strict=True)]  # fmt: skip
    wide = np.array([width_of(text, TEXT) + 0.12 for text in shown.names])
    column = np.maximum(wide, [width_of(text, SMALL) for text in below]) + GAP
    middle = np.cumsum(column) - column / 2
    pairs = [(i, j) for j in range(count) for i in range(j) if shown.same[i, j] >= floor]
    tallest = max((j - i for i, j in pairs), default=0)
    said = f"arcs: same entity with at least {floor:g}; dashed: not in the best clustering"
    width = max(float(column.sum()), width_of(said, SMALL))
    ax, scale = canvas(width, -0.65, BOX / 2 + STEP * tallest + 0.12, ax)
    for k, text in enumerate(shown.names):
        _box(ax, middle[k], wide[k], shown.colours[k], scale)
        write(ax, middle[k], 0.0, text, TEXT * scale)
        write(ax, middle[k], -0.25, below[k], SMALL * scale)
    for i, j in pairs:
        together = shown.together(i, j)
        colour = shown.colours[i] if together else GREY
        ends = middle[i], middle[j]
        _arc(ax, ends, STEP * (j - i), shown.same[i, j], colour, together, scale)
    caption(ax, -0.54, said, SMALL * scale)
    return ax


def _box(ax: "Axes", x: float, wide: float, colour: str, scale: float) -> None:
    from matplotlib.colors import to_rgba
    from matplotlib.patches import Rectangle

    ax.add_patch(
        Rectangle(
            (x - wide / 2, -BOX / 2), wide, BOX, facecolor=to_rgba(colour, 0.2), edgecolor=colour,
            lw=1.2 * scale, zorder=3, clip_on=False,
        )
    )  # fmt: skip


def _arc(
    ax: "Axes", ends: tuple[float, float], height: float, q: float, colour: str, together: bool,
    scale: float,
) -> None:  # fmt: skip
    turn = np.linspace(0, np.pi, 60)
    middle, reach = sum(ends) / 2, (ends[1] - ends[0]) / 2
    ax.plot(
        middle - reach * np.cos(turn), BOX / 2 + height * np.sin(turn), color=colour,
        lw=(0.5 + 2.5 * q) * scale, ls="-" if together else (0, (3, 2)), alpha=0.35 + 0.65 * q,
        zorder=2, clip_on=False,
    )  # fmt: skip
    write(ax, middle, BOX / 2 + height, brief(q), SMALL * scale, background=True)
