"""The loss of each bandwidth in cross-validation."""

from typing import TYPE_CHECKING

from calibrant.calibration.curves import CrossValidation
from calibrant.plots.style import DASHED, GREY, house_style, look, new_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_bandwidths(found: CrossValidation, ax: "Axes | None" = None) -> "Axes":
    """Draw the loss against the bandwidth, and mark the best."""
    with house_style():
        if ax is None:
            _, (ax,) = new_axes(3.6, 2.6)
        colour, marker = look(0)
        ax.plot(found.bandwidth, found.loss, color=colour, marker=marker, ms=3, lw=1.0, mew=0)
        ax.axvline(found.best, color=GREY, ls=DASHED, lw=0.9)
        ax.set_xscale("log")
        ax.set_xlabel(f"bandwidth (best {found.best:.3g})")
        ax.set_ylabel(f"loss on {found.left_out} left out")
    return ax
