"""Scores of several models for many labels, as dots with intervals."""

from collections.abc import Mapping, Sequence
from math import ceil
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant.errors import InputError
from calibrant.plots.grid import near_square, share_legend
from calibrant.plots.style import GREY, house_style, look, new_axes
from calibrant.results.estimate import Estimate

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ROW, EDGES = 0.19, 0.9  # height in inches of a row, and of axis plus legend
WIDTH, MARGIN = 1.9, 1.0  # inches: width of a panel, and of the labels to the left
APART = 0.24  # distance between the dots of two models, relative to a row: three models fit


def plot_dots(
    labels: Sequence[str], scores: Mapping[str, Sequence[Estimate]], xlabel: str
) -> "Axes":
    """Draw a row for each label, the first at the top, with a dot for each model."""
    if not labels or not scores:
        raise InputError("There must be at least one row and one model to plot.")
    with house_style():
        _, (ax,) = new_axes(4.4, EDGES + ROW * len(labels))
        _draw(ax, labels, scores)
        ax.set_xlim(left=0)
        ax.set_xlabel(xlabel)
        ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=3, frameon=False)
    return ax


def plot_dot_panels(
    labels: Sequence[str],
    panels: Mapping[str, Mapping[str, Sequence[Estimate]]],
    xlabel: str,
    columns: int | None = None,
) -> "list[Axes]":
    """Draw one panel per mapping of scores, titled by name, with the same rows and scale.

    Scores may be negative: a line marks 0.
    """
    if not labels or not panels:
        raise InputError("There must be at least one row and one panel to plot.")
    from matplotlib.figure import Figure

    columns = min(columns or near_square(len(panels)), len(panels))
    rows = ceil(len(panels) / columns)
    height = EDGES + ROW * len(labels)
    with house_style():
        figure = Figure((MARGIN + WIDTH * columns, height * rows), 200, layout="constrained")
        grid = figure.subplots(rows, columns, squeeze=False, sharex=True, sharey=True).ravel()
        axes: list[Axes] = list(grid[: len(panels)])
        for extra in grid[len(panels) :]:
            extra.remove()
        for index, (ax, (name, scores)) in enumerate(zip(axes, panels.items(), strict=True)):
            _draw(ax, labels, scores)
            ax.axvline(0, color=GREY, lw=0.7, zorder=1)
            ax.set_title(name, parse_math=False)
            if index + columns >= len(panels):
                ax.set_xlabel(xlabel)
                ax.tick_params(labelbottom=True)
    share_legend(axes)
    return axes


def _draw(ax: "Axes", labels: Sequence[str], scores: Mapping[str, Sequence[Estimate]]) -> None:
    """Draw a row for each label and a dot for each model."""
    rows = np.arange(len(labels), dtype=float)
    for index, (name, found) in enumerate(scores.items()):
        colour, marker = look(index)
        at = rows + APART * (index - (len(scores) - 1) / 2)
        value, low, high = (
            np.array([getattr(e, field) for e in found], float)
            for field in ("value", "low", "high")
        )
        ax.hlines(at, low, high, color=colour, lw=0.9, alpha=0.7)
        points: dict[str, Any] = {"marker": marker, "ms": 3.0, "mew": 0, "lw": 0, "zorder": 3}
        ax.plot(value, at, color=colour, label=name, clip_on=False, **points)
    ax.set_yticks(rows, list(labels), parse_math=False)
    ax.set_ylim(len(labels) - 0.4, -0.6)
    ax.grid(axis="x", color=GREY, alpha=0.2, lw=0.5)
