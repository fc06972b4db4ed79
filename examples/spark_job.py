"""Score predictions on a Spark cluster; only sums over cells come to the driver.

spark-submit examples/spark_job.py PARQUET SUMMARY [--y y] [--q q] [--group doc]

PARQUET is a path that all workers can read, SUMMARY the name of a local Parquet file for the sums,
which `calibrant score SUMMARY` and all other commands take. Workers need nothing but Spark;
calibrant is needed where the driver runs.
"""

import argparse
import sys

import calibrant as cb
from calibrant.tables import write_summary


def arguments(given):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("source", help="Parquet: a file or a folder of parts")
    parser.add_argument("summary", help="where to write the sums")
    parser.add_argument("--y", default="y", help="the column of observations")
    parser.add_argument("--q", default="q", help="the column of predictions")
    parser.add_argument("--group", help="the column of groups, such as documents")
    return parser.parse_args(given)


def main(given):
    from pyspark.sql import SparkSession

    chosen = arguments(given)
    spark = SparkSession.builder.appName("calibrant").getOrCreate()
    try:
        table = spark.read.parquet(chosen.source)
        pairs = cb.scan(table, y=chosen.y, q=chosen.q, group=chosen.group or False)
        write_summary(pairs, chosen.summary, f"{chosen.source}, {pairs.n:.0f} pairs")
        print(pairs)
        print(cb.score(pairs))
    except cb.CalibrantError as error:
        sys.exit(str(error))
    finally:
        spark.stop()


if __name__ == "__main__":
    main(sys.argv[1:])
