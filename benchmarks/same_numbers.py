"""The same pairs through every door: arrays, files, engines and an accumulator, side by side.

    python benchmarks/same_numbers.py                  200,000 pairs in 5000 groups
    python benchmarks/same_numbers.py --engines duckdb dask        some engines only

Every door but the first sums the pairs over cells and over folds of groups. "largest difference"
is that of all values and limits to those of the Parquet file. Engines that are not installed are
left out. The accumulator keeps fewer sums (no Σq²) and more, coarser folds of cells with groups, so
its numbers differ from the others by what its documentation says.
"""

import unshadow  # noqa: F401, I001

import argparse
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars

import calibrant as cb
from calibrant.tensors import Accumulator

SCORES = ("CalibScore", "ECE", "Brier", "LogLoss")


def made(n: int, groups: int) -> polars.DataFrame:
    pairs = cb.synthetic.sample_groups(groups, cb.synthetic.inward(0.05), size=n // groups, seed=0)
    return polars.DataFrame({"y": pairs.y, "q": pairs.q, "doc": pairs.group})


def accumulated(frame: polars.DataFrame) -> cb.Pairs:
    sums = Accumulator(folds=1024)
    for part in frame.iter_slices(50_000):
        sums.add(*(part[name].to_numpy() for name in ("y", "q", "doc")))
    return sums.pairs()


def duckdb_table(path: str) -> object:
    import duckdb

    return duckdb.sql(f"SELECT * FROM '{path}'")


def dask_table(path: str) -> object:
    import dask.dataframe

    return dask.dataframe.read_parquet(path)


def spark_table(path: str) -> object:
    from pyspark.sql import SparkSession

    spark = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    return spark.getOrCreate().read.parquet(path)


def ibis_table(path: str) -> object:
    import ibis

    return ibis.duckdb.connect().read_parquet(path)


ENGINES: dict[str, Callable[[str], object]] = {
    "duckdb": duckdb_table,
    "dask": dask_table,
    "ibis": ibis_table,
    "spark": spark_table,
}


def numbers(pairs: cb.Pairs) -> list[float]:
    """Values and limits of scores, of the description and of the test."""
    found = [
        number for each in cb.score(pairs, SCORES) for number in (each.value, each.low, each.high)
    ]
    described = cb.describe(pairs).to_frame()
    found += described.select("value", "low", "high").to_numpy().ravel().tolist()
    return [*found, cb.test(pairs).p_value]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pairs", type=int, default=200_000)
    parser.add_argument("--groups", type=int, default=5000)
    parser.add_argument("--engines", nargs="*", default=list(ENGINES))
    given = parser.parse_args()
    frame = made(given.pairs, given.groups)
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder, "pairs.parquet"))
        frame.write_parquet(path)
        doors: dict[str, Callable[[], cb.Pairs]] = {
            "arrays": lambda: cb.read(frame, group="doc"),
            "Parquet file": lambda: cb.scan(path, group="doc"),
            "polars": lambda: cb.scan(polars.scan_parquet(path), group="doc"),
        }
        for name in given.engines:
            doors[name] = lambda name=name: cb.scan(ENGINES[name](path), group="doc")
        doors["Accumulator"] = lambda: accumulated(frame)
        report(doors)


def report(doors: dict[str, Callable[[], cb.Pairs]]) -> None:
    wanted: list[float] = []
    print("door", *SCORES, "Cox slope", "p of Joint", "largest difference", sep=" | ")
    for door, opened in doors.items():
        try:
            pairs = opened()
        except ImportError as error:
            print(f"{door}: left out ({error})")
            continue
        found = numbers(pairs)
        if door == "Parquet file":
            wanted = found
        scores = [str(each).partition(" ")[2] for each in cb.score(pairs, SCORES)]
        slope = cb.describe(pairs).slope
        apart = float(np.max(np.abs(np.subtract(found, wanted)))) if wanted else float("nan")
        p_value = f"{found[-1]:.3g}"
        print(door, *scores, f"{slope.value:.4f}", p_value, f"{apart:.1e}", sep=" | ", flush=True)


if __name__ == "__main__":
    main()
