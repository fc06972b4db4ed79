"""The demo: one forecaster that can be trusted and one that cannot."""

from dataclasses import dataclass
from pathlib import Path

from calibrant.curves import AdaptiveBins
from calibrant.estimate import Estimates
from calibrant.plots import plot_panels, save_figure
from calibrant.scores import Brier, CalibScore
from calibrant.synthetic import calibrated, inward, sample
from calibrant.verbs import curve, score

N = 7152
SIZE = 400
READ_ME = """\
Both forecasters predict equally sharply, and neither knows the outcomes. CalibScore is the
typical distance between a probability and how often the event then happens: about 0 for the
first, whose interval starts at 0 (a calibrated model could have made these data), about 0.1
for the second. Its curve lies above the dashed line on the left and below it on the right:
what it calls unlikely happens more often than it says, what it calls likely less often."""


@dataclass(frozen=True, slots=True)
class Demo:
    """What the demo shows."""

    estimates: dict[str, Estimates]
    figure: Path

    def table(self) -> tuple[list[str], list[list[str]]]:
        """Header and rows, one row per forecaster and score."""
        rows: list[list[str]] = []
        for name, estimates in self.estimates.items():
            header, cells = estimates.table()
            rows += [[name, *row] for row in cells]
        return ["forecaster", *header], rows


def run_demo(figure: str | Path) -> Demo:
    """Score two synthetic forecasters and draw their curves."""
    forecasters = {
        "calibrated": calibrated(N, seed=1),
        "too extreme": sample(N, inward(0.1), seed=1),
    }
    scores = [CalibScore(size=SIZE), Brier()]
    curves = {name: curve(pairs, AdaptiveBins(size=SIZE)) for name, pairs in forecasters.items()}
    panels = plot_panels(curves)
    return Demo(
        {name: score(pairs, scores) for name, pairs in forecasters.items()},
        save_figure(panels[0], figure),
    )
