"""Descriptions and decompositions with few and unequal groups: how often intervals hold the truth.

    python benchmarks/describe_groups.py describe                  1000 simulations a cell
    python benchmarks/describe_groups.py decompose --rules Brier --simulations 100

Every cell draws fresh pairs from a known population (`designs.py`) and asks for all intervals.
Independent pairs are there too (`--designs "independent, 500"`). The table has a row per design and
map, a column per number: the percentage of intervals that contain the truth, nominally 95, and in
brackets their median width.
"""

from designs import DESIGNS, DOMINANT, MAPS, SD, Population, generator_of, population  # noqa: I001
import unshadow  # noqa: F401  (after the import from this folder)

import argparse
import warnings
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache

import numpy as np
from scipy.special import expit, logit

import calibrant as cb
from calibrant.kernels.calibration.logistic import fit_line

ALL = DESIGNS | DOMINANT


@dataclass(frozen=True)
class Independent:
    """Pairs that do not depend on each other."""

    rows: int
    centre: float  # mean of logit q; −4 makes positives rare

    def draw(self, generator: np.random.Generator, shape: str) -> cb.Pairs:
        """The pairs of one simulation."""
        x = self.centre + SD * generator.standard_normal(self.rows)
        y = generator.random(self.rows) < expit(MAPS[shape](x))
        return cb.Pairs(y.astype(int), expit(x))


INDEPENDENT = {
    "independent, 500": Independent(500, -1.0),
    "independent, 2000": Independent(2000, -1.0),
    "independent, 500, rare": Independent(500, -4.0),
}
PLACES = ALL | INDEPENDENT


@cache
def described(centre: float, shape: str) -> dict[str, float]:
    """The true numbers of a description."""
    known = population(centre, shape)
    base = known.mean(known.p)
    yes, no = known.share * known.p / base, known.share * (1 - known.p) / (1 - base)
    line, at_1 = (
        fit_line(logit(known.q), known.share, known.share * known.p, sloped=sloped)
        for sloped in (True, False)
    )
    return {
        "base_rate": base,
        "mean": known.mean(known.q),
        "excess": known.mean(known.q) - base,
        "auc": float(yes @ (np.cumsum(no) - no / 2)),
        "intercept": line.intercept,
        "slope": line.slope,
        "at_slope_1": at_1.intercept,
    }


@cache
def decomposed(centre: float, shape: str, rule: str) -> dict[str, float]:
    """The true terms of a loss, for narrow bins; MCB and DSC only for rising frequencies."""
    known: Population = population(centre, shape)
    loss = getattr(cb, rule)()
    total, left = known.losses(loss), known.mean(loss.entropy(known.p))
    base = float(loss.entropy(np.array([known.mean(known.p)]))[0])
    terms = {"loss": total, "calibration": total - left, "refinement": left, "uncertainty": base}
    if (np.diff(known.p) >= 0).all():
        terms |= {"miscalibration": total - left, "discrimination": base - left}
    return terms


def run(job: tuple[str, str, str, str, int]) -> str:
    """Simulate one cell, and format it as a row."""
    what, design, shape, rule, simulations = job
    warnings.simplefilter("ignore", cb.errors.CalibrantWarning)
    made = PLACES[design]
    if what == "describe":
        truth = described(made.centre, shape)
    else:
        truth = decomposed(made.centre, shape, rule)
    found: dict[str, list[tuple[float, float, float]]] = {name: [] for name in truth}
    for k in range(simulations):
        pairs = made.draw(generator_of(design, shape, k), shape)
        result = (
            cb.describe(pairs) if what == "describe" else cb.decompose(pairs, getattr(cb, rule)())
        )
        for name in truth:
            each = getattr(result, name)
            if each.low is not None:
                found[name].append((each.value, each.low, each.high))
    cells = [rule] if what == "decompose" else []
    for name, rows in found.items():
        _, low, high = np.array(rows).T if rows else np.full((3, 1), np.nan)
        held = 100 * np.mean((low <= truth[name]) & (truth[name] <= high))
        cells.append(f"{held:.1f} ({np.median(high - low):.3g})")
    return "| " + " | ".join([design, shape, *cells]) + " |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["describe", "decompose"])
    parser.add_argument("--designs", nargs="+", default=list(ALL), choices=list(PLACES))
    parser.add_argument("--maps", nargs="+", default=list(MAPS), choices=list(MAPS))
    parser.add_argument("--rules", nargs="+", default=["Brier", "LogLoss"])
    parser.add_argument("--simulations", type=int, default=1000)
    parser.add_argument("--processes", type=int, default=2)
    given = parser.parse_args()
    rules = given.rules if given.what == "decompose" else [""]
    jobs = [
        (given.what, design, shape, rule, given.simulations)
        for rule in rules
        for design in given.designs
        for shape in given.maps
    ]
    head = described(-1.0, "calibrated")
    if given.what == "decompose":
        head = {"rule": 0.0} | decomposed(-1.0, "calibrated", rules[0])
    print("| " + " | ".join(["design", "map", *head]) + " |")
    print("|---" * (len(head) + 2) + "|")
    with ProcessPoolExecutor(given.processes) as pool:
        for row in pool.map(run, jobs):
            print(row, flush=True)


if __name__ == "__main__":
    main()
