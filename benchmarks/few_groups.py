"""Intervals with few, unequal and rare groups: how often they contain the true score.

    python benchmarks/few_groups.py -o few_groups.csv      every score on every design, hours
    python benchmarks/few_groups.py --scores CalibScore --simulations 50        a quick look
    python benchmarks/few_groups.py --table few_groups.csv                      as Markdown

Every cell draws fresh pairs with a known true score (`designs.py`) and asks for the default
interval. A cell that is in the CSV already is not run again, so an interrupted run goes on where
it was. `low` and `high` are the shares of intervals that lie above and below the truth. The
oracle is the width of the interval value ± 1.96 standard deviations of the score over
simulations, which nobody can know from one sample.
"""

from designs import DESIGNS, DOMINANT, MAPS, generator_of, population  # noqa: I001
import unshadow  # noqa: F401  (after the import from this folder)

import argparse
import csv
import warnings
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, fields
from itertools import product
from pathlib import Path

import numpy as np

import calibrant as cb

MANY = ("CalibScore", "ECE", "Brier", "LogLoss")  # 1000 simulations a cell
OTHERS = ("CalibMSE", "MCE", "SmoothECE", "SKCE", "ECCE", "ICI", "E50", "E90", "Emax", "Spherical")
ALL = DESIGNS | DOMINANT


@dataclass(frozen=True)
class Cell:
    design: str
    map: str
    score: str
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


def run(cell: Cell) -> Result:
    """Simulate one cell."""
    warnings.simplefilter("ignore")
    design = ALL[cell.design]
    known = population(design.centre, cell.map)
    score = getattr(cb, cell.score)()
    rows = []
    fixed = None
    for k in range(cell.simulations):
        pairs = design.draw(generator_of(cell.design, cell.map, k), cell.map)
        if fixed is None or cell.score in ("MCE", "Emax"):
            fixed = known.truth(score, pairs)
        found = cb.score(pairs, score)
        rows.append((fixed, found.value, found.low, found.high))
    truth, value, low, high = np.array(rows).T
    return Result(
        **asdict(cell),
        truth=float(truth.mean()),
        coverage=float(np.mean((low <= truth) & (truth <= high))),
        low=float(np.mean(truth < low)),
        high=float(np.mean(truth > high)),
        bias=float(np.mean(value - truth)),
        width=float(np.median(high - low)),
        width90=float(np.quantile(high - low, 0.9)),
        oracle=float(2 * 1.96 * np.std(value - truth)),
    )


def cells(options: argparse.Namespace) -> list[Cell]:
    """The cells to run."""
    found = []
    for score, design, shape in product(options.scores, options.designs, MAPS):
        many = options.simulations or (1000 if score in MANY else 400)
        found.append(Cell(design, shape, score, many))
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


def markdown(results: list[Result], before: list[Result]) -> str:
    """The results as a table, beside earlier ones if there are any."""
    old = {(each.design, each.map, each.score): each for each in before}
    lines = [
        "| score | design | map | truth | covers | too high | too low | width | 90 % | oracle |"
        + (" before |" if old else ""),
        "|---|---|---|---|---|---|---|---|---|---|" + ("---|" if old else ""),
    ]
    for r in results:
        line = (
            f"| {r.score} | {r.design} | {r.map} | {r.truth:.3f} | {100 * r.coverage:.1f} | "
            f"{100 * r.low:.1f} | {100 * r.high:.1f} | {r.width:.3f} | {r.width90:.3f} | "
            f"{r.oracle:.3f} |"
        )
        if old:
            was = old.get((r.design, r.map, r.score))
            line += (
                f" {100 * was.coverage:.1f}, {was.width:.3f}, {was.width90:.3f} |" if was else " |"
            )
        lines.append(line)
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-o", "--output", type=Path, default=Path("few_groups.csv"))
    parser.add_argument("--scores", nargs="+", default=[*MANY, *OTHERS])
    parser.add_argument("--designs", nargs="+", default=list(DESIGNS), choices=list(ALL))
    parser.add_argument("--simulations", type=int, help="instead of 1000 or 400")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--table", type=Path, metavar="CSV", help="only print written results")
    parser.add_argument("--before", type=Path, metavar="CSV", help="results to print beside them")
    options = parser.parse_args()
    if options.table:
        print(markdown(read(options.table), read(options.before) if options.before else []))
        return
    done = {(r.design, r.map, r.score) for r in read(options.output)}
    todo = [c for c in cells(options) if (c.design, c.map, c.score) not in done]
    with (
        options.output.open("a", newline="") as file,
        ProcessPoolExecutor(options.processes) as pool,
    ):
        writer = csv.DictWriter(file, [field.name for field in fields(Result)])
        if not done:
            writer.writeheader()
        for result in pool.map(run, todo):
            writer.writerow(asdict(result))
            file.flush()
            print(markdown([result], []).splitlines()[-1], flush=True)


if __name__ == "__main__":
    main()
