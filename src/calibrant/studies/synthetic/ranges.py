"""Simulate ranges for the values printed in the thesis."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from calibrant.calibration.scores import CalibScore
from calibrant.studies.progress import Progress
from calibrant.studies.published import Published
from calibrant.studies.sections import Section
from calibrant.studies.synthetic.plan import (
    CALIBRATED,
    INWARD,
    OUTWARD,
    Beta,
    Setting,
    SyntheticPlan,
)

APART = 1_000_000  # added to the seed, so that ranges use other data than the figures


class Range(NamedTuple):
    """The range that contains most simulated scores."""

    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.low:.4f}-{self.high:.4f}"


class ComparisonRow(NamedTuple):
    """A printed value and its simulated ranges."""

    published: Published
    direction: str
    ranges: Mapping[Beta, Range]

    @property
    def forecaster(self) -> str:
        """The direction and size of the errors of the forecaster."""
        return CALIBRATED if self.published.k == 0 else f"{self.direction} {self.published.k:g}"

    @property
    def shown(self) -> dict[str, str]:
        """The ranges as text, by the name of the distribution."""
        return {beta_name(beta): str(each) for beta, each in self.ranges.items()}

    @property
    def fits(self) -> list[Beta]:
        """The Beta distributions whose range contains the printed value."""
        at = self.published
        slack = _rounding(at)
        return [
            beta
            for beta, its in self.ranges.items()
            if its.low <= at.high + slack and at.low - slack <= its.high
        ]

    @property
    def fitting(self) -> str:
        """The names of these distributions."""
        return ", ".join(f"({a:g}, {b:g})" for a, b in self.fits) or "none"


def beta_name(beta: Beta) -> str:
    """The name of a distribution.

    >>> beta_name((0.2, 0.5))
    'Beta(0.2, 0.5)'
    """
    return "Beta({:g}, {:g})".format(*beta)


def _rounding(at: Published) -> float:
    """Half of the last printed digit."""
    digits = 4 if at.low < 0.01 else 3 if at.low < 0.2 else 2
    return 0.5 * 10.0**-digits


class Task(NamedTuple):
    """A forecaster, and the printed values to simulate for it."""

    setting: Setting
    n: int
    wanted: Sequence[Published]


class Simulated(NamedTuple):
    """One score of one simulation."""

    setting: Setting
    published: Published
    score: float


def comparisons(plan: SyntheticPlan, progress: Progress) -> Section[ComparisonRow]:
    """Simulate the range of each printed value, for each distribution and direction."""
    tasks = _tasks(plan)
    scores: dict[tuple[str, Published], dict[Beta, list[float]]] = {}
    total = len(tasks) * plan.replicates
    for step in progress.track(_simulate(plan, tasks), total, "simulated ranges"):
        for each in step:
            key = each.setting.direction, each.published
            scores.setdefault(key, {}).setdefault(each.setting.beta, []).append(each.score)
    rows = [
        ComparisonRow(at, direction, {beta: _range(plan, its) for beta, its in found.items()})
        for (direction, at), found in scores.items()
    ]
    return Section(
        name="comparison",
        title="Printed values beside simulated ranges",
        columns={
            "published.figure": "figure",
            "forecaster": "forecaster",
            "published.n": "n",
            "published.size": "bin size",
            "published.text": "printed",
            "shown": "{}",
            "fitting": "fits",
        },
        rows=rows,
        text=f"The plug-in CalibScore that the thesis printed, and the range that "
        f"{100 * plan.level:g} % of {plan.replicates} simulated ones lie in, by the distribution "
        "of the predictions.",
    )


def _range(plan: SyntheticPlan, scores: Sequence[float]) -> Range:
    tail = (1 - plan.level) / 2
    low, high = np.quantile(scores, [tail, 1 - tail])
    return Range(float(low), float(high))


def _tasks(plan: SyntheticPlan) -> list[Task]:
    """Group printed values of the same data, which differ only in bin size."""
    together: dict[tuple[str, float, int], list[Published]] = {}
    for at in plan.published:
        for direction in (CALIBRATED,) if at.k == 0 else (INWARD, OUTWARD):
            together.setdefault((direction, at.k, at.n), []).append(at)
    return [
        Task(Setting(beta, direction, k), n, wanted)
        for (direction, k, n), wanted in together.items()
        for beta in plan.betas
    ]


def _simulate(plan: SyntheticPlan, tasks: Sequence[Task]) -> Iterator[list[Simulated]]:
    for setting, n, wanted in tasks:
        for replicate in range(plan.replicates):
            pairs = setting.draw(n, plan.seed + APART + replicate)
            yield [
                Simulated(setting, at, CalibScore(size=at.size, debiased=False)(pairs))
                for at in wanted
            ]
