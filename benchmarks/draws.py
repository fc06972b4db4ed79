"""What shares of draws show: taken as they are, with the draws split in halves, and as here.

    python benchmarks/draws.py                        1000 simulations a row, some minutes
    python benchmarks/draws.py --simulations 50       a quick look

The model's own predictions are Beta(.4, .6), calibrated or too timid (outward by k = 0.1, a true
CalibScore of 0.0805); what is seen of each is how many of S draws said yes. "Halves" holds back
half of the draws instead of a quarter, at most five.
"""

import unshadow  # noqa: F401, I001

import argparse
import warnings
from concurrent.futures import ProcessPoolExecutor
from itertools import product
from unittest.mock import patch

import numpy as np

import calibrant as cb
from calibrant.pairs import synthetic
from calibrant.kernels import draws as splitting

A, B = 0.4, 0.6
MODELS = {"calibrated": 0.0, "outward 0.1": 0.1}
DRAWS = (4, 10, 20)
SCORE = cb.CalibMSE()


def simulate(job: tuple[str, int, int, int]) -> tuple[float, ...]:
    """For each way: the root of the mean CalibMSE, its spread, how often the interval holds 0."""
    model, draws, n, simulations = job
    warnings.simplefilter("ignore")
    values, zeros = np.zeros((3, simulations)), np.zeros(2)
    for seed in range(simulations):
        rng = np.random.default_rng([seed, draws, n])
        q = rng.beta(A, B, n)
        y, yes = rng.random(n) < synthetic.outward(MODELS[model])(q), rng.binomial(draws, q)
        with patch.object(splitting, "held_back", lambda size: size // 2):
            values[1, seed] = SCORE(cb.Pairs.from_draws(y, yes, draws))
        ways = {0: cb.Pairs(y, yes / draws), 2: cb.Pairs.from_draws(y, yes, draws)}
        for i, (way, pairs) in enumerate(ways.items()):
            values[way, seed] = SCORE(pairs)
            zeros[i] += cb.score(pairs, interval=cb.Bootstrap(200, seed=seed)).low == 0
    roots = np.sqrt(np.maximum(values.mean(axis=1), 0.0))
    return (*roots, *values.std(axis=1), *zeros / simulations)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--simulations", type=int, default=1000)
    parser.add_argument("--pairs", type=int, default=2000)
    parser.add_argument("--processes", type=int, default=2)
    options = parser.parse_args()
    print("| model | S | as they are | holds 0 | halves | `from_draws` | holds 0 |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    jobs = [(*each, options.pairs, options.simulations) for each in product(MODELS, DRAWS)]
    with ProcessPoolExecutor(options.processes) as pool:
        for job, found in zip(jobs, pool.map(simulate, jobs), strict=True):
            naive, halves, ours = (
                f"{root:.4f} ({spread:.1e})"
                for root, spread in zip(found[:3], found[3:6], strict=True)
            )
            zeros = [f"{100 * share:.1f} %" for share in found[6:]]
            print(
                f"| {job[0]} | {job[1]} | {naive} | {zeros[0]} | {halves} | {ours} | {zeros[1]} |",
                flush=True,
            )
    truth = synthetic.true_score(synthetic.outward(0.1), a=A, b=B, jumps=(0.1, 0.9))
    print(f"\nn = {options.pairs}, {options.simulations} simulations. Root of the mean CalibMSE")
    print(f"(standard deviation of CalibMSE). The truth outward by 0.1 is {truth:.4f}.")


if __name__ == "__main__":
    main()
