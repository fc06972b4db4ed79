"""Shares over time, or of categories, with their intervals and the naive shares."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from calibrant.calibration.counting.counts import Count, Counts
from calibrant.errors import InputError
from calibrant.plots.style import COLOURS, GREY, house_style, new_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Float = NDArray[np.float64]
MOST_TICKS = 12
WIDTH, HEIGHT = 4.4, 2.7


def plot_counts(found: Counts, ax: "Axes | None" = None) -> "Axes":
    """Draw shares as a line with a band if categories are periods, or else as dots with bars."""
    rows = [each for each in found.categories if each.share is not None]
    if not rows:
        raise InputError("No share can be estimated, so there is nothing to draw.")
    with house_style():
        if ax is None:
            _, (ax,) = new_axes(WIDTH, HEIGHT)
        times = np.array(found.times or range(len(found.categories)), np.float64)
        known = np.array([each.share is not None for each in found.categories])
        x = times[known]
        share, low, high = (_column(rows, name) for name in ("share", "low", "high"))
        label = f"{found.estimator}, {100 * found.level:g} % interval"
        if found.times:
            ax.fill_between(x, low, high, color=COLOURS[0], alpha=0.22, lw=0)
            ax.plot(x, share, "o-", color=COLOURS[0], ms=3, lw=1.2, label=label)
        else:
            sides = np.vstack([share - low, high - share])
            ax.errorbar(x, share, sides, fmt="o", color=COLOURS[0], ms=4, capsize=2, label=label)
        naive = _column(rows, "naive_share")
        if not np.isnan(naive).all():
            ax.plot(x, naive, "x", color=GREY, ms=4, label="best guesses")
        _name_ticks(ax, times, [each.name for each in found.categories], bool(found.times))
        top = np.nanmax(np.concatenate([high, share, naive]))
        ax.set_ylim(0, 1.08 * float(top) if top > 0 else 1.0)
        ax.set_ylabel("share")
        ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2, frameon=False)
    return ax


def _column(rows: list[Count], name: str) -> Float:
    values = [getattr(each, name) for each in rows]
    return np.array([np.nan if each is None else each for each in values], np.float64)


def _name_ticks(ax: "Axes", times: Float, names: list[str], dated: bool) -> None:
    """Name every category, or every few if they are many."""
    every = -(-len(names) // MOST_TICKS)
    crowded = sum(map(len, names[::every])) > 45
    ax.set_xticks(
        times[::every],
        names[::every],
        rotation=45 if crowded else 0,
        ha="right" if crowded else "center",
    )
    if not dated:
        ax.margins(x=0.1)
