"""Tests of calibration with few, unequal and rare groups: how often they reject.

    python benchmarks/few_group_tests.py -o few_group_tests.csv     1000 simulations a cell
    python benchmarks/few_group_tests.py --simulations 100          a quick look
    python benchmarks/few_group_tests.py --table few_group_tests.csv     as Markdown

Nominal 5 %. The designs are those of `designs.py`, and independent pairs (n = 300, rare positives;
n = 500 and 2000). Where the model is calibrated, the share of rejections is the size of the test;
elsewhere it is its power. The oracle knows the true frequencies and the law of its statistic: it
compares the likelihood ratio with that of as many calibrated samples of the same design. A cell
that is in the CSV already is not run again.
"""

from designs import DESIGNS, MAPS, SD, generator_of  # noqa: I001
import unshadow  # noqa: F401  (after the import from this folder)

import argparse
import csv
import warnings
from concurrent.futures import ProcessPoolExecutor, as_completed
from itertools import product
from pathlib import Path

import numpy as np
from scipy.special import expit, log_expit, logit

import calibrant as cb
from calibrant.calibration import hypotheses

TESTS = {
    "Joint": hypotheses.Joint(replicates=999),
    "Cox": hypotheses.Cox(),
    "Cumulative": hypotheses.Cumulative(),
    "max": hypotheses.Cumulative("max"),
    "Spiegelhalter": hypotheses.Spiegelhalter(),
    "HosmerLemeshow": hypotheses.HosmerLemeshow(),
    "Consistency": hypotheses.Consistency(),
}
INDEPENDENT = {
    "independent, 300, rare": (300, -4.0),
    "independent, 500": (500, -1.0),
    "independent, 2000": (2000, -1.0),
}
SHAPES = [name for name in MAPS if name != "slope 1.5"]


def draw(design: str, shape: str, k: int) -> cb.Pairs:
    generator = generator_of("test", design, shape, k)
    if design in DESIGNS:
        return DESIGNS[design].draw(generator, shape)
    n, centre = INDEPENDENT[design]
    x = centre + SD * generator.standard_normal(n)
    y = generator.random(n) < expit(MAPS[shape](x))
    return cb.Pairs(y.astype(int), expit(x))


def evidence(pairs: cb.Pairs, shape: str) -> float:
    """The log-likelihood ratio of the true frequencies of a map to the predictions."""
    x = logit(pairs.q)
    p = MAPS[shape](x)
    return float(np.sum(log_expit(np.where(pairs.y, p, -p)) - log_expit(np.where(pairs.y, x, -x))))


def oracle(design: str, shape: str, simulations: int) -> float:
    """The power of the oracle at 5 %."""
    if shape == "calibrated":
        return 0.05
    null = [evidence(draw(design, "calibrated", k), shape) for k in range(simulations)]
    found = [evidence(draw(design, shape, k), shape) for k in range(simulations)]
    return float(np.mean(np.array(found) > np.quantile(null, 0.95)))


def rejections(job: tuple[str, str, int]) -> dict[str, str]:
    warnings.simplefilter("ignore")
    design, shape, simulations = job
    found = dict.fromkeys(TESTS, 0)
    for k in range(simulations):
        pairs = draw(design, shape, k)
        for name, test in TESTS.items():
            found[name] += test.evaluate(pairs).p_value <= 0.05
    shares = {name: f"{100 * many / simulations:.1f}" for name, many in found.items()}
    shares["oracle"] = f"{100 * oracle(design, shape, simulations):.1f}"
    return {"design": design, "map": shape, "simulations": str(simulations), **shares}


def read(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def markdown(rows: list[dict[str, str]]) -> str:
    names = list(rows[0])
    lines = ["| " + " | ".join(names) + " |", "|" + "---|" * len(names)]
    return "\n".join(lines + ["| " + " | ".join(row.values()) + " |" for row in rows])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-o", "--output", type=Path, default=Path("few_group_tests.csv"))
    parser.add_argument("--maps", nargs="+", default=SHAPES, choices=list(MAPS))
    parser.add_argument("--designs", nargs="+", default=[*INDEPENDENT, *DESIGNS])
    parser.add_argument("--simulations", type=int, default=1000)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--table", type=Path, metavar="CSV", help="only print written results")
    options = parser.parse_args()
    if options.table:
        print(markdown(read(options.table)))
        return
    written = read(options.output) if options.output.exists() else []
    done = {(row["design"], row["map"]) for row in written}
    jobs = [
        (design, shape, options.simulations)
        for shape, design in product(options.maps, options.designs)
        if (design, shape) not in done
    ]
    with (
        options.output.open("a", newline="") as file,
        ProcessPoolExecutor(options.processes) as pool,
    ):
        writer = csv.DictWriter(file, ["design", "map", "simulations", *TESTS, "oracle"])
        if not done:
            writer.writeheader()
        for future in as_completed([pool.submit(rejections, job) for job in jobs]):
            row = future.result()
            writer.writerow(row)
            file.flush()
            print(" | ".join(row.values()), flush=True)


if __name__ == "__main__":
    main()
