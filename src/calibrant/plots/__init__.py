"""Pictures, on axes you pass or new ones. A plot computes nothing."""

from calibrant.plots.calibration import plot_curve, plot_curves, plot_panels
from calibrant.plots.files import save_figure
from calibrant.plots.sweeps import Sweep, plot_sweep

__all__ = ["Sweep", "plot_curve", "plot_curves", "plot_panels", "plot_sweep", "save_figure"]
