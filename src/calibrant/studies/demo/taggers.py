"""The second part of the demo: three taggers asked about the verbs of tweets."""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from calibrant.calibration.curves import AdaptiveBins
from calibrant.calibration.scores import Brier, CalibScore
from calibrant.pairs import Pairs
from calibrant.plots import plot_panels, save_figure
from calibrant.results.estimate import Estimates
from calibrant.verbs import curve, score

SIZE = 400  # pairs per bin, as in the study of tweets in the thesis
READ_ME = """\
Three taggers were asked of every word of 500 tweets whether it is a verb. CalibScore is the
typical distance between the probability they gave and how often it then was one: smaller is
better, and an interval that starts at 0 means that this score shows no miscalibration.
Brier is the mean squared error, which also counts how much they know.

HMM, a hidden Markov model, lies above the dashed line at the left: what it calls unlikely
happens more often than it says. CRF-Basic, a conditional random field that sees the word alone,
is underconfident: below the line at the left and above it at the right, it stays too close to
the middle. CRF-Advanced, which also sees spelling and neighbours, stays on the line: its
probabilities can be taken at their word. The blue bars show how often each probability was
given."""


@dataclass(frozen=True, slots=True)
class Demo:
    """The results of the demo."""

    estimates: dict[str, Estimates]
    figure: Path

    def table(self) -> tuple[list[str], list[list[str]]]:
        """Header and rows, one row per tagger and score."""
        rows: list[list[str]] = []
        for name, estimates in self.estimates.items():
            header, cells = estimates.table()
            rows += [[name, *row] for row in cells]
        return ["tagger", *header], rows


def tweets() -> Mapping[str, Pairs]:
    """The answers of three taggers to "is this word a verb?"; sentences are groups."""
    import polars

    with resources.as_file(resources.files("calibrant.data") / "tweets.parquet") as path:
        frame = polars.read_parquet(path)
    models = frame.columns[2:]
    y, group = frame["y"].to_numpy(), frame["sentence"].to_numpy()
    return {name: Pairs(y, frame[name].to_numpy(), group=group) for name in models}


def run_demo(figure: str | Path) -> Demo:
    """Score the taggers and draw their curves."""
    taggers = tweets()
    scores = [CalibScore(size=SIZE), Brier()]
    curves = {name: curve(pairs, AdaptiveBins(size=SIZE)) for name, pairs in taggers.items()}
    panels = plot_panels(curves)
    return Demo(
        {name: score(pairs, scores) for name, pairs in taggers.items()},
        save_figure(panels[0], figure),
    )
