"""How far each curve is from the truth, and how long it takes.

    python benchmarks/curves.py errors       root mean square error against the true frequencies
    python benchmarks/curves.py speed        beside numpy, statsmodels, scikit-learn and relplot
    python benchmarks/curves.py bands        how often bands contain the truth, and their widths

Errors are taken at new predictions of the same distribution. The true curves are that of a
calibrated model, the thesis's t(p) with its jump (k = 0.1, both directions), and a smooth one,
logit p = 0.3 + 0.7 logit q. Times are the best of several runs, compiled; the machine may be
shared and noisy, so look at the ratios.

Bands are looked at where 2, 10, 25, 50, 75, 90 and 98 % of the predictions are smaller, with
independent pairs and with few and unequal groups (`designs.py`). The band of a bin is compared
with the mean frequency of its pairs, that of a step with the frequency at its mean prediction.
`--simulations` and `--curve` take less time.
"""

from designs import DESIGNS, MAPS, SD, generator_of  # noqa: I001
import unshadow  # noqa: F401  (after the import from this folder)

import argparse
import time
import warnings
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit, ndtri

import calibrant as cb
from calibrant.calibration.curves import Estimator
from calibrant.pairs import synthetic

Float = NDArray[np.float64]
SIZES = {1000: 100, 10_000: 40, 100_000: 10}  # pairs: simulations
PREDICTIONS = {"Beta(1, 1)": (1.0, 1.0), "Beta(.4, .6)": (0.4, 0.6)}
CURVES = (
    cb.AdaptiveBins(),
    cb.UniformBins(),
    cb.Kernel(),
    cb.LocalLikelihood(),
    cb.Isotonic(),
)


QUANTILES = np.array([0.02, 0.1, 0.25, 0.5, 0.75, 0.9, 0.98])
BANDED = (cb.AdaptiveBins(), cb.Kernel(), cb.LocalLikelihood(), cb.Isotonic())
INDEPENDENT = (300, 1000, 5000)
GROUPED = ("10 lognormal", "18, one 25 %", "36 lognormal", "36 lognormal, rare", "200 Zipf")
CENTRE = -1.0  # mean of logit q of independent pairs


def smooth(q: Float) -> Float:
    found: Float = expit(0.3 + 0.7 * logit(q))
    return found


TRUTHS: dict[str, Callable[[Float], Float]] = {
    "calibrated": synthetic.identity,
    "inward 0.1": synthetic.inward(0.1),
    "outward 0.1": synthetic.outward(0.1),
    "smooth": smooth,
}


def errors() -> None:
    print("| q | truth | n | " + " | ".join(type(curve).__name__ for curve in CURVES) + " |")
    print("|---|---|---:|" + "---:|" * len(CURVES))
    for kind, (a, b) in PREDICTIONS.items():
        for name, truth in TRUTHS.items():
            for n, simulations in SIZES.items():
                found = np.zeros(len(CURVES))
                for seed in range(simulations):
                    pairs = synthetic.sample(n, truth, a=a, b=b, seed=seed)
                    asked = np.random.default_rng([seed, n]).beta(a, b, 5000)
                    for i, curve in enumerate(CURVES):
                        gap = curve.estimate(pairs)(asked) - truth(asked)
                        found[i] += np.nanmean(gap**2)
                roots = np.sqrt(found / simulations)
                best = int(np.argmin(roots))
                shown = [f"**{x:.4f}**" if i == best else f"{x:.4f}" for i, x in enumerate(roots)]
                print(f"| {kind} | {name} | {n:,} | " + " | ".join(shown) + " |", flush=True)


def draw(design: int | str, shape: str, simulation: int) -> tuple[cb.Pairs, float]:
    """Pairs of one simulation, and the mean of logit q; a number stands for independent pairs."""
    generator = generator_of(design, shape, simulation)
    if isinstance(design, str):
        return DESIGNS[design].draw(generator, shape), DESIGNS[design].centre
    x = CENTRE + SD * generator.standard_normal(design)
    y = generator.random(design) < expit(MAPS[shape](x))
    return cb.Pairs(y.astype(int), expit(x)), CENTRE


def limits(pairs: cb.Pairs, curve: Estimator, q: Float, shape: str) -> tuple[Float, ...]:
    """The band at predictions, and the truth that it should contain."""
    found = cb.curve(pairs, curve)
    if found.upper is None:
        low, high = (np.interp(q, found.q, each) for each in (found.low, found.high))
        return low, high, expit(MAPS[shape](logit(q)))
    truth = expit(MAPS[shape](logit(found.q)))
    if isinstance(curve, cb.AdaptiveBins):
        column = np.searchsorted(found.upper, pairs.q)
        each = expit(MAPS[shape](logit(pairs.q)))
        truth = np.bincount(column, each) / np.bincount(column)
    at = np.minimum(np.searchsorted(found.upper, q), len(found) - 1)
    return found.low[at], found.high[at], truth[at]


def bands(simulations: int, curves: tuple[Estimator, ...]) -> None:
    print("| curve | pairs | truth |" + "".join(f" {x:g} |" for x in QUANTILES) + " all | widths |")
    print("|---|---|---|" + "---:|" * (QUANTILES.size + 1) + "---|")
    cells: list[tuple[int | str, str]] = [
        *((n, shape) for n in INDEPENDENT for shape in ("calibrated", "slope .6", "bend")),
        *((name, shape) for name in GROUPED for shape in ("calibrated", "bend")),
    ]
    for curve in curves:
        for design, shape in cells:
            inside, width = np.zeros((2, simulations, QUANTILES.size))
            for simulation in range(simulations):
                pairs, centre = draw(design, shape, simulation)
                q = expit(centre + SD * ndtri(QUANTILES))
                low, high, truth = limits(pairs, curve, q, shape)
                inside[simulation] = (low <= truth) & (truth <= high)
                width[simulation] = high - low
            covers = "".join(f" {100 * x:.0f} |" for x in inside.mean(axis=0))
            wide = ", ".join(f"{x:.3f}" for x in np.median(width, axis=0)[[0, 3, 6]])
            name = f"{design:,} independent" if isinstance(design, int) else design
            kind = type(curve).__name__
            everywhere = f" {100 * inside.mean():.1f} | {wide} |"
            print(f"| {kind} | {name} | {shape} |{covers}{everywhere}", flush=True)


def best_of(call: Callable[[], object], runs: int) -> float:
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return min(times)


def line(what: str, ours: float, theirs: float, rival: str) -> None:
    print(f"| {what} | {ours:.3g} s | {rival} | {theirs:.3g} s | {theirs / ours:.3g} |", flush=True)


def million() -> tuple[NDArray[np.int64], Float]:
    pairs = synthetic.sample(1_000_000, smooth, a=0.3, b=0.3, seed=1)
    return pairs.y.astype(np.int64), pairs.q


def speed() -> None:
    print("| what | ours | beside | its time | times as fast |")
    print("|---|---:|---|---:|---:|")
    y, q = million()
    estimator = cb.LocalLikelihood()
    sort = best_of(lambda: np.sort(q), 5)
    fit = best_of(lambda: estimator.cross_validate(cb.Pairs(y, q)), 5)
    line("LocalLikelihood, 20 bandwidths, 10⁶", fit, 20 * sort, "20 numpy.sort")
    whole(estimator, y, q)
    statsmodels(estimator)
    isotonic(y, q)
    smooth_ece(y, q)


def whole(estimator: cb.LocalLikelihood, y: NDArray[np.int64], q: Float) -> None:
    """A band of 200 replicates of groups beside the fit with its cross-validation."""
    group = np.arange(y.size) // 20

    def fitted() -> cb.Pairs:
        pairs = cb.Pairs(y, q, group=group)
        estimator.estimate(pairs)(np.linspace(0.01, 0.99, 100))
        return pairs

    fit = best_of(fitted, 3)
    both = best_of(lambda: estimator.fit(fitted(), band="bootstrap"), 3)
    line("band of 200 group replicates, 10⁶ in 50,000 groups", both - fit, 20 * fit, "20 fits")


def statsmodels(estimator: cb.LocalLikelihood) -> None:
    from statsmodels.nonparametric.kernel_regression import KernelReg

    pairs = synthetic.sample(2000, smooth, a=1, b=1, seed=2)
    theirs = best_of(
        lambda: KernelReg(pairs.y.astype(float), logit(pairs.q), "c", reg_type="ll", bw="cv_ls"), 1
    )
    ours = best_of(lambda: estimator.cross_validate(cb.Pairs(pairs.y, pairs.q)), 5)
    line("LocalLikelihood, 20 bandwidths, n = 2000", ours, theirs, "statsmodels KernelReg cv_ls")
    exact = cb.LocalLikelihood(grid=None)
    ours = best_of(lambda: exact.cross_validate(cb.Pairs(pairs.y, pairs.q)), 3)
    line("the same without a grid", ours, theirs, "statsmodels KernelReg cv_ls")


def isotonic(y: NDArray[np.int64], q: Float) -> None:
    from sklearn.isotonic import IsotonicRegression

    floats = y.astype(float)
    theirs = best_of(lambda: IsotonicRegression(out_of_bounds="clip").fit(q, floats), 5)
    ours = best_of(lambda: cb.Isotonic().estimate(cb.Pairs(y, q)), 5)
    line("Isotonic, 10⁶", ours, theirs, "scikit-learn")


def smooth_ece(y: NDArray[np.int64], q: Float) -> None:
    import relplot

    theirs, ours = relplot.smECE(q, y), cb.SmoothECE()(cb.Pairs(y, q))
    times = (
        best_of(lambda: relplot.smECE(q, y), 5),
        best_of(lambda: cb.SmoothECE()(cb.Pairs(y, q)), 5),
    )
    away = abs(ours / theirs - 1)
    line(f"SmoothECE, 10⁶ ({ours:.6f}, {away:.0e} away)", times[1], times[0], "relplot")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=("errors", "speed", "bands"))
    names = [type(curve).__name__ for curve in BANDED]
    parser.add_argument("--curve", choices=names, help="only the bands of this curve")
    parser.add_argument("--simulations", type=int, default=300, help="of bands, for each cell")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    if given.what == "bands":
        chosen = tuple(each for each in BANDED if given.curve in (None, type(each).__name__))
        bands(given.simulations, chosen)
    else:
        {"errors": errors, "speed": speed}[given.what]()


if __name__ == "__main__":
    main()
