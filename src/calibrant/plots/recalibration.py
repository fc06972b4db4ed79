"""A map of probabilities: the calibration curve before and after it, and the map with its band."""

from typing import TYPE_CHECKING

from calibrant.calibration.recalibration.drawn import Band
from calibrant.calibration.recalibration.recalibrator import Recalibrator
from calibrant.plots.calibration import EDGE, plot_curves
from calibrant.plots.style import DASHED, GREY, SIDE, house_style, look, new_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_recalibrator(found: Recalibrator) -> "list[Axes]":
    """Draw both curves, of unseen pairs, and beside them the map, if it is of single events."""
    band = found.band
    many = 1 if band is None else 2
    _, panels = new_axes(SIDE, SIDE * (1 + EDGE), many)
    plot_curves(found.curves, panels[0])
    if band is None:
        panels[0].set_xlabel("confidence in the most probable class")
        panels[0].set_ylabel("how often it is right")
    else:
        _plot_band(band, found.method, panels[1])
    return panels


def _plot_band(band: Band, method: str, ax: "Axes") -> None:
    colour = look(1)[0]
    with house_style():
        ax.plot([0, 1], [0, 1], ls=DASHED, lw=0.9, color=GREY, zorder=1)
        ax.fill_between(band.q, band.low, band.high, color=colour, alpha=0.2, lw=0)
        ax.plot(band.q, band.p, color=colour, lw=1.3)
        ax.set(xlim=(-0.02, 1.02), ylim=(-0.02 - EDGE, 1.02))
        ax.set_aspect("equal", adjustable="box")
        ax.set_xlabel("prediction $q$")
        ax.set_ylabel("recalibrated prediction")
        ax.set_title("left as it is" if method == "none" else method)
