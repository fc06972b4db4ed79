"""Intervals with few, unequal and rare groups: how often they contain the true score.

    python benchmarks/few_groups.py -o few_groups.csv      every score on every design, hours
    python benchmarks/few_groups.py --scores CalibScore --simulations 50        a quick look
    python benchmarks/few_groups.py --table few_groups.csv                      as Markdown

Every cell draws fresh pairs with a known true score (`designs.py`) and asks for the default
interval. A cell that is in the CSV already is not run again, so an interrupted run goes on where
it was. `low` and `high` are the shares of intervals that lie above and below the truth. The
oracle is the width of the interval value ± 1.96 standard deviations of the score over
simulations, which nobody can know from one sample. `--designs` also knows groups that are unlike
each other, and one group with most of the pairs.
"""

from designs import DESIGNS, DOMINANT, MAPS, UNLIKE, generator_of, population  # noqa: I001
import unshadow  # noqa: F401  (after the import from this folder)

import argparse
import csv
import warnings
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass, fields
from itertools import product
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import calibrant as cb

MAIN = ("CalibScore", "ECE", "Brier", "LogLoss", "Spherical")
OTHERS = ("MCE", "SmoothECE", "SKCE", "ATB", "ECCE")
SMOOTH = ("ICI", "E50", "E90", "Emax")  # along a curve that is fitted once for all of them
FAMILIES = {MAIN: 1000, OTHERS: 400, SMOOTH: 400}  # how many simulations a cell has
ALL = DESIGNS | UNLIKE | DOMINANT


@dataclass(frozen=True)
class Job:
    """One design and map, and scores of the same pairs."""

    design: str
    map: str
    scores: tuple[str, ...]
    simulations: int


@dataclass(frozen=True)
class Result:
    design: str
    map: str
    score: str
    simulations: int
    truth: float  # the mean, for scores whose truth depends on the sample
    coverage: float
    low: float
    high: float
    bias: float
    width: float  # the median
    width90: float
    oracle: float


def run(job: Job) -> list[Result]:
    """Simulate one design and map."""
    warnings.simplefilter("ignore")
    design = ALL[job.design]
    known = population(design.centre, job.map)
    scores = {name: getattr(cb, name)() for name in job.scores}
    rows: dict[str, list[tuple[float, float, float, float]]] = {name: [] for name in scores}
    fixed: dict[str, float] = {}
    for k in range(job.simulations):
        pairs = design.draw(generator_of(job.design, job.map, k), job.map)
        for name, score in scores.items():
            if name not in fixed or name in ("MCE", "Emax"):
                fixed[name] = known.truth(score, pairs)
            found = cb.score(pairs, score)
            rows[name].append((fixed[name], found.value, found.low, found.high))
    return [summary(job, name, np.array(each)) for name, each in rows.items()]


def summary(job: Job, score: str, rows: NDArray[np.float64]) -> Result:
    """How often the intervals of one score contain the truth, and how wide they are."""
    truth, value, low, high = rows.T
    return Result(
        design=job.design,
        map=job.map,
        score=score,
        simulations=job.simulations,
        truth=float(truth.mean()),
        coverage=float(np.mean((low <= truth) & (truth <= high))),
        low=float(np.mean(truth < low)),
        high=float(np.mean(truth > high)),
        bias=float(np.mean(value - truth)),
        width=float(np.median(high - low)),
        width90=float(np.quantile(high - low, 0.9)),
        oracle=float(2 * 1.96 * np.std(value - truth)),
    )


def jobs(options: argparse.Namespace, done: set[tuple[str, str, str]]) -> list[Job]:
    """What is still to be run."""
    found = []
    for (family, many), design, shape in product(FAMILIES.items(), options.designs, options.maps):
        left = [s for s in family if s in options.scores and (design, shape, s) not in done]
        if left:
            found.append(Job(design, shape, tuple(left), options.simulations or many))
    return found


def read(path: Path) -> list[Result]:
    """The results written so far."""
    if not path.exists():
        return []
    kinds = {field.name: field.type for field in fields(Result)}
    with path.open(newline="") as file:
        return [
            Result(**{name: kinds[name](each) for name, each in row.items()})
            for row in csv.DictReader(file)
        ]


def line(r: Result) -> str:
    """One result in one line."""
    return (
        f"{r.score:10} {r.design:24} {r.map:10} truth {r.truth:.3f} covers {100 * r.coverage:5.1f} "
        f"above the truth {100 * r.low:4.1f} below {100 * r.high:4.1f} "
        f"width {r.width:.3f}, 90 % {r.width90:.3f}, oracle {r.oracle:.3f}"
    )


def markdown(results: list[Result], before: list[Result]) -> str:
    """A row per design and map, a column per score, beside earlier results if there are any."""
    found = {(r.design, r.map, r.score): r for r in results}
    old = {(r.design, r.map, r.score): r for r in before}
    scores = list(dict.fromkeys(r.score for r in results))
    rows = [(d, m) for d, m in product(ALL, MAPS) if any((d, m, s) in found for s in scores)]
    lines = ["| groups | map | " + " | ".join(scores) + " |", "|---|---|" + "---:|" * len(scores)]
    for design, shape in rows:
        cells = [cell(found.get((design, shape, s)), old.get((design, shape, s))) for s in scores]
        lines.append(f"| {design} | {shape} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def cell(now: Result | None, before: Result | None) -> str:
    """Coverage, median and 90 % quantile of the width; in brackets those of earlier results."""
    if now is None:
        return ""
    text = f"{100 * now.coverage:.1f}; {now.width:.3f}, {now.width90:.3f}, {now.oracle:.3f}"
    if before is not None:
        text += f" ({100 * before.coverage:.1f}; {before.width:.3f}, {before.width90:.3f})"
    return text


def faults(results: list[Result], before: list[Result]) -> str:
    """Cells below 93 % by Holm's method, cells that miss on one side, and wider ones."""
    from scipy.stats import binom

    tails = [
        (float(binom.cdf(round(r.coverage * r.simulations), r.simulations, 0.93)), r)
        for r in results
    ]
    lines = [f"{len(results)} cells; coverage {min(r.coverage for r in results):.3f} or more"]
    worst = sorted(tails, key=lambda each: each[0])
    for rank, (p, r) in enumerate(worst):
        if p * (len(worst) - rank) > 0.05:
            break
        lines.append(f"below 93 %: {line(r)}")
    for r in results:
        if max(r.low if r.truth else 0.0, r.high) > 0.045:
            lines.append(f"one side: {line(r)}")
    old = {(r.design, r.map, r.score): r for r in before}
    for r in results:
        was = old.get((r.design, r.map, r.score))
        if was is not None and ALL[r.design].groups <= 36 and r.width90 > was.width90:
            lines.append(
                f"wider: {r.score} {r.design} {r.map} {r.width90:.3f}, before {was.width90:.3f} "
                f"with coverage {100 * was.coverage:.1f}"
            )
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-o", "--output", type=Path, default=Path("few_groups.csv"))
    parser.add_argument("--scores", nargs="+", default=[*MAIN, *OTHERS, *SMOOTH])
    parser.add_argument("--designs", nargs="+", default=list(DESIGNS), choices=list(ALL))
    parser.add_argument("--maps", nargs="+", default=list(MAPS), choices=list(MAPS))
    parser.add_argument("--simulations", type=int, help="instead of 1000 or 400")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--table", type=Path, metavar="CSV", help="only print written results")
    parser.add_argument("--before", type=Path, metavar="CSV", help="results to print beside them")
    parser.add_argument("--faults", action="store_true", help="print only cells that miss")
    options = parser.parse_args()
    if options.table:
        found = [r for r in read(options.table) if r.score in options.scores]
        before = read(options.before) if options.before else []
        print(faults(found, before) if options.faults else markdown(found, before))
        return
    done = {(r.design, r.map, r.score) for r in read(options.output)}
    todo = jobs(options, done)
    with (
        options.output.open("a", newline="") as file,
        ProcessPoolExecutor(options.processes) as pool,
    ):
        writer = csv.DictWriter(file, [field.name for field in fields(Result)])
        if not done:
            writer.writeheader()
        for future in as_completed([pool.submit(run, job) for job in todo]):
            for result in future.result():
                writer.writerow(asdict(result))
                print(line(result), flush=True)
            file.flush()


if __name__ == "__main__":
    main()
