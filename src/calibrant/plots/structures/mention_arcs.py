"""Draw a few mentions in a row, with arcs between likely coreferent ones."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant.plots.structures.entities import Shown
from calibrant.plots.structures.lettering import brief, canvas, caption, width_of, write
from calibrant.plots.style import GREY

if TYPE_CHECKING:
    from matplotlib.axes import Axes

TEXT, SMALL = 9.0, 7.0  # points
GAP, BOX, STEP = 0.16, 0.24, 0.27  # inches: gap between boxes, height of a box, step between arcs

SMOOTH = 60  # points of an arc: enough to look smooth in print


@dataclass(frozen=True, slots=True)
class Arc:
    """An arc between two mentions: ends, height, probability and style."""

    ends: tuple[float, float]
    height: float
    q: float
    colour: str
    together: bool  # whether the best clustering puts both in one entity


def draw_arcs(shown: Shown, floor: float, ax: "Axes | None" = None) -> "Axes":
    """Draw an arc for every two mentions whose probability reaches the floor.

    The height of an arc grows with the distance between its mentions, so no two numbers overlap.
    """
    count = len(shown.texts)
    below = _captions(shown)
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
        arc = Arc((middle[i], middle[j]), STEP * (j - i), shown.same[i, j], colour, together)
        _draw(ax, arc, scale)
    caption(ax, -0.54, said, SMALL * scale)
    return ax


def _captions(shown: Shown) -> list[str]:
    """The text below each mention: its entity, and the probability that it is new."""
    pairs = zip(shown.letters, shown.new, strict=True)
    return [f"{letter} · new {brief(q)}" if letter else f"new {brief(q)}" for letter, q in pairs]


def _box(ax: "Axes", x: float, wide: float, colour: str, scale: float) -> None:
    from matplotlib.colors import to_rgba
    from matplotlib.patches import Rectangle

    look: dict[str, Any] = {"facecolor": to_rgba(colour, 0.2), "edgecolor": colour}
    corner = x - wide / 2, -BOX / 2
    ax.add_patch(Rectangle(corner, wide, BOX, lw=1.2 * scale, zorder=3, clip_on=False, **look))


def _draw(ax: "Axes", arc: Arc, scale: float) -> None:
    turn = np.linspace(0, np.pi, SMOOTH)
    left, right = arc.ends
    middle, reach = (left + right) / 2, (right - left) / 2
    x, y = middle - reach * np.cos(turn), BOX / 2 + arc.height * np.sin(turn)
    line: dict[str, Any] = {"lw": (0.5 + 2.5 * arc.q) * scale, "alpha": 0.35 + 0.65 * arc.q}
    dashes = "-" if arc.together else (0, (3, 2))
    ax.plot(x, y, color=arc.colour, ls=dashes, zorder=2, clip_on=False, **line)
    write(ax, middle, BOX / 2 + arc.height, brief(arc.q), SMALL * scale, background=True)
