"""Files that are larger than memory should be: time and memory of `scan` and of a score of it.

    python benchmarks/scale.py                      10^7 pairs in Parquet, with and without groups
    python benchmarks/scale.py 1e8 --groups 5e6     10^8 pairs in 5 million groups
    python benchmarks/scale.py 1e9 --part 5e7       parts of 5·10^7 rows; about 8 GB of disk
    python benchmarks/scale.py 1e7 --text           groups are text

Time is a ratio to polars' `scan_parquet(...).select(sum(y), sum(q))` over the same files, in the
same process, which takes turns with ours; medians of the repeats. "score" is
`cb.score(cb.scan(files))` with its interval. Beside the time that passes stands the time of
processors, of all threads: other work on the cores changes its ratios less.
Memory is the peak of a process of its own that scans and scores, and the part of it that importing
and a small score take. Files are made once in a folder (--folder) and used again.
"""

import unshadow  # noqa: F401, I001

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars

MEASURE = """
import re, sys
import calibrant as cb
pairs = cb.scan(sys.argv[1], group=None if sys.argv[2] == "groups" else False)
print(cb.score(pairs), len(pairs))
status = open("/proc/self/status").read()
print(re.search(r"VmHWM:\\s+(\\d+)", status)[1])
"""


def make(folder: Path, n: int, part: int, groups: int, text: bool) -> None:
    """Write parts of predictions that are spread over [0, 1], slightly miscalibrated."""
    folder.mkdir(parents=True, exist_ok=True)
    for k, first in enumerate(range(0, n, part)):
        path = folder / f"part-{k:05}.parquet"
        if path.exists():
            continue
        generator = np.random.default_rng(k)
        rows = min(part, n - first)
        q = generator.random(rows)
        y = (generator.random(rows) < 0.98 * q + 0.01).astype(np.uint8)
        group = polars.Series(generator.integers(0, groups, rows))
        if text:
            group = "doc " + group.cast(polars.String)
        frame = polars.DataFrame({"y": y, "q": q, "group": group})
        frame.write_parquet(path.with_suffix(".part"))
        path.with_suffix(".part").rename(path)


class Seconds(NamedTuple):
    """Time that passes, and time of processors."""

    passed: float
    used: float


def measured(call: Callable[[], object]) -> Seconds:
    passed, used = time.perf_counter(), time.process_time()
    call()
    return Seconds(time.perf_counter() - passed, time.process_time() - used)


def medians(calls: dict[str, Callable[[], object]], repeats: int) -> dict[str, Seconds]:
    """The medians of calls that take turns."""
    found = {name: [] for name in calls}
    for _ in range(repeats):
        for name, call in calls.items():
            found[name].append(measured(call))
    middle = statistics.median
    return {name: Seconds(*map(middle, zip(*each, strict=True))) for name, each in found.items()}


def peak(pattern: str, grouped: bool) -> tuple[str, float]:
    """What a process of its own printed, and its peak memory in MB."""
    words = [sys.executable, "-c", MEASURE, pattern, "groups" if grouped else "none"]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    answer, kilobytes = done.stdout.strip().splitlines()
    return answer, int(kilobytes) / 1024


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("pairs", type=float, nargs="?", default=1e7)
    parser.add_argument("--groups", type=float, default=5e6)
    parser.add_argument("--part", type=float, default=1e7, help="rows of a file")
    parser.add_argument("--text", action="store_true", help="groups are text")
    parser.add_argument("--folder", default=None, help="where the files are kept")
    parser.add_argument("--repeats", type=int, default=3)
    given = parser.parse_args()
    n = int(given.pairs)
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(given.folder or temporary)
        make(folder, n, int(given.part), int(given.groups), given.text)
        report(f"{folder}/*.parquet", given.repeats)


def report(pattern: str, repeats: int) -> None:
    import calibrant as cb

    files = polars.scan_parquet(pattern)
    cb.score(cb.scan(files.head(100_000)))  # compiles what is needed

    def plain() -> object:
        return polars.scan_parquet(pattern).select(polars.col("y", "q").sum()).collect()

    for grouped in (False, True):
        how = {"group": None if grouped else False}
        calls = {
            "polars": plain,
            "scan": lambda how=how: cb.scan(pattern, **how),
            "score": lambda how=how: cb.score(cb.scan(pattern, **how)),
        }
        found = medians(calls, repeats)
        print("groups" if grouped else "no groups")
        for name, (passed, used) in found.items():
            ratios = passed / found["polars"].passed, used / found["polars"].used
            print(
                f"  {name:7} {passed:7.2f} s, of processors {used:7.2f} s; "
                f"{ratios[0]:5.2f} and {ratios[1]:5.2f} times polars' sum"
            )
        answer, memory = peak(pattern, grouped)
        print(f"  peak {memory:.0f} MB; {answer} rows", flush=True)


if __name__ == "__main__":
    main()
