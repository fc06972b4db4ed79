"""How far each curve is from the truth, and how long it takes.

    python benchmarks/curves.py errors       root mean square error against the true frequencies
    python benchmarks/curves.py speed        beside numpy, statsmodels, scikit-learn and relplot

Errors are taken at new predictions of the same distribution. The true curves are that of a
calibrated model, the thesis's t(p) with its jump (k = 0.1, both directions), and a smooth one,
logit p = 0.3 + 0.7 logit q. Times are the best of several runs, compiled; the machine may be
shared and noisy, so look at the ratios.
"""

import unshadow  # noqa: F401, I001

import argparse
import time
import warnings
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit

import calibrant as cb
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
    both = best_of(lambda: estimator.fit(fitted()), 3)
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
    parser.add_argument("what", choices=("errors", "speed"))
    warnings.simplefilter("ignore")
    {"errors": errors, "speed": speed}[parser.parse_args().what]()


if __name__ == "__main__":
    main()
