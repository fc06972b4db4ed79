"""Comparisons of two models that are equally wrong in different places.

    python benchmarks/comparisons.py                       1000 simulations a cell
    python benchmarks/comparisons.py --simulations 100     a quick look
    python benchmarks/comparisons.py --kinds own           models with answers of their own

Both models answer the same questions. The logits of the second mirror those of the first, and so
do its errors: P(y = 1) is expit(x), the first says expit(x + 0.5), the second expit(x − 0.5) for
centred x. So their true scores are equal. Shown are the share of tests that reject at 5 % (the
size of the test) and of intervals that contain 0 (their coverage); the two add up to 100 %.
"other": the second model is calibrated, so the share of rejections is the power of the test, and
coverage is that of the true difference.
"own": each model answers every question in its own way, and its y says whether its answer is right.
Both say expit(x + shift), where x, the group effects and the luck of the two models are correlated
(0.5 each). So all true differences are 0. "accuracy": how often the interval of the difference of
the accuracies contains it.
"""

from designs import DESIGNS, SD, Design, generator_of  # noqa: I001
import unshadow  # noqa: F401  (after the import from this folder)

import argparse
import warnings
from concurrent.futures import ProcessPoolExecutor
from itertools import product

import numpy as np
from scipy.special import expit, ndtr, ndtri

import calibrant as cb

SCORES = ("CalibScore", "ECE", "SmoothECE", "Brier", "LogLoss")
PLACES = {
    "independent, 500": 500,
    "independent, 4000": 4000,
    "10 lognormal": DESIGNS["10 lognormal"],
    "18, one 25 %": DESIGNS["18, one 25 %"],
    "36, one 25 %": DESIGNS["36, one 25 %"],
}
OWN_SCORES = ("CalibScore", "ECE", "Brier")
OWN_PLACES = {
    "independent, 500": 500,
    "15 lognormal": Design("lognormal", 15, 1500, 0.7, 1.0),
}
OWN_SHIFTS = (0.5, 1.0)
CENTRE = 1.0  # of x: most answers are right
RELATED = 0.5
SHIFT = 0.5


def models(place: int | Design, second: float, generator: np.random.Generator) -> list[cb.Pairs]:
    """Two models of the same outcomes: one shifted up, the other by `second`."""
    if isinstance(place, int):
        x = SD * generator.standard_normal(place)
        y = (generator.random(place) < expit(x)).astype(int)
        group = None
    else:
        group = np.repeat(np.arange(place.groups), place.sizes())
        between = generator.standard_normal(place.groups)[group]
        x = SD * (between + generator.standard_normal(group.size)) / np.sqrt(2)
        eta = x / place.phi + place.effects(generator)[group]
        y = (generator.random(group.size) < expit(eta)).astype(int)
    return [cb.Pairs(y, expit(x + each), group=group) for each in (SHIFT, second)]


def alike(count: int, generator: np.random.Generator) -> list[np.ndarray]:
    """Two sets of standard normal numbers with correlation `RELATED`."""
    shared, *own = generator.standard_normal((3, count))
    return [np.sqrt(RELATED) * shared + np.sqrt(1 - RELATED) * each for each in own]


def own_answers(
    place: int | Design, shift: float, generator: np.random.Generator
) -> list[cb.Pairs]:
    """Two models that answer in their own way, equally overconfident."""
    if isinstance(place, int):
        places = [CENTRE + SD * each for each in alike(place, generator)]
        etas, group = places, None
    else:
        group = np.repeat(np.arange(place.groups), place.sizes())
        between, within = alike(place.groups, generator), alike(group.size, generator)
        effects = [place.effects_at(ndtr(each)) for each in alike(place.groups, generator)]
        places = [
            place.centre + SD * (one[group] + other) / np.sqrt(2)
            for one, other in zip(between, within, strict=True)
        ]
        etas = [x / place.phi + each[group] for x, each in zip(places, effects, strict=True)]
    luck = alike(places[0].size, generator)
    right = [ndtr(each) < expit(eta) for each, eta in zip(luck, etas, strict=True)]
    return [
        cb.Pairs(y.astype(int), expit(x + shift), group=group)
        for y, x in zip(right, places, strict=True)
    ]


def run_own(job: tuple[str, float, str, int]) -> str:
    place, shift, score, simulations = job
    warnings.simplefilter("ignore")
    rejected = accurate = 0
    widths = []
    for k in range(simulations):
        one, other = own_answers(OWN_PLACES[place], shift, generator_of("own", place, k))
        found = cb.compare({"one": one, "other": other}, score, own_answers=True)
        rejected += found.p_value < 0.05
        each = found.difference
        assert (found.p_value < 0.05) == (each.low > 0 or each.high < 0)
        widths.append(each.high - each.low)
        (accuracy,) = found.accuracy_differences.values()
        accurate += accuracy.low <= 0 <= accuracy.high
    shares = [f"{100 * many / simulations:.1f}" for many in (rejected, accurate)]
    return f"| {place} | {shift} | {score} | {' | '.join(shares)} | {np.median(widths):.3f} |"


def difference(score: str, second: float) -> float:
    """The true difference, over the distribution of x."""
    x = SD * ndtri((np.arange(20_001) + 0.5) / 20_001)
    p = expit(x)

    def of(shift: float) -> float:
        q = expit(x + shift)
        if score in ("Brier", "LogLoss"):
            return float(np.mean(getattr(cb, score)().expected(q, p)))
        if score == "CalibScore":
            return float(np.sqrt(np.mean((q - p) ** 2)))
        return float(np.mean(np.abs(q - p)))  # of SmoothECE nearly: the gaps have one sign

    return of(SHIFT) - of(second)


def run(job: tuple[str, str, str, int]) -> str:
    place, kind, score, simulations = job
    warnings.simplefilter("ignore")
    second = -SHIFT if kind == "equal" else 0.0
    truth = difference(score, second)
    rejected = covered = 0
    widths = []
    for k in range(simulations):
        one, other = models(PLACES[place], second, generator_of("compare", place, kind, k))
        found = cb.compare({"one": one, "other": other}, score)
        (a, _), each = next(iter(found.differences.items()))
        low, high = (each.low, each.high) if a == "one" else (-each.high, -each.low)
        rejected += found.p_value < 0.05
        covered += low <= truth <= high
        widths.append(high - low)
        assert (found.p_value < 0.05) == (low > 0 or high < 0)
    shares = f"{100 * rejected / simulations:.1f} | {100 * covered / simulations:.1f}"
    return f"| {place} | {kind} | {score} | {truth:.3f} | {shares} | {np.median(widths):.3f} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--simulations", type=int, default=1000)
    parser.add_argument("--scores", nargs="+")
    parser.add_argument("--kinds", nargs="+", default=["equal", "other"])
    parser.add_argument("--places", nargs="+", default=list(PLACES), choices=list(PLACES))
    parser.add_argument("--processes", type=int, default=2)
    options = parser.parse_args()
    if options.kinds == ["own"]:
        print("| design | shift | score | rejects | accuracy | width |\n|---|---|---|---|---|---|")
        scores = options.scores or OWN_SCORES
        cells = product(OWN_PLACES, OWN_SHIFTS, scores)
        jobs = [(*each, options.simulations) for each in cells]
        work = run_own
    else:
        print("| design | models | score | difference | rejects | covers | width |")
        print("|---|---|---|---|---|---|---|")
        jobs = [
            (place, kind, score, options.simulations)
            for kind, score, place in product(
                options.kinds, options.scores or SCORES, options.places
            )
        ]
        work = run
    with ProcessPoolExecutor(options.processes) as pool:
        for line in pool.map(work, jobs):
            print(line, flush=True)


if __name__ == "__main__":
    main()
