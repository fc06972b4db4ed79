"""A score against bin size or sample size."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from calibrant.errors import InputError
from calibrant.plots.grid import near_square, new_grid, share_legend
from calibrant.plots.style import DASHED, GREY, house_style, look, new_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Float = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Sweep:
    """Scores at each x, with an optional range at each and the true value.

    Attributes
    ----------
    x
        Bin sizes or sample sizes.
    score
        The score at each.
    low, high
        The ends of a range at each x, drawn as a band.
    truth
        The true value, drawn as a dashed line.
    joined
        Whether a line joins the points.
    """

    x: Float
    score: Float
    low: Float | None = None
    high: Float | None = None
    truth: float | None = None
    joined: bool = True


def plot_sweep(
    sweeps: Mapping[str, Sweep],
    xlabel: str = "",
    ylabel: str = "CalibScore",
    ax: "Axes | None" = None,
    log: bool = False,
) -> "Axes":
    """Draw scores against x, one line per sweep; `log` makes both axes logarithmic."""
    if not sweeps:
        raise InputError("There must be at least one sweep to plot.")
    with house_style():
        if ax is None:
            _, (ax,) = new_axes(4.2, 3.0)
        for index, (name, sweep) in enumerate(sweeps.items()):
            colour, marker = look(index)
            if sweep.low is not None and sweep.high is not None:
                ax.fill_between(sweep.x, sweep.low, sweep.high, color=colour, alpha=0.18, lw=0)
            line: dict[str, Any] = (
                {"lw": 1.0, "mew": 0.0} if sweep.joined else {"lw": 0.0, "mew": 1.2}
            )
            ax.plot(sweep.x, sweep.score, color=colour, marker=marker, ms=3, label=name, **line)
            if sweep.truth is not None:
                ax.axhline(sweep.truth, color=colour, ls=DASHED, lw=0.8)
        if log:
            ax.set_xscale("log", base=2)
            ax.set_yscale("log")
        else:
            ax.set_ylim(bottom=0)
        ax.set_xlabel(xlabel)
        ax.set_ylabel(ylabel)
        ax.grid(axis="y", color=GREY, alpha=0.2, lw=0.5)
        if any(sweeps):
            columns = min(3, len(sweeps))
            ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=columns, frameon=False)
    return ax


def plot_sweep_panels(
    panels: Mapping[str, Mapping[str, Sweep]],
    xlabel: str = "",
    ylabel: str = "CalibScore",
    columns: int | None = None,
    side: float = 2.7,
) -> "list[Axes]":
    """Draw one panel per mapping of sweeps, titled by name, on the same scale."""
    if not panels:
        raise InputError("There must be at least one panel to plot.")
    columns = min(columns or near_square(len(panels)), len(panels))
    axes = new_grid(len(panels), columns, side)
    with house_style():
        for index, (ax, (name, sweeps)) in enumerate(zip(axes, panels.items(), strict=True)):
            first, last = not index % columns, index + columns >= len(panels)
            plot_sweep(sweeps, xlabel if last else "", ylabel if first else "", ax)
            ax.set_title(name, parse_math=False)
        ends = [_reach(sweep) for sweeps in panels.values() for sweep in sweeps.values()]
        low, high = min(0.0, *(low for low, _ in ends)), max(high for _, high in ends)
        for ax in axes:
            ax.set_ylim(low, 1.05 * high)
    share_legend(axes)
    return axes


def _reach(sweep: Sweep) -> tuple[float, float]:
    """The smallest and the largest value that a sweep draws."""
    low, high = (sweep.score if each is None else each for each in (sweep.low, sweep.high))
    return float(np.nanmin(low)), float(np.nanmax(high))
