"""How often the 95 % interval of the mean over classes contains the true one.

    python benchmarks/classes.py                     400 simulations a cell, about ten minutes
    python benchmarks/classes.py --simulations 50    a quick look

Four classes, 2000 items. Predictions are Dirichlet(0.6, 0.8, 1, 1.2), and the true probability of
class k is (1 − shift) · q_k + shift · π_k, so every gap is shift · (q_k − π_k) and the true root
mean square is known. With groups, the items of a sentence of 20 share their level and their luck.
"""

import unshadow  # noqa: F401, I001

import argparse
from concurrent.futures import ProcessPoolExecutor
from itertools import product

import numpy as np
from scipy.stats import norm

import calibrant as cb

N, TOKENS, RHO = 2000, 20, 0.3
ALPHA = np.array([0.6, 0.8, 1.0, 1.2])
PI = np.array([0.1, 0.2, 0.3, 0.4])
SPREAD = 200  # of the Dirichlet that tokens of a sentence have around its level


def truth(shift: float, grouped: bool) -> float:
    """The root of the mean over classes of E[gap²]."""
    mean = ALPHA / ALPHA.sum()
    variance = mean * (1 - mean) / (ALPHA.sum() + 1)
    if grouped:
        variance = variance + (mean * (1 - mean) - variance) / (SPREAD + 1)
    return float(shift * np.sqrt(np.mean(variance + (mean - PI) ** 2)))


def draw(seed: int, shift: float, grouped: bool):
    rng = np.random.default_rng(seed)
    if not grouped:
        q, u, group = rng.dirichlet(ALPHA, N), rng.random(N), None
    else:
        group = np.repeat(np.arange(N // TOKENS), TOKENS)
        levels = rng.dirichlet(ALPHA, N // TOKENS)[group]
        q = rng.standard_gamma(SPREAD * levels + 1e-9)
        q /= q.sum(axis=1, keepdims=True)
        shared = rng.standard_normal(N // TOKENS)[group]
        u = norm.cdf(np.sqrt(RHO) * shared + np.sqrt(1 - RHO) * rng.standard_normal(N))
    true = (1 - shift) * q + shift * PI
    return cb.Labels(q), (true.cumsum(axis=1) < u[:, None]).sum(axis=1).clip(0, 3), group


def simulate(job: tuple[int, float, bool]) -> tuple[float, float]:
    posterior, gold, group = draw(*job)
    summary = cb.score_classes(posterior, gold, group=group).summary
    return summary.low, summary.high


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--simulations", type=int, default=400)
    many = parser.parse_args().simulations
    print("groups  shift   truth  covers  too high  too low   width")
    with ProcessPoolExecutor(2) as pool:
        for grouped, shift in product((False, True), (0.0, 0.1, 0.2)):
            jobs = [(seed, shift, grouped) for seed in range(many)]
            low, high = np.array(list(pool.map(simulate, jobs, chunksize=10))).T
            true = truth(shift, grouped)
            above, below = np.mean(low > true), np.mean(high < true)
            print(
                f"{grouped!s:6}  {shift:5.1f}  {true:.4f}  {1 - above - below:6.3f}  {above:8.3f}"
                f"  {below:7.3f}  {np.mean(high - low):.4f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
