"""Recalibration: what protocols claim to gain, and what maps gain on new documents.

    python benchmarks/recalibration.py verdicts          our verdicts beside the truth
    python benchmarks/recalibration.py protocols         same data, folds of rows or documents
    python benchmarks/recalibration.py peers             beside scikit-learn, by size
    python benchmarks/recalibration.py speed             in units of numpy.sort

Documents have 50 rows, which share an effect on the logit (latent correlation 0.3). The model is
calibrated on average over documents; or its logits are too extreme (slope .6), not extreme enough
(slope 1.5), shifted by 0.5, or jump at ½. The truth is the change of the Brier score on 400 new
documents by the map that was learnt from all pairs. Changes are shown times 10⁴.
"""

import unshadow  # noqa: F401, I001  (before other imports)

import argparse
import time
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit

import calibrant as cb
from calibrant.calibration.recalibration import Beta, Isotonic, Method, Platt, Temperature
from calibrant.calibration.recalibration.cells import folded_cells
from calibrant.calibration.recalibration.cross_fitting import cross_fit

Float = NDArray[np.float64]
ROWS = 50
RHO = 0.3  # latent correlation within documents
SPREAD = np.sqrt(RHO * np.pi**2 / 3 / (1 - RHO))
GROWTH = np.sqrt(1 + (16 * np.sqrt(3) / (15 * np.pi) * SPREAD) ** 2)  # undoes the averaging
WORDS = ("use it", "do not", "cannot tell")
PEERS = ("before", "auto", "Temperature", "Platt", "Beta", "Isotonic")
RIVALS = ("sk-sigmoid", "sk-isotonic", "sk-temp.")
MAPS: dict[str, Callable[[Float], Float]] = {
    "calibrated": lambda x: x,
    "slope .6": lambda x: 0.6 * x,
    "slope 1.5": lambda x: 1.5 * x,
    "shift .5": lambda x: x + 0.5,
    "jump": lambda x: x + 0.5 * np.sign(x),
}


def draw(shape: str, documents: int, seed: int) -> cb.Pairs:
    """Pairs of fresh documents."""
    rng = np.random.default_rng(seed)
    document = np.repeat(np.arange(documents), ROWS)
    x = rng.normal(0, 1.5, document.size)
    effect = rng.normal(0, SPREAD, documents)[document]
    y = rng.random(x.size) < expit(GROWTH * MAPS[shape](x) + effect)
    return cb.Pairs(y, expit(x), group=document)


def gain(found: Callable[[Float], Float], shape: str, seed: int) -> float:
    """The change of the Brier score on new documents."""
    new = draw(shape, 400, seed + 10**6)
    q = np.asarray(new.q)
    return float(np.mean((found(q) - new.y) ** 2 - (q - new.y) ** 2))


def verdicts(simulations: int) -> None:
    print("map         documents  use it  do not  cannot tell  harmful 'use it'  claimed   truth")
    for shape in MAPS:
        for documents in (15, 40, 400):
            rows = [one_verdict(shape, documents, seed) for seed in range(simulations)]
            said = [each[0] for each in rows]
            harm = np.mean([word == "use it" and truth > 0 for word, _, truth in rows])
            claimed, truth = (np.mean([each[k] for each in rows]) for k in (1, 2))
            shares = [
                100 * said.count(word) / simulations for word in ("use it", "do not", "cannot tell")
            ]
            print(
                f"{shape:11} {documents:9} {shares[0]:7.1f} {shares[1]:7.1f} {shares[2]:12.1f} "
                f"{100 * harm:17.1f} {1e4 * claimed:8.1f} {1e4 * truth:7.1f}",
                flush=True,
            )


def one_verdict(shape: str, documents: int, seed: int) -> tuple[str, float, float]:
    found = cb.recalibrate(draw(shape, documents, seed))
    return found.verdict, found.change.value, gain(found.map, shape, seed)


def protocols(simulations: int) -> None:
    print("method    map         documents  same data  folds of rows  folds of documents   truth")
    for method in (Platt(), Isotonic()):
        for shape in ("calibrated", "slope .6"):
            for documents in (15, 40):
                rows = [claims(method, shape, documents, seed) for seed in range(simulations)]
                same, by_row, by_document, truth = 1e4 * np.mean(rows, axis=0)
                print(
                    f"{method!r:9} {shape:11} {documents:9} {same:10.1f} {by_row:14.1f} "
                    f"{by_document:19.1f} {truth:7.1f}",
                    flush=True,
                )


def claims(method: Method, shape: str, documents: int, seed: int) -> list[float]:
    """What each protocol says that the map gains, and what it gains."""
    pairs = draw(shape, documents, seed)
    before = np.mean((pairs.q - pairs.y) ** 2)
    learnt = method.learn(folded_cells(pairs, seed).without())
    found = [np.mean((learnt(pairs.q) - pairs.y) ** 2) - before]
    for each in (pairs.without_groups(), pairs):
        fit = cross_fit(folded_cells(each, seed), [method], cb.Brier())
        found.append(np.mean((fit.predictions(each) - pairs.y) ** 2) - before)
    return [*found, gain(learnt, shape, seed)]


def peers(simulations: int) -> None:
    print("Mean log loss on 20,000 new independent pairs:")
    print("map           pairs " + " ".join(f"{name:>11}" for name in (*PEERS, *RIVALS)))
    for shape in ("calibrated", "slope .6", "jump"):
        for n in (100, 1000, 10_000):
            rows = [losses(shape, n, seed) for seed in range(simulations)]
            shown = " ".join(f"{each:11.4f}" for each in np.mean(rows, axis=0))
            print(f"{shape:11} {n:7} {shown}", flush=True)


def losses(shape: str, n: int, seed: int) -> list[float]:
    """The log loss of every map on new pairs."""
    (q, y), (new, truth) = independent(shape, n, seed), independent(shape, 20_000, seed + 10**6)
    pairs = cb.Pairs(y, q)
    found = [new, cb.recalibrate(pairs, interval=None).map(new)]
    lesson = folded_cells(pairs, 0).without()
    found += [method.learn(lesson)(new) for method in (Temperature(), Platt(), Beta(), Isotonic())]
    found += [rival(q, y, new) for rival in (sk_sigmoid, sk_isotonic, sk_temperature)]
    clipped = [np.clip(each, 1e-12, 1 - 1e-12) for each in found]
    return [float(-np.mean(np.where(truth, np.log(p), np.log1p(-p)))) for p in clipped]


def independent(shape: str, n: int, seed: int) -> tuple[Float, Float]:
    rng = np.random.default_rng(seed)
    x = rng.normal(0, 1.5, n)
    return expit(x), rng.random(n) < expit(MAPS[shape](x))


def sk_sigmoid(q: Float, y: Float, new: Float) -> Float:
    from sklearn.calibration import _SigmoidCalibration

    fitted = _SigmoidCalibration().fit(logit(q), y)
    return fitted.predict(logit(new))


def sk_isotonic(q: Float, y: Float, new: Float) -> Float:
    from sklearn.isotonic import IsotonicRegression

    return IsotonicRegression(y_min=0, y_max=1, out_of_bounds="clip").fit(q, y).predict(new)


def sk_temperature(q: Float, y: Float, new: Float) -> Float:
    from sklearn.calibration import _TemperatureScaling

    fitted = _TemperatureScaling().fit(np.column_stack([np.zeros_like(q), logit(q)]), y.astype(int))
    return fitted.predict(np.column_stack([np.zeros_like(new), logit(new)]))[:, 1]


def speed(simulations: int) -> None:
    from sklearn.isotonic import IsotonicRegression

    rng = np.random.default_rng(0)
    q = rng.random(10**6)
    pairs = cb.Pairs(rng.random(q.size) < q, q, group=rng.integers(0, 50_000, q.size))
    sort, stable = best(lambda: np.sort(q)), best(lambda: np.sort(q, kind="stable"))
    print(f"10⁶ pairs in 50,000 groups; numpy.sort {sort:.4f} s, stable {stable:.4f} s")
    peer = best(lambda: IsotonicRegression().fit(pairs.q, pairs.y))
    for method in (Temperature(), Platt(), Beta(), Isotonic()):
        fit = best(lambda: method.learn(folded_cells(pairs, 0).without()))  # noqa: B023
        whole = best(lambda: cross_fitted(pairs, method))  # noqa: B023
        told = f", {fit / peer:.2f} times scikit-learn's fit" if method == Isotonic() else ""
        print(
            f"{method!r:12} fitted in {fit:.3f} s; with cross-fitting {whole:.3f} s = "
            f"{whole / sort:.0f} sorts, {whole / stable:.1f} stable sorts{told}",
            flush=True,
        )


def cross_fitted(pairs: cb.Pairs, method: Method) -> None:
    cells = folded_cells(pairs, 0)
    cross_fit(cells, [method], cb.Brier()).predictions(pairs)
    method.learn(cells.without())


def best(work: Callable[[], object], runs: int = 5) -> float:
    times = []
    for _ in range(runs):
        started = time.perf_counter()
        work()
        times.append(time.perf_counter() - started)
    return min(times)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["verdicts", "protocols", "peers", "speed"])
    parser.add_argument("--simulations", type=int, default=200)
    options = parser.parse_args()
    globals()[options.what](options.simulations)


if __name__ == "__main__":
    main()
