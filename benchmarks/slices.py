"""Slices: false alarms among many, power on one bad slice, detectable errors, and speed.

    python benchmarks/slices.py -o benchmarks/results/slices.csv         everything, several hours
    python benchmarks/slices.py --parts size --simulations 50            a quick look
    python benchmarks/slices.py --table benchmarks/results/slices.csv    as Markdown

Simulations are run and written in blocks of 50. Blocks that are in the CSV already are not run
again, so an interrupted run goes on where it was; cells go on in turn.
Pairs come from `designs.py`: few, unequal, strongly dependent groups, and rare positives. Columns
are drawn at random, half of them for whole groups and half for single rows, and cut into 40
overlapping slices. `size` is the share of simulations of a calibrated model with any false alarm
at level 0.95; `size worst` the same for the search. `power` is the share in which one bad slice (a
fifth of the rows) is found, `unadjusted` what tests without adjustment would say, and `any false`
how often another slice that does not overlap with it is called bad. `detectable` is the power of
the test at the error that `detectable` states. Where MCGrad is installed (`pip install mcgrad`),
`mcgrad` is how often its `MulticalibrationError` over the same slices has a p-value below 0.05.
"""

from designs import DESIGNS, Design, generator_of  # noqa: I001
import unshadow  # noqa: F401  (after the import from this folder)

import argparse
import csv
import time
import warnings
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import Field, asdict, dataclass, fields
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
BLOCK = 50  # simulations that are run and written together


@dataclass(frozen=True)
class Result:
    part: str
    design: str
    first: int  # the number of the first simulation of the block
    simulations: int
    found: float  # the share of simulations with a (false or right) alarm
    rest: float  # the same for "differs from the rest"
    unadjusted: float
    false: float  # alarms about slices that share no row with the bad one
    mcgrad: float  # NaN if it is not installed, or not asked


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


def simulated(part: str, name: str, first: int, many: int) -> Result:
    """Simulate one block of one part for one design."""
    warnings.simplefilter("ignore")
    design, rows = CHOSEN[name], []
    for k in range(first, first + many):
        draw = generator_of("slices", name, k)
        pairs = design.draw(draw, "calibrated")
        by = columns(design, pairs, draw)
        rows.append(one(part, pairs, by))
    with np.errstate(all="ignore"):
        means = [float(each) for each in np.nanmean(rows, axis=0)]
    return Result(part, name, first, many, *means)


def one(part: str, pairs: cb.Pairs, by: dict[str, NDArray]) -> tuple[float, ...]:
    """Whether anything was found, in one simulation."""
    if part == "detectable":
        return detected(pairs, by)
    worst = part.endswith("worst")
    bad = part.startswith("power")
    if bad:
        pairs = shifted(pairs, by["row0"] == 1)
    found = cb.slices(pairs, by, interval=None, **({"worst": True} if worst else {}))
    theirs = np.nan if worst else mcgrad_alarm(pairs, by)
    if not bad:
        raw = any(each.p_value < 0.05 for each in found if each.tested)
        return bool(found.miscalibrated), bool(found.different), raw, np.nan, theirs
    right = [each for each in found if each.where.get("row0") == "1"]
    wrong = [each for each in found if each.where.get("row0", "1") != "1"]
    return (
        any(each in found.miscalibrated for each in right),
        any(each in found.different for each in right),
        any(each.p_value < 0.05 for each in right if each.tested),
        any(each in found.miscalibrated for each in wrong),
        theirs,
    )


def mcgrad_alarm(pairs: cb.Pairs, by: dict[str, NDArray]) -> float:
    """Whether MCGrad's test of the same slices has a p-value below 0.05; NaN without it."""
    try:
        import pandas
        from mcgrad.metrics import MulticalibrationError
    except ImportError:
        return np.nan
    frame = pandas.DataFrame({"y": pairs.y, "q": pairs.q, **by})
    measured = MulticalibrationError(
        frame,
        label_column="y",
        score_column="q",
        categorical_segment_columns=list(by),
        max_depth=1,
        max_values_per_segment_feature=VALUES,
    )
    return float(measured.mce_pvalue < 0.05)


def detected(pairs: cb.Pairs, by: dict[str, NDArray]) -> tuple[float, ...]:
    """Whether an error as large as `detectable` is found: all frequencies are lower by it."""
    calm = cb.slices(pairs, by, interval=None)["row0 = 1"]
    inside = by["row0"] == 1
    size = calm.detectable
    nothing = (np.nan,) * 5
    if not np.isfinite(size) or size >= 1:
        return nothing
    low, high = -20.0, 20.0  # the shift of the logits that moves the mean of q by so much
    mean = pairs.q[inside].mean()
    if mean + size >= 1:
        return nothing
    for _ in range(60):
        middle = (low + high) / 2
        small = expit(logit(pairs.q[inside]) + middle).mean() - mean < size
        low, high = (middle, high) if small else (low, middle)
    found = cb.slices(shifted(pairs, inside, low), by, interval=None)["row0 = 1"]
    rest = found.adjusted_rest is not None and found.adjusted_rest < 0.05
    return found.adjusted < 0.05, rest, found.p_value < 0.05, np.nan, np.nan


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
        "| part | groups | simulations | found | differs | unadjusted | false | MCGrad |",
        "|---|---|---:|---:|---:|---:|---:|---:|",
    ]
    for part, name in product(PARTS, CHOSEN):
        blocks = [r for r in results if (r.part, r.design) == (part, name)]
        if blocks:
            many = sum(r.simulations for r in blocks)
            shares = [mean_of(blocks, each) for each in fields(Result)[4:]]
            cells = ("" if np.isnan(each) else f"{100 * each:.1f}" for each in shares)
            lines.append(f"| {part} | {name} | {many} | {' | '.join(cells)} |")
    return "\n".join(lines)


def mean_of(blocks: list[Result], field: Field) -> float:
    """The mean over all simulations of the blocks that have the number."""
    known = [
        (value, r.simulations) for r in blocks if not np.isnan(value := getattr(r, field.name))
    ]
    values, counts = zip(*known, strict=True) if known else ((np.nan,), (1,))
    return float(np.average(values, weights=counts))


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
    done = {(r.part, r.design, r.first) for r in read(options.output)}
    blocks = range(0, options.simulations, BLOCK)
    every = [(part, name, k) for k, part, name in product(blocks, options.parts, options.designs)]
    todo = [each for each in every if each not in done]
    with (
        options.output.open("a", newline="") as file,
        ProcessPoolExecutor(options.processes) as pool,
    ):
        writer = csv.DictWriter(file, [field.name for field in fields(Result)])
        if not done:
            writer.writeheader()
        sizes = [min(BLOCK, options.simulations - first) for *_, first in todo]
        running = [pool.submit(simulated, *each, n) for each, n in zip(todo, sizes, strict=True)]
        for future in as_completed(running):
            writer.writerow(asdict(future.result()))
            print(future.result(), flush=True)
            file.flush()


if __name__ == "__main__":
    main()
