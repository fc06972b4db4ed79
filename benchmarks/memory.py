"""Time and memory of every analysis of pairs in memory, as ratios to `score` in the same process.

    python benchmarks/memory.py                             10^6 and 10^7 pairs
    python benchmarks/memory.py 1e8 --ungrouped             one size, without groups
    python benchmarks/memory.py 1e7 --verbs describe,test   some analyses only
    python benchmarks/memory.py 1e6 --bins 50000            scores with many bins

Pairs take one byte for y and four (with --double, eight) for q. Groups are numbers in random order,
one for every 20 pairs. Each line is a process of its own. It runs the analysis and `score` with its
interval in turn, each on pairs that were not used before. Times are the best of the repeats. Memory
is how far the peak resident size (VmHWM) rises above the size before the call. Linux only. The
machine may be shared and noisy, so look at the ratios.
"""

import unshadow  # noqa: F401, I001

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import calibrant as cb

PAIRS_PER_GROUP = 20
WARM_UP = 50_000  # pairs, enough that every kernel is compiled before anything is measured
MEGABYTE = 1 << 20
VERBS: dict[str, Callable[[cb.Pairs], object]] = {
    "describe": cb.describe,
    "test": cb.test,
    "test Cox": lambda pairs: cb.test(pairs, "Cox()"),
    "test Cumulative": lambda pairs: cb.test(pairs, "Cumulative()"),
    "test Consistency": lambda pairs: cb.test(pairs, "Consistency()"),
    "decompose": cb.decompose,
    "curve AdaptiveBins": cb.curve,
    "curve LocalLikelihood": lambda pairs: cb.curve(pairs, cb.LocalLikelihood()),
    "curve Isotonic": lambda pairs: cb.curve(pairs, cb.Isotonic()),
    "curve Kernel": lambda pairs: cb.curve(pairs, cb.Kernel()),
}


def data(n: int, grouped: bool, double: bool) -> dict[str, np.ndarray]:
    """Predictions that crowd near 0 and 1, slightly miscalibrated, made without large copies."""
    generator = np.random.default_rng(0)
    q = np.empty(n, np.float64 if double else np.float32)
    y = np.empty(n, np.uint8)
    for first in range(0, n, WARM_UP * 20):
        rows = slice(first, min(first + WARM_UP * 20, n))
        q[rows] = generator.beta(0.3, 0.3, rows.stop - first)
        y[rows] = generator.random(rows.stop - first) < 0.95 * q[rows] + 0.02
    columns = {"y": y, "q": q}
    if grouped:
        columns["group"] = generator.integers(max(n // PAIRS_PER_GROUP, 2), size=n, dtype=np.int32)
    return columns


def status(field: str) -> int:
    """A size of this process in bytes, as the kernel reports it."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(field)) << 10


def measured(call: Callable[[cb.Pairs], object], columns: dict) -> tuple[float, int]:
    """Seconds and extra bytes of one call."""
    pairs = cb.Pairs(**columns)
    before = status("VmRSS")
    Path("/proc/self/clear_refs").write_text("5")  # forget the earlier peak
    began = time.perf_counter()
    call(pairs)
    return time.perf_counter() - began, max(status("VmHWM") - before, 0)


def scoring(bins: int | None) -> Callable[[cb.Pairs], object]:
    """The score that everything is compared with."""
    return lambda pairs: cb.score(pairs, cb.CalibScore(count=bins))


def child(arguments: argparse.Namespace) -> None:
    """Measure one analysis beside the score: its time, that of the score, and its memory."""
    score = scoring(arguments.bins)
    call = VERBS.get(arguments.child, score)
    small = data(WARM_UP, arguments.grouped, arguments.double)
    for each in (score, call):
        each(cb.Pairs(**small))
    columns = data(int(arguments.sizes[0]), arguments.grouped, arguments.double)
    # the analysis comes first: memory that an earlier call gave back may not be seen again
    found = [(*measured(call, columns), measured(score, columns)[0])]
    for _ in range(arguments.repeats - 1):
        found.append((*measured(call, columns), measured(score, columns)[0]))
    times, sizes, of_score = zip(*found, strict=True)
    print(json.dumps([min(times), min(of_score), max(sizes)]))


def lines(n: float, grouped: bool, verbs: list[str], passed: list[str]) -> None:
    """Print a line for each analysis, with ratios to the score."""
    of_score = 0
    for verb in ["score", *verbs]:
        command = [sys.executable, __file__, f"{n:g}", "--child", verb, *passed]
        done = subprocess.run([*command, *["--grouped"] * grouped], stdout=subprocess.PIPE)
        if done.returncode:
            print(f"{n:>11,.0f} {'groups' * grouped:6s} {verb:22s} failed")
            continue
        seconds, beside, size = json.loads(done.stdout)
        of_score = of_score or max(size, MEGABYTE)
        print(
            f"{n:>11,.0f} {'groups' * grouped:6s} {verb:22s}{seconds:8.2f} s "
            f"{seconds / beside:7.2f} x {size / MEGABYTE:9.0f} MB {size / of_score:7.2f} x",
            flush=True,
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("sizes", nargs="*", type=float, default=[1e6, 1e7])
    parser.add_argument("--verbs", help="comma-separated (default: all)")
    parser.add_argument("--grouped", action="store_true", help="only with groups")
    parser.add_argument("--ungrouped", action="store_true", help="only without groups")
    parser.add_argument("--double", action="store_true", help="eight bytes for each q")
    parser.add_argument("--bins", type=int, help="bins of the score (default: the usual number)")
    parser.add_argument("--repeats", type=int, default=2)
    parser.add_argument("--child", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.child is not None:
        child(arguments)
        return
    verbs = [*VERBS] if arguments.verbs is None else arguments.verbs.split(",")
    passed = [f"--repeats={arguments.repeats}", *["--double"] * arguments.double]
    passed += [] if arguments.bins is None else [f"--bins={arguments.bins}"]
    print("      pairs        analysis                  time  to score     memory  to score")
    for n in arguments.sizes:
        for grouped in [False] * (not arguments.grouped) + [True] * (not arguments.ungrouped):
            lines(n, grouped, verbs, passed)


if __name__ == "__main__":
    main()
