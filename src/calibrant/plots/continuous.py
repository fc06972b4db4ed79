"""Figures of the quantiles of observations: histogram, curve and coverage."""

from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant.calibration.numbers import Coverage, Histogram, QuantileCurve
from calibrant.plots.style import DASHED, GREY, SIDE, house_style, look, new_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FEW = 40  # points: with more, markers would overlap


def plot_histogram(found: Histogram, ax: "Axes | None" = None) -> "Axes":
    """Draw the height of each bin, 1 for a calibrated model, with the band around 1."""
    edges = np.append(found.start, found.end[-1])
    with house_style():
        if ax is None:
            _, (ax,) = new_axes(3.6, 2.6)
        ax.stairs(found.height, edges, fill=True, color=look(0)[0], alpha=0.45, lw=0)
        band: dict[str, Any] = {
            "baseline": found.floor,
            "fill": True,
            "color": GREY,
            "alpha": 0.3,
            "lw": 0,
        }
        ax.stairs(found.ceiling, edges, **band)
        ax.stairs(found.height, edges, color=look(0)[0], lw=1.2)
        ax.axhline(1.0, ls=DASHED, lw=0.9, color=GREY)
        ax.set_xlim(-0.02, 1.02)
        ax.set_ylim(0, 1.05 * max(found.height.max(), found.ceiling.max()))
        ax.set_xlabel("quantile of the truth $u = F(y)$")
        ax.set_ylabel("count / expected")
    return ax


def plot_quantiles(found: QuantileCurve, ax: "Axes | None" = None) -> "Axes":
    """Draw the share below each quantile, or their difference, over the band."""
    colour, marker = look(0)
    with house_style():
        if ax is None:
            _, (ax,) = new_axes(3.6, 2.6) if found.centred else new_axes(SIDE, SIDE)
        ax.plot([0, 1], [0, 0 if found.centred else 1], ls=DASHED, lw=0.9, color=GREY, zorder=1)
        x = np.concatenate([[0.0], found.quantile, [1.0]])
        top = 0.0 if found.centred else 1.0
        low, high, share = (
            np.concatenate([[0.0], each, [top]]) for each in (found.low, found.high, found.share)
        )
        ax.fill_between(x, low, high, color=GREY, alpha=0.25, lw=0, zorder=2)
        marked = marker if len(found) <= FEW else ""
        ax.plot(x, share, color=colour, marker=marked, ms=3, mew=0, lw=1.2, zorder=3)
        ax.set_xlim(-0.02, 1.02)
        ax.set_xticks(np.linspace(0, 1, 6))
        ax.set_xlabel("predicted quantile")
        ax.set_ylabel("share below − quantile" if found.centred else "share of $y$ below")
        if not found.centred:
            ax.set_ylim(-0.02, 1.02)
            ax.set_yticks(np.linspace(0, 1, 6))
            ax.set_aspect("equal", adjustable="box")
    return ax


def plot_coverage(found: Coverage, ax: "Axes | None" = None) -> "Axes":
    """Draw observed coverage against the nominal level, with its intervals."""
    colour, marker = look(0)
    with house_style():
        if ax is None:
            _, (ax,) = new_axes(SIDE, SIDE)
        ax.plot([0, 1], [0, 1], ls=DASHED, lw=0.9, color=GREY, zorder=1)
        reach = np.array([found.observed - found.low, found.high - found.observed])
        look_of_points: dict[str, Any] = {"marker": marker, "ms": 3.6, "mew": 0, "zorder": 3}
        look_of_lines: dict[str, Any] = {"color": colour, "lw": 1.0, "elinewidth": 0.8}
        ax.errorbar(found.nominal, found.observed, reach, **look_of_points, **look_of_lines)
        ax.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02))
        ax.set_xticks(np.linspace(0, 1, 6))
        ax.set_yticks(np.linspace(0, 1, 6))
        ax.set_aspect("equal", adjustable="box")
        ax.set_xlabel("nominal coverage")
        ax.set_ylabel("observed coverage")
    return ax
