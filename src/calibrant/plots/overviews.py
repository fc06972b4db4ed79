"""The default picture of pairs: a smooth curve with its band, bins as dots, and the score."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from calibrant.bridges.overview import Overview
from calibrant.errors import ParameterError
from calibrant.plots.calibration import draw_dots, in_panels, plot_curves
from calibrant.plots.style import GREY, house_style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

CORNER = 0.04, 0.97, "left", "top"  # where the score is
OTHER_CORNER = 0.97, 0.17, "right", "bottom"  # where it is if the legend is in the first


def plot_overviews(
    overviews: Mapping[str, Overview], ax: "Axes | None" = None, panels: bool = False
) -> "Axes | list[Axes]":
    """Draw pairs on the same axes, or each in a panel of its own."""
    if not panels:
        return _on_axes(overviews, ax)
    if ax is not None:
        raise ParameterError("Panels are drawn in a new figure: leave ax out.")
    return in_panels(list(overviews), lambda name, panel: _on_axes({"": overviews[name]}, panel))


def _on_axes(overviews: Mapping[str, Overview], ax: "Axes | None") -> "Axes":
    """The smooth curves, or bins where there are none; the bins of a single one; its score."""
    drawn = {name: each.smooth or each.bins for name, each in overviews.items()}
    ax = plot_curves(drawn, ax)
    if len(overviews) > 1:
        return ax
    (only,) = overviews.values()
    with house_style():
        if only.smooth is not None:
            draw_dots(ax, only.bins)
        told = f"{only.score.score} {only.score.text('value')}\n{only.score.interval}".rstrip()
        x, y, ha, va = CORNER if ax.get_legend() is None else OTHER_CORNER
        ax.text(x, y, told, transform=ax.transAxes, color=GREY, fontsize="small", ha=ha, va=va)
    return ax
