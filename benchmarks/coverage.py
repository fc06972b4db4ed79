"""How often the 95 % intervals contain the true CalibScore.

    python benchmarks/coverage.py -o coverage.csv          the whole grid, about an hour; goes on
                                                           where an interrupted run was
    python benchmarks/coverage.py --simulations 50         a quick look
    python benchmarks/coverage.py --others                 ECE and MCE, with few or all bins wrong
    python benchmarks/coverage.py --peers                  calibrated data, beside other packages

Every cell draws fresh pairs with a known true score, and asks for the default interval and for
the thesis's. `oracle` is the mean width of an interval that knows the true variance of every
bin (with groups: the true standard deviation of the score over simulations).
"""

import unshadow  # noqa: F401, I001

import argparse
import csv
import sys
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, fields
from itertools import product
from pathlib import Path
from zlib import crc32

import numpy as np

import calibrant as cb
from calibrant.pairs import synthetic

SIZES = {1_000: 1000, 10_000: 1000, 100_000: 1000}  # pairs: simulations
BETAS = ((0.2, 0.5), (0.5, 0.5), (2.0, 2.0))
SHIFTS = (0.0, 0.02, 0.05, 0.1)
MAPS = {"inward": synthetic.inward, "outward": synthetic.outward}
TOKENS, RHO = 20, 0.3


@dataclass(frozen=True)
class Cell:
    kind: str  # "independent" or "groups"
    n: int
    a: float
    b: float
    direction: str
    k: float
    simulations: int

    @property
    def seed(self) -> int:
        """Of the first simulation: its own for every cell, whichever others are run."""
        name = f"{self.kind} {self.n} {self.a} {self.b} {self.direction} {self.k}"
        return crc32(name.encode()) * 10_000


@dataclass(frozen=True)
class Result:
    kind: str
    n: int
    a: float
    b: float
    direction: str
    k: float
    simulations: int
    truth: float
    floors: float  # true score in units of the noise floor
    coverage: float
    error: float  # binomial standard error of the coverage
    width: float
    oracle: float
    thesis_coverage: float
    thesis_width: float
    verdict: str


def cells(sizes: list[int], shifts: list[float], simulations: int | None) -> list[Cell]:
    found = []
    for n in sizes:
        many = SIZES.get(n, 1000)
        for k, direction in product(shifts, MAPS):
            if k == 0 and direction == "outward":
                continue  # the same as inward
            for a, b in BETAS:
                found.append(("independent", n, a, b, direction, k, simulations or many))
            found.append(("groups", n, 2.0, 2.0, direction, k, simulations or many))
    return [Cell(*cell) for cell in found]


def draw(cell: Cell, t: synthetic.Map, seed: int) -> cb.Pairs:
    if cell.kind == "groups":
        return synthetic.sample_groups(cell.n // TOKENS, t, size=TOKENS, rho=RHO, seed=seed)
    return synthetic.sample(cell.n, t, a=cell.a, b=cell.b, seed=seed)


def true_mse(cell: Cell, t: synthetic.Map) -> float:
    jumps = (cell.k, 1 - cell.k)
    if cell.kind == "groups":
        return synthetic.true_mse_groups(t, a=cell.a, b=cell.b, jumps=jumps)
    return synthetic.true_mse(t, a=cell.a, b=cell.b, jumps=jumps)


def root_width(middle: float, half: float) -> float:
    return float(np.sqrt(max(middle + half, 0)) - np.sqrt(max(middle - half, 0)))


def oracle_interval(pairs: cb.Pairs, t: synthetic.Map) -> float:
    """Width of the interval of one who knows the true gap and variance of every bin."""
    curve = cb.curve(pairs)
    at = np.searchsorted(curve.upper, pairs.q)
    p = t(pairs.q)
    gap = np.bincount(at, pairs.q - p) / curve.n
    variance = np.bincount(at, p * (1 - p)) / curve.n**2
    share = curve.n / curve.n.sum()
    middle = share @ ((curve.q - curve.p) ** 2 - variance)
    sd = np.sqrt(share**2 @ (4 * gap**2 * variance + 2 * variance**2))
    return root_width(middle, 1.96 * sd)


def simulate(cell: Cell) -> Result:
    t = MAPS[cell.direction](cell.k)
    truth = float(np.sqrt(true_mse(cell, t)))
    ours, theses, squares, oracles = [], [], [], []
    spread = 0.0
    for index in range(cell.simulations):
        pairs = draw(cell, t, cell.seed + index)
        estimate = cb.score(pairs, interval=cb.Bootstrap(1000, seed=index))
        thesis = cb.score(
            pairs, cb.CalibScore(debiased=False), interval=cb.NormalSampling(1000, seed=index)
        )
        ours.append((estimate.low, estimate.high))
        theses.append((thesis.low, thesis.high))
        squares.append(cb.CalibMSE()(pairs))
        spread += float(np.mean(pairs.q * (1 - pairs.q))) / cell.simulations
        if cell.kind == "independent":
            oracles.append(oracle_interval(pairs, t))
    if cell.kind == "groups":
        oracles = [root_width(square, 1.96 * np.std(squares)) for square in squares]
    coverage, width = covered(ours, truth)
    thesis_coverage, thesis_width = covered(theses, truth)
    floors = truth / np.sqrt(spread / int(np.sqrt(cell.n)))
    return Result(
        kind=cell.kind,
        n=cell.n,
        a=cell.a,
        b=cell.b,
        direction=cell.direction if cell.k else "-",
        k=cell.k,
        simulations=cell.simulations,
        truth=truth,
        floors=floors,
        coverage=coverage,
        error=float(np.sqrt(coverage * (1 - coverage) / cell.simulations)),
        width=width,
        oracle=float(np.mean(oracles)),
        thesis_coverage=thesis_coverage,
        thesis_width=thesis_width,
        verdict=verdict(cell.k, floors, coverage),
    )


def covered(intervals: list[tuple[float, float]], truth: float) -> tuple[float, float]:
    low, high = np.array(intervals).T
    return float(np.mean((low <= truth) & (truth <= high))), float(np.mean(high - low))


def verdict(k: float, floors: float, coverage: float) -> str:
    if coverage < 0.93:
        return "under 93 %"
    if k == 0 and coverage < 0.95:
        return "under 95 % at k = 0"
    if floors >= 2 and coverage > 0.97:
        return "over 97 %"
    return "ok"


def grid(options: argparse.Namespace) -> list[Result]:
    print(
        f"{'kind':12} {'n':>6} {'Beta':>9} {'t':>8} {'k':>5} {'truth':>6} {'floors':>6} "
        f"{'cover':>6} {'±':>5} {'width':>6} {'oracle':>6} | {'thesis':>6} {'width':>6}"
    )
    results = read(options.output) if options.output and Path(options.output).exists() else []
    done = {(r.kind, r.n, r.a, r.b, r.direction, r.k) for r in results}
    todo = [
        cell
        for cell in cells(options.pairs, options.shifts, options.simulations)
        if (cell.kind, cell.n, cell.a, cell.b, cell.direction if cell.k else "-", cell.k)
        not in done
    ]
    with ProcessPoolExecutor(options.processes) as pool:
        for r in pool.map(simulate, todo):
            results.append(r)
            print(
                f"{r.kind:12} {r.n:6} {r.a:4},{r.b:4} {r.direction:>8} {r.k:5} {r.truth:6.4f} "
                f"{r.floors:6.2f} {r.coverage:6.3f} {r.error:5.3f} {r.width:6.4f} {r.oracle:6.4f} "
                f"| {r.thesis_coverage:6.3f} {r.thesis_width:6.4f}  "
                f"{'' if r.verdict == 'ok' else '<- ' + r.verdict}",
                flush=True,
            )
            if options.output:
                write(options.output, results)
    return results


def read(path: str) -> list[Result]:
    """The results written so far."""
    kinds = {field.name: field.type for field in fields(Result)}
    with Path(path).open(newline="") as file:
        return [
            Result(**{name: kinds[name](each) for name, each in row.items()})
            for row in csv.DictReader(file)
        ]


def write(path: str, results: list[Result]) -> None:
    with Path(path).open("w", newline="") as out:
        writer = csv.DictWriter(out, asdict(results[0]))
        writer.writeheader()
        writer.writerows(asdict(r) for r in results)


def table(path: str) -> None:
    """Print a written CSV as Markdown: a row per forecaster, a column per number of pairs."""
    with Path(path).open() as file:
        rows = list(csv.DictReader(file))
    sizes = sorted({int(row["n"]) for row in rows})
    names = [f"n = {n:,}" for n in sizes]
    print("| pairs | q | t | k | true score | " + " | ".join(names) + " |")
    print("|---|---|---|---:|---:|" + "---:|" * len(sizes))
    forecasters = dict.fromkeys((r["kind"], r["a"], r["b"], r["direction"], r["k"]) for r in rows)
    for forecaster in sorted(forecasters, key=lambda f: (f[0] != "independent", *f[1:3], f[4])):
        kind, a, b, direction, k = forecaster
        cells = []
        for n in sizes:
            (r,) = [
                r
                for r in rows
                if (r["kind"], r["a"], r["b"], r["direction"], r["k"]) == forecaster
                and int(r["n"]) == n
            ]
            cells.append(
                f"{100 * float(r['coverage']):.1f} ± {100 * float(r['error']):.1f} % "
                f"({float(r['width']):.4f}, oracle {float(r['oracle']):.4f}); "
                f"thesis {100 * float(r['thesis_coverage']):.0f} % ({float(r['thesis_width']):.4f})"
            )
            truth = float(r["truth"])
        shape = f"Beta({float(a):g}, {float(b):g})"
        print(f"| {kind} | {shape} | {direction} | {k} | {truth:.4f} | " + " | ".join(cells) + " |")


def peers(simulations: int) -> None:
    """How often 95 % intervals of several packages contain 0, on calibrated data."""
    inside = {"calibrant CalibScore": 0, "calibrant ECE": 0}
    inside |= {"probcal ece": 0, "probcal ece_debiased": 0}
    try:
        from calibre import bootstrap_ci, plugin_calibration_error
    except ImportError:
        print("calibre has no bootstrap_ci here: it needs calibre 0.14 and Python 3.12")
    else:
        inside["calibre plug-in L1"] = 0
    from probcal.metrics import evaluate

    for seed in range(simulations):
        pairs = synthetic.calibrated(1000, a=1, b=1, seed=seed)
        y, q = pairs.y.astype(int), pairs.q
        inside["calibrant CalibScore"] += cb.score(pairs).low <= 0
        inside["calibrant ECE"] += cb.score(pairs, cb.ECE()).low <= 0
        report = evaluate(y, q, metrics=("ece", "ece_debiased"), n_boot=200, random_state=seed)
        for name, low in zip(report.names, report.ci_low, strict=True):
            inside[f"probcal {name}"] += low <= 0
        if "calibre plug-in L1" in inside:
            found = bootstrap_ci(
                lambda a, b: plugin_calibration_error(a, b, n_bins=15, norm=1),
                y,
                q,
                n_resamples=200,
                random_state=seed,
                method="percentile",
            )
            inside["calibre plug-in L1"] += found["lower"] <= 0
    print(f"calibrated, n = 1000, uniform q, {simulations} simulations: intervals that contain 0")
    for name, count in inside.items():
        print(f"  {name:22} {count:4} of {simulations}  ({100 * count / simulations:.1f} %)")


def over_top(q):
    return np.where(q > 0.9, q - 0.15, q)


def under_middle(q):
    return np.where(np.abs(q - 0.5) < 0.05, q + 0.2, q)


FORECASTERS: dict[str, tuple[float, float, synthetic.Map]] = {
    "calibrated": (1.0, 1.0, lambda q: q),
    "inward 0.05, everywhere": (0.5, 0.5, synthetic.inward(0.05)),
    "outward 0.1, everywhere": (0.5, 0.5, synthetic.outward(0.1)),
    "only above 0.9": (1.0, 1.0, over_top),
    "only from 0.45 to 0.55": (2.0, 2.0, under_middle),
}


def other_cell(job: tuple[str, int, int]) -> str:
    """Coverage of ECE and MCE: of the true gaps of the bins, whatever they turn out to be."""
    name, n, simulations = job
    a, b, t = FORECASTERS[name]
    norms = {"ECE": (cb.ECE(), lambda gap, share: share @ gap), "MCE": (cb.MCE(), _largest)}
    found: dict[str, list[tuple[float, float, float]]] = {key: [] for key in norms}
    for index in range(simulations):
        pairs = synthetic.sample(n, t, a=a, b=b, seed=7_000_000 + index)
        curve = cb.curve(pairs)
        at = np.searchsorted(curve.upper, pairs.q)
        gap = np.abs(np.bincount(at, pairs.q - t(pairs.q)) / curve.n)
        for key, (score, norm) in norms.items():
            truth = float(norm(gap, curve.n / curve.n.sum()))
            e = cb.score(pairs, score, interval=cb.Bootstrap(1000, seed=index))
            found[key].append((e.low > truth + 1e-12, e.high < truth - 1e-12, e.high - e.low))
    shown = []
    for key, rows in found.items():
        low, high, width = np.mean(rows, axis=0)
        shown.append(
            f"{key} {1 - low - high:6.3f} (too high {low:5.3f}, too low {high:5.3f}, {width:6.4f})"
        )
    return f"{name:24} {n:6}  " + "  ".join(shown)


def _largest(gap, share):
    return gap.max()


def others(options: argparse.Namespace) -> None:
    jobs = [
        (name, n, options.simulations or 200)
        for n in options.pairs
        if n <= 10_000
        for name in FORECASTERS
    ]
    with ProcessPoolExecutor(options.processes) as pool:
        for line in pool.map(other_cell, jobs):
            print(line, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-o", "--output", help="write the results as CSV, as they come")
    parser.add_argument(
        "--simulations",
        type=int,
        help="simulations per cell (default 1000; with --others and --peers 200)",
    )
    parser.add_argument(
        "--pairs", type=int, nargs="+", default=list(SIZES), help="numbers of pairs"
    )
    parser.add_argument("--shifts", type=float, nargs="+", default=list(SHIFTS), help="values of k")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--peers", action="store_true", help="only calibrated data, with others")
    parser.add_argument("--others", action="store_true", help="only ECE and MCE")
    parser.add_argument("--table", metavar="CSV", help="only print written results as Markdown")
    options = parser.parse_args()
    if options.table:
        table(options.table)
        return
    if options.others:
        others(options)
        return
    if options.peers:
        peers(options.simulations or 200)
        return
    results = grid(options)
    missed = [r for r in results if r.verdict != "ok"]
    print(f"\n{len(results) - len(missed)} of {len(results)} cells as they should be.")
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
