"""Small multiples: the calibration curves of classes, one panel each."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from calibrant.calibration.analyses.classes import ClassScores
from calibrant.calibration.curves import Curve
from calibrant.checks.arrays import Label
from calibrant.checks.parameters import whole_number
from calibrant.plots.calibration import plot_panels
from calibrant.plots.grid import near_square

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SIDE, COLUMNS = 1.9, 4  # size of a panel in inches, and panels per page width
TICKS = (0.0, 0.5, 1.0)  # more labels would overlap in small panels


@dataclass(frozen=True, slots=True, eq=False)
class ClassCurves:
    """The scores of classes, and a function that computes the curve of each."""

    found: ClassScores
    curve: Callable[[Label], Curve]


def plot_classes(classes: ClassCurves, count: int = 12) -> "list[Axes]":
    """Draw the worst `count` classes; each panel shows the class, its frequency and its score."""
    worst = islice(classes.found.scores, whole_number("count", count, 1))
    titled = {_title(classes.found, label): classes.curve(label) for label in worst}
    axes = plot_panels(titled, min(near_square(len(titled)), COLUMNS), SIDE)
    for ax in axes:
        ax.set_xticks(TICKS)
        ax.set_yticks(TICKS)
        ax.tick_params(labelbottom=bool(ax.get_xlabel()), labelleft=bool(ax.get_ylabel()))
    return axes


def _title(found: ClassScores, label: Label) -> str:
    estimate = found[label]
    name, _, _ = estimate.score.partition("(")
    value = estimate.text("value", found.decimals)
    return f"{label} ({_percent(found.frequency(label))})\n{name} {value}"


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %" if share >= 0.1 else f"{100 * share:.2g} %"
