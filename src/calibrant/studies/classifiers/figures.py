"""The figures of the study of classifiers."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from calibrant.calibration.curves import AdaptiveBins, Curve
from calibrant.plots import Sweep, plot_panels, plot_sweep_panels
from calibrant.studies.classifiers.gains import GainRow
from calibrant.studies.classifiers.judged import LEVEL
from calibrant.studies.classifiers.predicted import Predicted
from calibrant.studies.language_models.judged import round_numbers
from calibrant.studies.sections import Drawn

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BINS = AdaptiveBins(count=10)
COLUMNS = 4
FEWEST = 2  # sizes for a line, and classifiers for a figure
LINES = (  # Beta and Spline are left out: they are much like Platt
    "Temperature",
    "Platt",
    "Isotonic",
    "auto",
    "Platt, not pulled",
    "Isotonic, not pulled",
)


def draw_curves(predicted: Sequence[Predicted]) -> Drawn:
    """How often the answer is yes against the probability as it comes, a panel per classifier."""
    panels: dict[str, Curve | Mapping[str, Curve]] = {}
    with round_numbers():
        for classifier in dict.fromkeys(each.classifier for each in predicted):
            mine = [each for each in predicted if each.classifier == classifier]
            panels[classifier] = {each.task: BINS.fit(each.as_is, LEVEL, None, 0) for each in mine}
    words = "How often the answer is yes, against the probability as it comes, bins of a tenth"
    return Drawn("curves", words, plot_panels(panels, COLUMNS)[0])


def draw_gains(rows: Sequence[GainRow]) -> Iterator[Drawn]:
    """The gain of each method against the size of the calibration set, a figure per task."""
    for task in dict.fromkeys(row.task for row in rows):
        mine = [row for row in rows if row.task == task]
        if min(len({row.size for row in mine}), len({row.classifier for row in mine})) < FEWEST:
            continue
        panels = {
            classifier: {
                method: _sweep(
                    [r for r in mine if (r.classifier, r.method) == (classifier, method)]
                )
                for method in LINES
            }
            for classifier in dict.fromkeys(row.classifier for row in mine)
        }
        words = (
            f"{task}: the percentage by which maps lower the Brier score of test items, against "
            "the number of calibration items; below 0 they do harm"
        )
        yield Drawn(f"gains-{task.replace(' ', '-').lower()}", words, _panels(panels))


def _panels(panels: Mapping[str, Mapping[str, Sweep]]) -> "Axes":
    """A panel per classifier, each on a scale of its own: gains are of very different sizes."""
    axes = plot_sweep_panels(panels, "calibration items", "Brier lower by (%)", COLUMNS)
    for ax, sweeps in zip(axes, panels.values(), strict=True):
        ax.set_xscale("log")
        sizes = sorted({int(x) for sweep in sweeps.values() for x in sweep.x})
        ax.set_xticks(sizes, [str(size) for size in sizes])
        ax.set_xticks([], minor=True)
        ax.axhline(0, color="0.4", lw=0.7, zorder=1)
        values = np.concatenate([[0.0], *(sweep.score for sweep in sweeps.values())])
        margin = 0.05 * max(float(np.ptp(values)), 1.0)
        ax.set_ylim(float(values.min()) - margin, float(values.max()) + margin)
    return axes[0]


def _sweep(rows: Sequence[GainRow]) -> Sweep:
    return Sweep(
        np.array([row.size for row in rows], float), np.array([-row.share for row in rows])
    )
