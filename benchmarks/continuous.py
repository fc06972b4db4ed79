"""How often results for continuous predictions are right: bands, tests, intervals.

    python benchmarks/continuous.py                        400 simulations a cell, some minutes
    python benchmarks/continuous.py --simulations 50       a quick look
    python benchmarks/continuous.py groups                 few and unequal groups

Predictions are standard normal; the truth has another mean or spread. "draws" gives each
prediction as 19 draws. Groups are 50 documents ("few": 10) with latent correlation 0.3; a test
that refuses ten groups is shown as nan. `groups` takes the sizes of groups and their correlation
from `designs.py`.
"""

from designs import DESIGNS, DOMINANT  # noqa: I001
import unshadow  # noqa: F401  (after the import from this folder)

import argparse
import warnings
from concurrent.futures import ProcessPoolExecutor

import numpy as np
from scipy import stats

import calibrant as cb

MODELS = {
    "calibrated": (0.0, 1.0),
    "too narrow": (0.0, 1.25),
    "biased": (0.2, 1.0),
}
POINTS = np.arange(1, 20) / 20
KINDS = ("plain", "draws", "groups", "few groups")
SIZES = (100, 1000)
UNEQUAL = {
    "50 equal": (np.full(50, 20), 0.5),
    **{
        name: (each.sizes(), 1 - each.phi**2)
        for name, each in (DESIGNS | DOMINANT).items()
        if each.centre == -1.0
    },
}


def true_shares(kind: str, model: str) -> np.ndarray:
    """P(u ≤ z) at the points; draws blur it."""
    bias, spread = MODELS[model]
    if kind != "draws":
        return stats.norm.cdf((stats.norm.ppf(POINTS) - bias) / spread)
    u = stats.norm.cdf(bias + spread * stats.norm.ppf((np.arange(20_000) + 0.5) / 20_000))
    return np.array([stats.binom.cdf(i, 19, u).mean() for i in range(19)])


def draw(generator: np.random.Generator, kind: str, n: int, model: str) -> cb.numbers.PIT:
    bias, spread = MODELS[model]
    if kind in UNEQUAL:
        sizes, correlation = UNEQUAL[kind]
        group = np.repeat(np.arange(sizes.size), sizes)
        shared = generator.standard_normal(sizes.size)[group]
        each = generator.standard_normal(group.size)
        y = bias + spread * (np.sqrt(correlation) * shared + np.sqrt(1 - correlation) * each)
        return cb.numbers.PIT.from_normal(y, 0.0, 1.0, group=group)
    noise = generator.standard_normal(n)
    group = None
    if "groups" in kind:
        count = 10 if kind == "few groups" else 50
        group = np.arange(n) * count // n
        shared = generator.standard_normal(count)[group]
        noise = np.sqrt(0.3) * shared + np.sqrt(0.7) * noise
    y = bias + spread * noise
    if kind == "draws":
        return cb.numbers.PIT.from_samples(y, generator.standard_normal((n, 19)))
    return cb.numbers.PIT.from_normal(y, 0.0, 1.0, group=group)


def rejected(pit: cb.numbers.PIT, test: str) -> float:
    """Whether a test rejects at 5 %; NaN for a test that refuses so few groups."""
    try:
        return float(pit.test(test).p_value <= 0.05)
    except cb.errors.UnsupportedError:
        return float("nan")


def simulate(job: tuple[str, int, str, int]) -> dict[str, float]:
    kind, n, model, simulations = job
    warnings.simplefilter("ignore", cb.errors.CalibrantWarning)
    place = [*KINDS, *UNEQUAL].index(kind)
    generator = np.random.default_rng([n, place, list(MODELS).index(model)])
    names = ("curve", "histogram", "Uniform", "CookGelmanRubin", "covered", "width", "coverage")
    found = dict.fromkeys(names, 0.0)
    shares = true_shares(kind, model)
    true = float(np.sqrt(np.mean((shares - POINTS) ** 2)))
    inside = shares[-1] - shares[0]
    for _ in range(simulations):
        pit = draw(generator, kind, n, model)
        try:
            found["curve"] += not pit.curve().inside
            bins = pit.histogram()
            found["histogram"] += bool(((bins.count < bins.low) | (bins.count > bins.high)).any())
        except cb.errors.UnsupportedError:  # too few groups
            found["curve"] = found["histogram"] = float("nan")
        for test in ("Uniform", "CookGelmanRubin"):
            found[test] += rejected(pit, test)
        score = pit.score(POINTS, replicates=300)
        found["covered"] += score.low <= true <= score.high
        found["width"] += score.high - score.low
        held = pit.coverage([0.9])
        found["coverage"] += held.low[0] <= inside <= held.high[0]
    return {name: value / simulations for name, value in found.items()}


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("what", nargs="?", default="all", choices=["all", "groups"])
    parser.add_argument("--kinds", nargs="+", choices=[*KINDS, *UNEQUAL])
    parser.add_argument("--simulations", type=int, default=400)
    parser.add_argument("--workers", type=int, default=2)
    given = parser.parse_args()
    kinds = given.kinds or (UNEQUAL if given.what == "groups" else KINDS)
    jobs = [
        (kind, n, model, given.simulations)
        for kind in kinds
        for n in ([int(UNEQUAL[kind][0].sum())] if kind in UNEQUAL else SIZES)
        for model in MODELS
    ]
    print(
        "kind                      n     model       outside: curve  histogram  p<=5 %: Uniform  "
        "CGR  score covered  Wilson covered"
    )
    with ProcessPoolExecutor(given.workers) as pool:
        for (kind, n, model, _), row in zip(jobs, pool.map(simulate, jobs), strict=True):
            cells = "  ".join(f"{100 * row[name]:6.1f}" for name in row if name != "width")
            print(f"{kind:24} {n:5} {model:12} {cells}  width {row['width']:.4f}", flush=True)
