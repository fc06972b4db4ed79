"""Slices: false alarms among many, power on one bad slice, detectable errors, and speed.

    python benchmarks/slices.py -o benchmarks/results/slices.csv         everything, about an hour
    python benchmarks/slices.py --parts size --simulations 50            a quick look
    python benchmarks/slices.py --table benchmarks/results/slices.csv    as Markdown

A cell that is in the CSV already is not run again, so an interrupted run goes on where it was.
Pairs come from `designs.py`: few, unequal, strongly dependent groups, and rare positives. Columns
are drawn at random, half of them for whole groups and half for single rows, and cut into 40
overlapping slices. `size` is the share of simulations of a calibrated model with any false alarm
at level 0.95; `size worst` the same for the search. `power` is the share in which one bad slice (a
fifth of the rows) is found, `unadjusted` what tests without adjustment would say, and `any false`
how often another slice that does not overlap with it is called bad. `detectable` is the power of
the test at the error that `detectable` states.
"""

from designs import DESIGNS, Design, generator_of  # noqa: I001
import unshadow  # noqa: F401  (after the import from this folder)

import argparse
import csv
import time
import warnings
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass, fields
from itertools import product
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit

import calibrant as cb

CHOSEN = {
    "36 lognormal": DESIGNS["36 lognormal"],
    "36 lognormal, rare": DESIGNS["36 lognormal, rare"],
    "36, one 25 %": DESIGNS["36, one 25 %"],
    "200 Zipf": DESIGNS["200 Zipf"],
    "100 equal, rare": DESIGNS["100 equal, rare"],
    "400 equal": Design("equal", 400, 4000, 0.92, -1.0),
}
PARTS = ("size", "size worst", "power", "power worst", "detectable")
COLUMNS, VALUES = 8, 5  # 40 overlapping slices
SHIFT = 1.0  # of the logits of the bad slice


@dataclass(frozen=True)
class Result:
    part: str
    design: str
    simulations: int
    found: float  # the share of simulations with a (false or right) alarm
    rest: float  # the same for "differs from the rest"
    unadjusted: float
    false: float  # alarms about slices that share no row with the bad one


def columns(design: Design, pairs: cb.Pairs, draw: np.random.Generator) -> dict[str, NDArray]:
    """Random columns of five values each: half of groups, half of rows."""
    rows, groups = len(pairs), design.groups
    found = {f"row{k}": draw.integers(VALUES, size=rows) for k in range(COLUMNS // 2)}
    for k in range(COLUMNS // 2):
        found[f"group{k}"] = draw.integers(VALUES, size=groups)[pairs.group]
    return found


def shifted(pairs: cb.Pairs, inside: NDArray[np.bool_], by: float = SHIFT) -> cb.Pairs:
    """The same pairs with predictions that are too high inside."""
    q = np.where(inside, expit(logit(pairs.q) + by), pairs.q)
    return cb.Pairs(pairs.y, q, group=pairs.group)


def simulated(part: str, name: str, many: int) -> Result:
    """Simulate one part for one design."""
    warnings.simplefilter("ignore")
    design, rows = CHOSEN[name], []
    for k in range(many):
        draw = generator_of("slices", name, k)
        pairs = design.draw(draw, "calibrated")
        by = columns(design, pairs, draw)
        rows.append(one(part, pairs, by))
    found, rest, unadjusted, false = np.nanmean(rows, axis=0)
    return Result(part, name, many, float(found), float(rest), float(unadjusted), float(false))


def one(part: str, pairs: cb.Pairs, by: dict[str, NDArray]) -> tuple[float, float, float, float]:
    """Whether anything was found, in one simulation."""
    if part == "detectable":
        return detected(pairs, by)
    worst = part.endswith("worst")
    bad = part.startswith("power")
    if bad:
        pairs = shifted(pairs, by["row0"] == 1)
    found = cb.slices(pairs, by, interval=None, **({"worst": True} if worst else {}))
    if not bad:
        alarms = found.miscalibrated, found.different
        raw = any(each.p_value < 0.05 for each in found if each.tested)
        return bool(alarms[0]), bool(alarms[1]), raw, bool(alarms[0])
    right = [each for each in found if each.where.get("row0") == "1"]
    wrong = [each for each in found if each.where.get("row0", "1") != "1"]
    return (
        any(each in found.miscalibrated for each in right),
        any(each in found.different for each in right),
        any(each.p_value < 0.05 for each in right if each.tested),
        any(each in found.miscalibrated for each in wrong),
    )


def detected(pairs: cb.Pairs, by: dict[str, NDArray]) -> tuple[float, float, float, float]:
    """Whether an error as large as `detectable` is found: all frequencies are lower by it."""
    calm = cb.slices(pairs, by, interval=None)["row0 = 1"]
    inside = by["row0"] == 1
    size = calm.detectable
    if not np.isfinite(size) or size >= 1:
        return np.nan, np.nan, np.nan, np.nan
    low, high = -20.0, 20.0  # the shift of the logits that moves the mean of q by so much
    mean = pairs.q[inside].mean()
    if mean + size >= 1:
        return np.nan, np.nan, np.nan, np.nan
    for _ in range(60):
        middle = (low + high) / 2
        small = expit(logit(pairs.q[inside]) + middle).mean() - mean < size
        low, high = (middle, high) if small else (low, middle)
    found = cb.slices(shifted(pairs, inside, low), by, interval=None)["row0 = 1"]
    return found.adjusted < 0.05, (found.adjusted_rest or 1) < 0.05, found.p_value < 0.05, 0.0


def speed() -> str:
    """The time of 40 slices of 10^5 rows, beside that many scores and tests."""
    draw = np.random.default_rng(0)
    n = 100_000
    q = draw.random(n)
    pairs = cb.Pairs(draw.random(n) < q, q, group=draw.integers(2000, size=n))
    by = {f"x{k}": draw.integers(VALUES, size=n) for k in range(COLUMNS)}
    lines = []
    for grouped in (True, False):
        each = pairs if grouped else pairs.without_groups()
        cb.slices(each, {"x0": by["x0"]})
        begin = time.perf_counter()
        cb.slices(each, by)
        whole = time.perf_counter() - begin
        begin = time.perf_counter()
        for column, k in product(by.values(), range(VALUES)):
            part = each.take(np.flatnonzero(column == k))
            cb.score(part)
            cb.test(part)
        single = time.perf_counter() - begin
        what = "2000 groups" if grouped else "no groups"
        lines.append(f"{what}: {whole:.1f} s, single calls {single:.1f} s, {whole / single:.2f}")
    return "\n".join(lines)


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


def markdown(results: list[Result]) -> str:
    """A row per part and design, in per cent."""
    lines = [
        "| part | groups | simulations | found | differs from the rest | unadjusted | false |",
        "|---|---|---:|---:|---:|---:|---:|",
    ]
    for part, r in product(PARTS, results):
        if r.part == part:
            cells = (f"{100 * x:.1f}" for x in (r.found, r.rest, r.unadjusted, r.false))
            lines.append(f"| {part} | {r.design} | {r.simulations} | {' | '.join(cells)} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-o", "--output", type=Path, default=Path("slices.csv"))
    parser.add_argument("--parts", nargs="+", default=list(PARTS), choices=PARTS)
    parser.add_argument("--designs", nargs="+", default=list(CHOSEN), choices=list(CHOSEN))
    parser.add_argument("--simulations", type=int, default=1000)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--speed", action="store_true", help="only measure the speed")
    parser.add_argument("--table", type=Path, metavar="CSV", help="only print written results")
    options = parser.parse_args()
    if options.speed or options.table:
        print(speed() if options.speed else markdown(read(options.table)))
        return
    done = {(r.part, r.design) for r in read(options.output)}
    todo = [each for each in product(options.parts, options.designs) if each not in done]
    with (
        options.output.open("a", newline="") as file,
        ProcessPoolExecutor(options.processes) as pool,
    ):
        writer = csv.DictWriter(file, [field.name for field in fields(Result)])
        if not done:
            writer.writeheader()
        for future in as_completed(
            [pool.submit(simulated, *each, options.simulations) for each in todo]
        ):
            writer.writerow(asdict(future.result()))
            print(future.result(), flush=True)
            file.flush()


if __name__ == "__main__":
    main()
