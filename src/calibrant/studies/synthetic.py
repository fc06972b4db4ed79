"""The synthetic study: what bin size and sample size do to the score (figures 4.7 to 4.11)."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import product
from math import isqrt
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from calibrant.calibration.scores import CalibScore
from calibrant.checks.files import write_text
from calibrant.errors import ParameterError
from calibrant.pairs import Pairs
from calibrant.pairs.synthetic import Map, identity, inward, outward, sample, true_score
from calibrant.plots import Sweep, plot_sweep, save_figure
from calibrant.results.tabular import csv_table, markdown_table
from calibrant.studies.progress import Say, Track, quietly
from calibrant.studies.published import BIN_SIZES, PUBLISHED, Published

Float = NDArray[np.float64]
BETAS = ((0.2, 0.5), (0.5, 0.5), (1.0, 1.0), (2.0, 2.0))
MAIN = BETAS[0]  # what the printed figures fit best
N = 100_000
STEPS = tuple(range(1_000, 50_001, 1_000))
SAMPLES = tuple(range(10_000, 50_001, 1_000))
SHIFTS = (0.1, 0.2)
RANGE = 0.99


@dataclass(frozen=True, slots=True)
class Setting:
    """One forecaster: the distribution of its predictions and how it is wrong."""

    beta: tuple[float, float]
    direction: str  # "calibrated", "inward" or "outward"
    k: float

    @property
    def map(self) -> Map:
        """The true probability of each prediction."""
        maps = {"inward": inward(self.k), "outward": outward(self.k), "calibrated": identity}
        return maps[self.direction]

    def draw(self, n: int, seed: int) -> Pairs:
        """N pairs of this forecaster."""
        return sample(n, self.map, a=self.beta[0], b=self.beta[1], seed=seed)

    @property
    def truth(self) -> float:
        """The exact CalibScore."""
        a, b = self.beta
        return true_score(self.map, a=a, b=b, jumps=(self.k, 1 - self.k))

    @property
    def name(self) -> str:
        """What the legend says."""
        return self.direction if self.k == 0 else f"{self.direction}, $k$ = {self.k:g}"


@dataclass(frozen=True, slots=True)
class Row:
    """One point of one figure."""

    figure: str
    setting: Setting
    n: int
    size: int
    plugin: float
    debiased: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """A printed value beside what simulation gives for it."""

    published: Published
    direction: str
    ranges: dict[tuple[float, float], tuple[float, float]]

    @property
    def fits(self) -> list[tuple[float, float]]:
        """The Beta distributions whose 99 % range meets the printed value."""
        at = self.published
        slack = _rounding(at)
        return [
            beta
            for beta, (low, high) in self.ranges.items()
            if low <= at.high + slack and at.low - slack <= high
        ]


def _rounding(at: Published) -> float:
    """Half of the last printed digit."""
    digits = 4 if at.low < 0.01 else 3 if at.low < 0.2 else 2
    return 0.5 * 10.0**-digits


@dataclass(frozen=True, slots=True)
class Report:
    """All that the study found, and the files it wrote."""

    rows: list[Row]
    comparisons: list[Comparison]
    files: list[Path]

    def table(self) -> tuple[list[str], list[list[str]]]:
        """Printed values beside simulated ranges."""
        header = ["figure", "forecaster", "n", "bin size", "printed"]
        header += [f"Beta({a:g}, {b:g})" for a, b in BETAS] + ["fits"]
        return header, [_comparison_row(each) for each in self.comparisons]


def _comparison_row(each: Comparison) -> list[str]:
    at = each.published
    who = "calibrated" if at.k == 0 else f"{each.direction} {at.k:g}"
    ranges = [f"{low:.4f}-{high:.4f}" for low, high in each.ranges.values()]
    fits = ", ".join(f"({a:g}, {b:g})" for a, b in each.fits) or "none"
    return [at.figure, who, str(at.n), str(at.size), at.text, *ranges, fits]


def run_synthetic(
    out: str | Path,
    replicates: int = 300,
    seed: int = 0,
    track: Track = quietly,
    say: Say = lambda text: None,
) -> Report:
    """Remake figures 4.7 to 4.11 in the folder `out`."""
    if replicates < 100:
        raise ParameterError(f"replicates must be at least 100, but it is {replicates}.")
    out = Path(out)
    out.mkdir(parents=True, exist_ok=True)
    rows = list(track(_points(seed), sum(1 for _ in _plan()), "points of the figures"))
    comparisons = _compare(replicates, seed, track)
    files = [*_write_rows(out, rows), *_draw(out, rows, comparisons)]
    report = Report(rows, comparisons, files)
    header, cells = report.table()
    for name, text in (
        ("comparison.csv", csv_table(header, cells)),
        ("comparison.md", markdown_table(header, cells)),
    ):
        write_text(out / name, text + "\n")
        files.append(out / name)
    say(f"{len(files)} files in {out}")
    return report


def _plan() -> Iterator[tuple[str, Setting, int, int]]:
    """Every point of every figure: figure, setting, n, bin size."""
    wrong = [Setting(MAIN, d, k) for d, k in product(("inward", "outward"), SHIFTS)]
    fine = Setting(MAIN, "calibrated", 0.0)
    for beta, size in product(BETAS, BIN_SIZES):
        yield "4.7", Setting(beta, "calibrated", 0.0), N, size
    for size in STEPS:
        yield "4.8", fine, N, size
    for setting, size in product(wrong, STEPS):
        yield "4.9", setting, N, size
    for n in SAMPLES:
        yield "4.10", fine, n, isqrt(n)
    for setting, n in product(wrong, SAMPLES):
        yield "4.11", setting, n, isqrt(n)


def _points(seed: int) -> Iterator[Row]:
    """Bin sizes are varied on one data set; every sample size has a data set of its own."""
    held: tuple[Setting, int, Pairs] | None = None
    for figure, setting, n, size in _plan():
        if held is None or held[:2] != (setting, n):
            held = setting, n, setting.draw(n, seed)
        score = CalibScore(size=size)
        evidence = score.evidence(held[2])
        yield Row(figure, setting, n, size, score.plugin(evidence), score.value(evidence))


def _compare(replicates: int, seed: int, track: Track) -> list[Comparison]:
    """Simulate the range of each printed value, for each Beta distribution and direction."""
    by_setting: dict[tuple[str, float, int], list[Published]] = {}
    for at in PUBLISHED:
        for direction in ("calibrated",) if at.k == 0 else ("inward", "outward"):
            by_setting.setdefault((direction, at.k, at.n), []).append(at)
    jobs = list(product(by_setting.items(), BETAS))
    found: dict[tuple[str, Published], dict[tuple[float, float], tuple[float, float]]] = {}
    steps = track(_replicated(jobs, replicates, seed), len(jobs) * replicates, "simulated ranges")
    scores: dict[tuple[str, Published, tuple[float, float]], list[float]] = {}
    for direction, at, beta, value in (item for step in steps for item in step):
        scores.setdefault((direction, at, beta), []).append(value)
    tail = (1 - RANGE) / 2
    for (direction, at, beta), values in scores.items():
        low, high = np.quantile(values, [tail, 1 - tail])
        found.setdefault((direction, at), {})[beta] = (float(low), float(high))
    return [Comparison(at, direction, ranges) for (direction, at), ranges in found.items()]


def _replicated(
    jobs: Iterable[tuple[tuple[tuple[str, float, int], list[Published]], tuple[float, float]]],
    replicates: int,
    seed: int,
) -> Iterator[list[tuple[str, Published, tuple[float, float], float]]]:
    for ((direction, k, n), wanted), beta in jobs:
        for replicate in range(replicates):
            pairs = Setting(beta, direction, k).draw(n, seed + 1_000_000 + replicate)
            yield [
                (direction, at, beta, CalibScore(size=at.size, debiased=False)(pairs))
                for at in wanted
            ]


def _write_rows(out: Path, rows: list[Row]) -> list[Path]:
    header = ["figure", "beta_a", "beta_b", "forecaster", "k", "n", "bin_size"]
    header += ["plugin", "debiased", "truth"]
    truths = {row.setting: row.setting.truth for row in rows}
    files = []
    for figure in dict.fromkeys(row.figure for row in rows):
        cells = [
            [figure, *map(str, row.setting.beta), row.setting.direction, str(row.setting.k),
             str(row.n), str(row.size), repr(row.plugin), repr(row.debiased),
             repr(truths[row.setting])]
            for row in rows if row.figure == figure
        ]  # fmt: skip
        path = out / f"figure-{figure}.csv"
        write_text(path, csv_table(header, cells) + "\n")
        files.append(path)
    return files


def _draw(out: Path, rows: list[Row], comparisons: list[Comparison]) -> list[Path]:
    files = []
    for figure in dict.fromkeys(row.figure for row in rows):
        mine = [row for row in rows if row.figure == figure]
        by_size = figure in ("4.7", "4.8", "4.9")
        label = "bin size" if by_size else "sample size $n$ (bin size $\\sqrt{n}$)"
        ax = plot_sweep(
            _sweeps(figure, mine, comparisons),
            label,
            "CalibScore (plug-in)" if figure == "4.7" else "CalibScore",
            log=figure == "4.7",
        )
        for ending in ("png", "svg"):
            files.append(save_figure(ax, out / f"figure-{figure}.{ending}"))
    return files


def _sweeps(figure: str, rows: list[Row], comparisons: list[Comparison]) -> dict[str, Sweep]:
    """The lines of one figure, by name."""
    sweeps: dict[str, Sweep] = {}
    for setting in dict.fromkeys(row.setting for row in rows):
        mine = [row for row in rows if row.setting == setting]
        x = np.array(
            [row.size if figure in ("4.7", "4.8", "4.9") else row.n for row in mine], float
        )
        plugin = np.array([row.plugin for row in mine])
        if figure == "4.7":
            low, high = _ranges(comparisons, setting)
            sweeps["Beta({:g}, {:g})".format(*setting.beta)] = Sweep(x, plugin, low, high)
        elif setting.k == 0:
            debiased = np.array([row.debiased for row in mine])
            sweeps["plug-in"] = Sweep(x, plugin)
            sweeps["debiased"] = Sweep(x, debiased, truth=0.0)
        else:
            sweeps[setting.name] = Sweep(x, plugin, truth=setting.truth)
    if figure == "4.7":
        printed = [at for at in PUBLISHED if at.figure == "4.7"]
        sweeps["printed in the thesis"] = Sweep(
            np.array([at.size for at in printed], float),
            np.array([at.low for at in printed]),
            joined=False,
        )
    return sweeps


def _ranges(comparisons: list[Comparison], setting: Setting) -> tuple[Float, Float]:
    ranges = [each.ranges[setting.beta] for each in comparisons if each.published.figure == "4.7"]
    return np.array([low for low, _ in ranges]), np.array([high for _, high in ranges])
