"""A page beside the verbs that it shows: 10⁵ rows with texts.

    python benchmarks/report.py              with and without groups
    python benchmarks/report.py --rows 10000

Prints the time to read the file and to run each verb that the page shows, the time of the page,
and the ratio of the page to their sum; then the size of the page. Times are the best of several
runs, in one process.
"""

import unshadow  # noqa: F401, I001  (before other imports)

import argparse
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars

import calibrant as cb

WORDS = ["the", "of", "and", "to", "in", "a", "is", "that", "for", "it", "as", "was", "with"]


def predictions(rows: int, groups: int, seed: int = 0) -> polars.DataFrame:
    """Overconfident predictions about sentences of fourteen words."""
    rng = np.random.default_rng(seed)
    q = rng.beta(0.5, 0.7, rows).clip(1e-6, 1 - 1e-6)
    y = rng.random(rows) < 1 / (1 + np.exp(-0.7 * np.log(q / (1 - q))))
    texts = [" ".join(words) for words in rng.choice(WORDS, (rows, 14))]
    columns = {"y": y.astype(int), "q": q, "text": texts}
    if groups:
        columns["doc"] = rng.integers(0, groups, rows)
    return polars.DataFrame(columns)


def best(work: Callable[[], object], runs: int) -> float:
    """The least time of several runs."""
    times = []
    for _ in range(runs):
        started = time.perf_counter()
        work()
        times.append(time.perf_counter() - started)
    return min(times)


def verbs(path: Path) -> dict[str, Callable[[], object]]:
    """What the page shows, each on pairs that nothing is known about yet."""
    tests = ["Joint", "Cox", "Cumulative", "Consistency"]
    return {
        "read": lambda: cb.read(path),
        "score": lambda: cb.score(fresh(path), ["CalibScore", "Brier", "LogLoss"]),
        "describe": lambda: cb.describe(fresh(path)),
        "test": lambda: cb.test(fresh(path), tests),
        "decompose": lambda: cb.decompose(fresh(path)),
        "curve": lambda: cb.curve(fresh(path), "LocalLikelihood"),
        "bins": lambda: cb.curve(fresh(path)),
    }


def fresh(path: Path, known: dict[Path, cb.Pairs] = {}) -> cb.Pairs:  # noqa: B006 - a cache
    """The pairs of a file, without what was computed of them before."""
    if path not in known:
        known[path] = cb.read(path)
    return known[path].take(np.arange(len(known[path])))


def measure(rows: int, groups: int, runs: int) -> None:
    """Time the verbs and the page on one file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "preds.parquet"
        predictions(rows, groups).write_parquet(path)
        times = {name: best(work, runs) for name, work in verbs(path).items()}
        page = best(lambda: cb.report(path), runs)
        size = len(cb.report(path).html.encode())
    total = sum(times.values())
    told = ", ".join(f"{name} {seconds:.2f}" for name, seconds in times.items())
    print(f"{rows} rows, {groups} groups: {told} s; sum {total:.2f} s")
    print(f"  page {page:.2f} s, {page / total:.2f} times; {size / 1e6:.2f} MB", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    for groups in (0, 200, 5000):
        measure(options.rows, groups, options.runs)


if __name__ == "__main__":
    main()
