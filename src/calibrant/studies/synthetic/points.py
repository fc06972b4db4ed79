"""The points of figures 4.7 to 4.11: scores of synthetic data."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from calibrant.calibration.scores import CalibScore
from calibrant.pairs import Pairs
from calibrant.studies.sections import Section
from calibrant.studies.synthetic.plan import Setting, SyntheticPlan


class PointRow(NamedTuple):
    """One point of one figure."""

    figure: str
    setting: Setting
    n: int
    size: int
    plugin: float
    debiased: float
    truth: float

    @property
    def beta(self) -> dict[str, float]:
        """The parameters of the Beta distribution, by name."""
        return dict(zip("ab", self.setting.beta, strict=True))


def computed(plan: SyntheticPlan) -> Iterator[PointRow]:
    """Compute all points; bin sizes share a data set, sample sizes have separate ones."""
    truths: dict[Setting, float] = {}
    held: tuple[Setting, int] | None = None
    pairs: Pairs | None = None
    for figure, setting, n, size in plan.points():
        if pairs is None or held != (setting, n):
            held, pairs = (setting, n), setting.draw(n, plan.seed)
        if setting not in truths:
            truths[setting] = setting.truth
        by = CalibScore(size=size)
        evidence = by.evidence(pairs)
        scores = by.plugin(evidence), by.value(evidence)
        yield PointRow(figure, setting, n, size, *scores, truths[setting])


def figure_sections(rows: Sequence[PointRow]) -> list[Section[PointRow]]:
    """The numbers of each figure, as tables that the report leaves out."""
    return [
        Section(
            name=f"figure-{figure}",
            title=f"The numbers of figure {figure}",
            columns={
                "figure": "figure",
                "beta": "beta_{}",
                "setting.direction": "forecaster",
                "setting.k": "k",
                "n": "n",
                "size": "bin_size",
                "plugin": "plugin",
                "debiased": "debiased",
                "truth": "truth",
            },
            rows=[row for row in rows if row.figure == figure],
            in_report=False,
        )
        for figure in dict.fromkeys(row.figure for row in rows)
    ]
