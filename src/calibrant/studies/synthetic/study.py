"""The synthetic study, which reproduces figures 4.7 to 4.11 of the thesis."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from calibrant.plots import Sweep, plot_sweep
from calibrant.studies.progress import QUIET, Progress
from calibrant.studies.sections import Draft, Drawn, Study
from calibrant.studies.synthetic.plan import BY_SIZE, Setting, SyntheticPlan
from calibrant.studies.synthetic.points import PointRow, computed, figure_sections
from calibrant.studies.synthetic.ranges import ComparisonRow, beta_name, comparisons
from calibrant.studies.writing import run_study

FIRST = "4.7"  # the figure with ranges and printed values


def run_synthetic(plan: SyntheticPlan, folder: str | Path, progress: Progress = QUIET) -> Study:
    """Reproduce figures 4.7 to 4.11, and compare them with the printed values."""
    return run_study(folder, progress, lambda: _look(plan, progress))


def _look(plan: SyntheticPlan, progress: Progress) -> Draft:
    count = sum(1 for _ in plan.points())
    points = list(progress.track(computed(plan), count, "points of the figures"))
    compared = comparisons(plan, progress)
    return Draft(
        title="Synthetic data: bin size and sample size against the score",
        sections=[compared, *figure_sections(points)],
        findings=_findings(plan, compared.rows),
        facts={
            "study": "synthetic",
            "replicates": plan.replicates,
            "level": plan.level,
            "seed": plan.seed,
        },
        figures=_figures(plan, points, compared.rows),
    )


def _findings(plan: SyntheticPlan, rows: Sequence[ComparisonRow]) -> list[str]:
    """How many printed values are consistent with each distribution."""
    return [
        f"{beta_name(beta)}: {sum(beta in row.fits for row in rows)} of {len(rows)} printed values "
        f"lie within its range."
        for beta in plan.betas
    ]


def _figures(
    plan: SyntheticPlan, points: Sequence[PointRow], compared: Sequence[ComparisonRow]
) -> list[Drawn]:
    drawn = []
    for figure in dict.fromkeys(point.figure for point in points):
        mine = [point for point in points if point.figure == figure]
        by_size = figure in BY_SIZE
        ax = plot_sweep(
            _first_sweeps(plan, mine, compared) if figure == FIRST else _sweeps(mine, by_size),
            "bin size" if by_size else "sample size $n$ (bin size $\\sqrt{n}$)",
            "CalibScore (plug-in)" if figure == FIRST else "CalibScore",
            log=figure == FIRST,
        )
        what = "bin size" if by_size else "sample size"
        drawn.append(Drawn(f"figure-{figure}", f"Figure {figure}: score by {what}", ax))
    return drawn


def _by_setting(points: Sequence[PointRow]) -> dict[Setting, list[PointRow]]:
    found: dict[Setting, list[PointRow]] = {}
    for point in points:
        found.setdefault(point.setting, []).append(point)
    return found


def _first_sweeps(
    plan: SyntheticPlan, points: Sequence[PointRow], compared: Sequence[ComparisonRow]
) -> dict[str, Sweep]:
    """Figure 4.7: a line and a range for each distribution, and the printed values."""
    printed = [row for row in compared if row.published.figure == FIRST]
    sweeps = {}
    for setting, mine in _by_setting(points).items():
        ranges = [row.ranges[setting.beta] for row in printed]
        sweeps[beta_name(setting.beta)] = Sweep(
            np.array([point.size for point in mine], float),
            np.array([point.plugin for point in mine]),
            np.array([each.low for each in ranges]),
            np.array([each.high for each in ranges]),
        )
    values = [at for at in plan.published if at.figure == FIRST]
    sweeps["printed in the thesis"] = Sweep(
        np.array([at.size for at in values], float),
        np.array([at.low for at in values]),
        joined=False,
    )
    return sweeps


def _sweeps(points: Sequence[PointRow], by_size: bool) -> dict[str, Sweep]:
    """The lines of the other figures: two for a calibrated forecaster, one for each other."""
    sweeps = {}
    for setting, mine in _by_setting(points).items():
        x = np.array([point.size if by_size else point.n for point in mine], float)
        plugin = np.array([point.plugin for point in mine])
        if setting.k == 0:
            debiased = np.array([point.debiased for point in mine])
            sweeps["plug-in"] = Sweep(x, plugin)
            sweeps["debiased"] = Sweep(x, debiased, truth=0.0)
        else:
            sweeps[setting.name] = Sweep(x, plugin, truth=mine[0].truth)
    return sweeps
