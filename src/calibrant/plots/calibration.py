"""Calibration curves in the manner of the thesis.

Points at (q̂, p̂) are joined, with error bars from the curve's band, a dashed line for perfect
calibration, square axes, and along the lower edge the distribution of the predictions.
"""

from collections.abc import Mapping
from math import ceil
from typing import TYPE_CHECKING

import numpy as np

from calibrant.calibration.curves import Curve
from calibrant.errors import InputError
from calibrant.plots.style import GREY, house_style, look, new_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SIDE = 3.3  # inches: one column of a paper
EDGE = 0.14  # share of the height that the distribution takes
MANY = 40  # points from which on error bars become a band


def plot_curve(curve: Curve, ax: "Axes | None" = None, label: str | None = None) -> "Axes":
    """Draw one calibration curve and return its axes."""
    return plot_curves({label or "": curve}, ax)


def plot_curves(curves: Mapping[str, Curve], ax: "Axes | None" = None) -> "Axes":
    """Draw several calibration curves over each other, with a legend of their names."""
    if not curves:
        raise InputError("There must be at least one curve to plot.")
    with house_style():
        if ax is None:
            _, (ax,) = new_axes(SIDE, SIDE * (1 + EDGE))
        _frame(ax)
        for index, (name, curve) in enumerate(curves.items()):
            _line(ax, curve, name, index)
            _edge(ax, curve, index, len(curves))
        if any(curves):
            ax.legend(loc="upper left", frameon=False, borderaxespad=0.2, handlelength=1.6)
    return ax


def plot_panels(curves: Mapping[str, Curve], columns: int = 3, side: float = 2.7) -> "list[Axes]":
    """Draw curves side by side, one panel each of `side` inches, titled by name."""
    if not curves:
        raise InputError("There must be at least one curve to plot.")
    from matplotlib.figure import Figure

    columns = min(columns, len(curves))
    rows = ceil(len(curves) / columns)
    with house_style():
        figure = Figure(
            figsize=(side * columns, (side + 0.15) * rows), dpi=200, layout="constrained"
        )
        grid = figure.subplots(rows, columns, squeeze=False)
        panels: list[Axes] = list(grid.ravel())
        for extra in panels[len(curves) :]:
            extra.remove()
        for index, (panel, (name, curve)) in enumerate(zip(panels, curves.items(), strict=False)):
            plot_curves({"": curve}, panel)
            panel.set_title(name, parse_math=False)  # tags such as PRP$
            if index % columns:
                panel.set_ylabel("")
            if index + columns < len(curves):
                panel.set_xlabel("")
    return panels[: len(curves)]


def _frame(ax: "Axes") -> None:
    ax.plot([0, 1], [0, 1], ls=(0, (4, 3)), lw=0.9, color=GREY, zorder=1)
    ax.set(xlim=(-0.02, 1.02), ylim=(-0.02 - EDGE, 1.02))
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
        reach = np.array([curve.p - curve.low, curve.high - curve.p])
        ax.errorbar(curve.q, curve.p, reach, fmt="none", ecolor=colour, elinewidth=0.8, zorder=2)
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
    )


def _edge(ax: "Axes", curve: Curve, index: int, total: int) -> None:
    """The distribution of the predictions, its square root so that rare ones show."""
    heights = np.sqrt(curve.distribution / curve.distribution.max())
    edges = np.linspace(0, 1, heights.size + 1)
    floor, height = -0.02 - EDGE, EDGE - 0.015
    if total == 1:
        ax.bar(edges[:-1], heights * height, np.diff(edges), floor, align="edge",
               color=look(index)[0], alpha=0.35, lw=0)  # fmt: skip
    else:
        ax.stairs(floor + heights * height, edges, color=look(index)[0], lw=0.9, baseline=None)
    ax.axhline(-0.012, color=GREY, lw=0.4)
