"""How often each test rejects: its size where the model is calibrated, its power where not.

    python benchmarks/rejections.py                        2000 simulations a cell, some minutes
    python benchmarks/rejections.py --simulations 200      a quick look

Nominal 5 %. Predictions are Beta(2, 2); groups are sentences of 20 tokens with latent correlation
0.3. Calibrated, and shifted by k = 0.05 inward and outward.
"""

import unshadow  # noqa: F401, I001

import argparse
from concurrent.futures import ProcessPoolExecutor
from itertools import product

import numpy as np

from calibrant.calibration import hypotheses
from calibrant.pairs import synthetic

TESTS = {
    "Joint": hypotheses.Joint(replicates=499),
    "Cox": hypotheses.Cox(),
    "Cumulative": hypotheses.Cumulative(replicates=499),
    "max": hypotheses.Cumulative("max", replicates=499),
    "Spiegelhalter": hypotheses.Spiegelhalter(),
    "HosmerLemeshow": hypotheses.HosmerLemeshow(replicates=499),
    "Consistency": hypotheses.Consistency(replicates=199),
}
MODELS = {
    "calibrated": synthetic.identity,
    "inward 0.05": synthetic.inward(0.05),
    "outward 0.05": synthetic.outward(0.05),
}
SIZES = (1000, 2000, 10_000)


def rejections(job: tuple[str, int, str, int]) -> dict[str, float]:
    kind, n, model, simulations = job
    found = dict.fromkeys(TESTS, 0)
    for seed in range(simulations):
        if kind == "groups":
            pairs = synthetic.sample_groups(n // 20, MODELS[model], seed=seed)
        else:
            pairs = synthetic.sample(n, MODELS[model], a=2, b=2, seed=seed)
        for name, test in TESTS.items():
            found[name] += test(pairs).p_value < 0.05
    return {name: count / simulations for name, count in found.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--simulations", type=int, default=2000)
    parser.add_argument("--pairs", type=int, nargs="+", default=list(SIZES))
    parser.add_argument("--processes", type=int, default=2)
    options = parser.parse_args()
    print("| pairs | n | model | " + " | ".join(TESTS) + " |")
    print("|---|---:|---|" + "---:|" * len(TESTS))
    kinds = ("independent", "groups")
    jobs = [
        (kind, n, model, options.simulations)
        for kind, n, model in product(kinds, options.pairs, MODELS)
    ]
    with ProcessPoolExecutor(options.processes) as pool:
        for job, found in zip(jobs, pool.map(rejections, jobs), strict=True):
            shares = " | ".join(f"{100 * share:.1f}" for share in found.values())
            print(f"| {job[0]} | {job[1]:,} | {job[2]} | {shares} |", flush=True)
    error = 100 * np.sqrt(0.05 * 0.95 / options.simulations)
    print(f"\nPercent of {options.simulations} simulations; ± {error:.1f} at 5 %.")


if __name__ == "__main__":
    main()
