"""Calibration curves as in the thesis.

Points at (q̂, p̂) are joined, with error bars from the curve's band, a dashed line for perfect
calibration, square axes, and along the lower edge the distribution of the predictions.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from calibrant.calibration.curves import Curve
from calibrant.checks.items import described
from calibrant.errors import InputError, ParameterError
from calibrant.plots.grid import near_square, new_grid, share_legend
from calibrant.plots.style import DASHED, GREY, SIDE, house_style, look, new_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D
    from matplotlib.typing import ColorType

EDGE = 0.14  # share of the height for the bars; the curve gets the rest
MANY = 40  # points: with more, error bars overlap, so a band is drawn
CURVE = "calibration-curve"  # marks the lines of curves among others on the same axes
PANEL = 2.7  # inches: the side of a panel
MARGIN = 0.02  # around [0, 1], so that points at the ends are not clipped


def plot_curve(curve: Curve, ax: "Axes | None" = None, label: str | None = None) -> "Axes":
    """Draw one calibration curve and return its axes."""
    return plot_curves({label or "": curve}, ax)


def plot_curves(curves: Mapping[str, Curve], ax: "Axes | None" = None) -> "Axes":
    """Draw several calibration curves on the same axes, with a legend."""
    if not curves:
        raise InputError("There must be at least one curve to plot.")
    _check_axes(ax)
    with house_style():
        if ax is None:
            _, (ax,) = new_axes(SIDE, SIDE * (1 + EDGE))
        before = len(curve_lines(ax))  # curves drawn earlier keep their colours
        if not before:
            _frame(ax)
        for index, (name, curve) in enumerate(curves.items(), before):
            _line(ax, curve, name, index)
            _edge(ax, curve, index, before + len(curves))
        if any(curves):
            ax.legend(loc="upper left", frameon=False, borderaxespad=0.2, handlelength=1.6)
    return ax


def _check_axes(ax: object) -> None:
    from matplotlib.axes import Axes
    from matplotlib.figure import FigureBase

    if ax is None or isinstance(ax, Axes):
        return
    hint = " Pass ax=figure.subplots()." if isinstance(ax, FigureBase) else ""
    raise ParameterError(f"ax must be axes of matplotlib, but it is {described(ax)}.{hint}")


def curve_lines(ax: "Axes") -> "list[Line2D]":
    """The lines of the calibration curves on these axes, in the order they were drawn."""
    return [line for line in ax.get_lines() if line.get_gid() == CURVE]


def plot_panels(
    curves: Mapping[str, Curve | Mapping[str, Curve]],
    columns: int | None = None,
    side: float = PANEL,
) -> "list[Axes]":
    """Draw one panel per curve, or per mapping of several curves, titled by name.

    Parameters
    ----------
    curves
        The curves, by the title of their panel. Several curves in a panel have names, and one
        legend above all panels.
    columns
        The number of panels per row (default: a nearly square grid).
    side
        The width and height of a panel, in inches.
    """
    if not curves:
        raise InputError("There must be at least one curve to plot.")
    return in_panels(
        list(curves),
        lambda name, panel: plot_curves(_named(curves[name]), panel),
        columns,
        side,
    )


def _named(each: Curve | Mapping[str, Curve]) -> Mapping[str, Curve]:
    return {"": each} if isinstance(each, Curve) else each


def in_panels(
    names: Sequence[str],
    draw: "Callable[[str, Axes], object]",
    columns: int | None = None,
    side: float = PANEL,
) -> "list[Axes]":
    """Draw each name in a panel of a new figure, titled by it; labels only at the edges."""
    columns = min(columns or near_square(len(names)), len(names))
    panels = new_grid(len(names), columns, side)
    with house_style():
        for index, (panel, name) in enumerate(zip(panels, names, strict=True)):
            draw(name, panel)
            panel.set_title(name, parse_math=False)  # tags such as PRP$
            if index % columns:
                panel.set_ylabel("")
            if index + columns < len(names):
                panel.set_xlabel("")
    share_legend(panels)
    return panels


def _frame(ax: "Axes") -> None:
    ax.plot([0, 1], [0, 1], ls=DASHED, lw=0.9, color=GREY, zorder=1)
    ax.set(xlim=(-MARGIN, 1 + MARGIN), ylim=(-MARGIN - EDGE, 1 + MARGIN))
    ax.set_aspect("equal", adjustable="box")
    ticks = np.linspace(0, 1, 6)
    ax.set_xticks(ticks)
    ax.set_yticks(ticks)
    ax.set_xlabel("prediction $q$")
    ax.set_ylabel("frequency of $y = 1$")


def _line(ax: "Axes", curve: Curve, name: str, index: int) -> None:
    colour, marker = look(index)
    smooth = curve.upper is None
    many = smooth or len(curve) > MANY
    if many:
        ax.fill_between(curve.q, curve.low, curve.high, color=colour, alpha=0.2, lw=0, zorder=2)
    else:
        _reach(ax, curve, colour)
    ax.plot(
        curve.q,
        curve.p,
        color=colour,
        marker="" if smooth else marker,
        ms=2.2 if many else 3.6,
        lw=1.0,
        mew=0,
        label=name or None,
        zorder=3,
        gid=CURVE,
    )


def draw_dots(ax: "Axes", bins: Curve) -> None:
    """Draw bins as dots with their intervals, over a smooth curve that was drawn last."""
    colour = curve_lines(ax)[-1].get_color()
    _reach(ax, bins, colour)
    ax.plot(bins.q, bins.p, color=colour, marker="o", ms=3.6, lw=0, mew=0, zorder=4)


def _reach(ax: "Axes", curve: Curve, colour: "ColorType") -> None:
    """The interval of every point."""
    reach = np.array([curve.p - curve.low, curve.high - curve.p])
    ax.errorbar(curve.q, curve.p, reach, fmt="none", ecolor=colour, elinewidth=0.8, zorder=2)


def _edge(ax: "Axes", curve: Curve, index: int, total: int) -> None:
    """Draw the distribution of the predictions, on a square-root scale that shows rare ones."""
    heights = np.sqrt(curve.distribution / curve.distribution.max())
    edges = np.linspace(0, 1, heights.size + 1)
    floor, height = -MARGIN - EDGE, EDGE - 0.015
    if total == 1:
        ax.bar(
            edges[:-1],
            height=heights * height,
            width=np.diff(edges),
            bottom=floor,
            align="edge",
            color=look(index)[0],
            alpha=0.35,
            lw=0,
        )
    else:
        ax.stairs(floor + heights * height, edges, color=look(index)[0], lw=0.9, baseline=None)
    ax.axhline(-0.012, color=GREY, lw=0.4)
