"""Small multiples: the calibration curves of classes, one panel each."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from calibrant.calibration.analyses.classes import ClassScores
from calibrant.calibration.curves import Curve
from calibrant.checks.arrays import Label
from calibrant.plots.calibration import plot_panels

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLUMNS = 4
TICKS = (0.0, 0.5, 1.0)


def plot_classes(found: ClassScores, curves: Mapping[Label, Curve]) -> "list[Axes]":
    """Draw the curves of some classes; each panel tells the class, its frequency and its score."""
    decimals = found.decimals
    titled = {}
    for label, curve in curves.items():
        estimate = found[label]
        score = f"{estimate.score.split('(')[0]} {estimate.text('value', decimals)}"
        titled[f"{label} ({_percent(found.frequency(label))})\n{score}"] = curve
    axes = plot_panels(titled, COLUMNS, side=1.9)
    for ax in axes:
        ax.set_xticks(TICKS)
        ax.set_yticks(TICKS)
        ax.tick_params(labelbottom=bool(ax.get_xlabel()), labelleft=bool(ax.get_ylabel()))
    return axes


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %" if share >= 0.1 else f"{100 * share:.2g} %"
