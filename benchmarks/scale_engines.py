"""Tables of engines: how much longer `scan` takes than the engine's own `group by` of cells.

    python benchmarks/scale_engines.py                            10⁷ rows, DuckDB, Dask and Spark
    python benchmarks/scale_engines.py --rows 1e6 --engines duckdb --repeats 3

Both read a Parquet file of Beta(0.3, 0.3) predictions. The engine's own query finds cells (and
folds of documents) ready in columns, and sums 1, y, q, q² and q·y over each. `scan` computes cells
and folds first, checks all rows, and makes pairs of the sums. Runs alternate; the ratios are those
of the medians: of the time that passes, and of processors (for this process and those that
it started), which other work on the cores changes less.
"""

import unshadow  # noqa: F401, I001  (before other imports)

import argparse
import os
import statistics
import tempfile
import time
from pathlib import Path

import numpy as np
import polars

import calibrant as cb
from calibrant.kernels.pairs.cells import cells
from calibrant.kernels.pairs.folds import fold_labels
from calibrant.pairs.summary_size import FINEST, MOST_GROUPS, finest_bits

CHUNK = 1_000_000  # rows of a row group
DOCUMENTS = 100_000
SUMS = "count(*), sum(y), sum(q), sum(q * q), sum(q * y)"
KEYS = {"none": ["cell"], "doc": ["fold", "coarse"]}  # of the engine's own query, by group


def write(path, rows, seed=0):
    """Pairs in documents, with cells and folds as `scan` would find them."""
    rng = np.random.default_rng(seed)
    q = rng.beta(0.3, 0.3, rows)
    doc = np.sort(rng.integers(0, DOCUMENTS, rows))
    frame = {
        "y": (rng.random(rows) < q).astype(np.int8),
        "q": q,
        "doc": doc,
        "cell": cells(q, FINEST),
        "coarse": cells(q, finest_bits(MOST_GROUPS)),
        "fold": fold_labels(doc, MOST_GROUPS),
    }
    polars.DataFrame(frame).write_parquet(path, row_group_size=CHUNK)


class DuckDB:
    def __init__(self, path):
        import duckdb

        self.table = duckdb.sql(f"SELECT * FROM read_parquet('{path}')")

    def own(self, keys):
        return self.table.aggregate(f"{', '.join(keys)}, {SUMS}", ", ".join(keys)).fetchnumpy()


class Dask:
    def __init__(self, path):
        import dask.dataframe

        self.table = dask.dataframe.read_parquet(path, split_row_groups=1)

    def own(self, keys):
        table = self.table[[*keys, "y", "q"]]
        table = table.assign(square=table.q * table.q, cross=table.q * table.y, one=1)
        return table.groupby(keys).sum().compute()


class Spark:
    def __init__(self, path):
        from pyspark.sql import SparkSession

        build = SparkSession.builder.master("local[*]").config("spark.ui.enabled", False)
        build = build.config("spark.driver.memory", "4g").config("spark.log.level", "ERROR")
        build = build.config("spark.ui.showConsoleProgress", False)
        self.table = build.getOrCreate().read.parquet(str(path))
        self.table.createOrReplaceTempView("pairs")

    def own(self, keys):
        named = ", ".join(keys)
        query = f"SELECT {named}, {SUMS} FROM pairs GROUP BY {named}"
        return self.table.sparkSession.sql(query).toArrow()


ENGINES = {"duckdb": DuckDB, "dask": Dask, "spark": Spark}


def processor_time():
    """Seconds that processors spent on this process and those that it started."""
    used, started = {}, {}
    for place in Path("/proc").glob("[0-9]*"):
        try:
            words = (place / "stat").read_text().rsplit(")", 1)[1].split()
        except OSError:  # it has ended
            continue
        started.setdefault(int(words[1]), []).append(int(place.name))
        used[int(place.name)] = (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")
    total, left = 0.0, [os.getpid()]
    while left:
        process = left.pop()
        total += used.get(process, 0.0)
        left += started.get(process, [])
    return total


def seconds(work):
    passed, used = time.perf_counter(), processor_time()
    work()
    return time.perf_counter() - passed, processor_time() - used


def measure(name, engine, group, repeats):
    """Print the medians of both, and their ratios; the first run of each warms up."""
    scan, own, named = [], [], False if group == "none" else group
    for _ in range(repeats + 1):
        own.append(seconds(lambda: engine.own(KEYS[group])))
        scan.append(seconds(lambda: cb.scan(engine.table, group=named)))
    base, mine = (
        [statistics.median(kind) for kind in zip(*r[1:], strict=True)] for r in (own, scan)
    )
    ratios = (a / b for a, b in zip(mine, base, strict=True))
    numbers = "".join(f" {each:8.2f}" for each in (*base, *mine, *ratios))
    print(f"{name:8} {group:6}{numbers}", flush=True)


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=float, default=1e7)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--engines", nargs="+", choices=ENGINES, default=list(ENGINES))
    parser.add_argument("--groups", nargs="+", choices=KEYS, default=list(KEYS))
    given = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "pairs.parquet"
        write(path, int(given.rows))
        print(f"{int(given.rows):,} rows; seconds, medians of {given.repeats}")
        heads = ("own", "cpu", "scan", "cpu", "ratio", "of cpu")
        print(f"{'engine':8} {'group':6}" + "".join(f" {each:>8}" for each in heads))
        for name in given.engines:
            engine = ENGINES[name](path)
            for group in given.groups:
                measure(name, engine, group, given.repeats)


if __name__ == "__main__":
    main()
