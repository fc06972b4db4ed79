"""Figures, on your axes or on new ones. Plots only draw; they compute nothing.

`CalibrationDisplay` is made for users of scikit-learn: it fits a curve first, as `curve` does.
"""

from calibrant.plots.bandwidths import plot_bandwidths
from calibrant.plots.calibration import plot_curve, plot_curves, plot_panels
from calibrant.plots.classes import plot_classes
from calibrant.plots.continuous import plot_coverage, plot_histogram, plot_quantiles
from calibrant.plots.decomposition import plot_decomposition
from calibrant.plots.description import plot_description
from calibrant.plots.displays import CalibrationDisplay
from calibrant.plots.dots import plot_dot_panels, plot_dots
from calibrant.plots.files import save_figure
from calibrant.plots.structures.mentions import plot_mentions
from calibrant.plots.structures.parses import plot_parse
from calibrant.plots.sweeps import Sweep, plot_sweep, plot_sweep_panels

__all__ = [
    "CalibrationDisplay",
    "Sweep",
    "plot_bandwidths",
    "plot_classes",
    "plot_coverage",
    "plot_curve",
    "plot_curves",
    "plot_decomposition",
    "plot_description",
    "plot_dot_panels",
    "plot_dots",
    "plot_histogram",
    "plot_mentions",
    "plot_panels",
    "plot_parse",
    "plot_quantiles",
    "plot_sweep",
    "plot_sweep_panels",
    "save_figure",
]
