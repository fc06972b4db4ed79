"""Recalibration: what protocols claim to gain, and what maps gain on new documents.

    python benchmarks/recalibration.py verdicts -o FILE     our verdicts beside the truth
    python benchmarks/recalibration.py classes -o FILE      the same for rows of three classes
    python benchmarks/recalibration.py protocols -o FILE    same data, folds of rows or documents
    python benchmarks/recalibration.py peers -o FILE        beside other packages, by size
    python benchmarks/recalibration.py speed                in units of numpy.sort, one thread

FILE is a CSV with a row for each simulation: those that are in it already are not run again, and
the table is made of all of them. Without it, nothing is kept. `peers` also runs netcal, if it is
installed.

Documents have 50 rows, which share an effect on the logit (latent correlation 0.3). The model is
calibrated on average over documents; or its logits are too extreme (slope .6), not extreme enough
(slope 1.5), shifted by 0.5, or jump at ½. The truth is the change of the Brier score on 400 new
documents by the map that was learnt from all pairs. Changes are shown times 10⁴. "covers": how
often the interval of the change contains the truth.
"""

import unshadow  # noqa: F401, I001  (before other imports)

import argparse
import csv
import time
from collections.abc import Callable, Sequence
from itertools import product
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit, softmax

import calibrant as cb
from calibrant.calibration.recalibration import Beta, Isotonic, Method, Platt, Temperature
from calibrant.calibration.recalibration.cells import folded_cells
from calibrant.calibration.recalibration.cross_fitting import cross_fit
from calibrant.calibration.recalibration.maps import Map

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


def verdicts(simulations: int, output: Path | None) -> None:
    cells = list(product(MAPS, (15, 40, 400)))
    found = simulated(one_verdict, cells, simulations, output)
    print("map         documents  use it  do not  cannot tell  harmful 'use it'  claimed   truth")
    for shape, documents in cells:
        rows = found[shape, documents]
        shares = [100 * np.mean([row[0] == word for row in rows]) for word in WORDS]
        harm = np.mean([word == WORDS[0] and float(truth) > 0 for word, _, truth in rows])
        claimed, truth = (np.mean([float(row[k]) for row in rows]) for k in (1, 2))
        print(
            f"{shape:11} {documents:9} {shares[0]:7.1f} {shares[1]:7.1f} {shares[2]:12.1f} "
            f"{100 * harm:17.1f} {1e4 * claimed:8.1f} {1e4 * truth:7.1f}"
        )


def one_verdict(shape: str, documents: int, seed: int) -> tuple[str, float, float]:
    found = cb.recalibrate(draw(shape, documents, seed))
    return found.verdict, found.change.value, gain(found.map, shape, seed)


def classes(simulations: int, output: Path | None) -> None:
    cells = list(product(("calibrated", "slope .6", "shift .5"), (15, 40, 400)))
    found = simulated(one_of_classes, cells, simulations, output)
    print("map         documents  use it  do not  cannot tell  harmful  claimed   truth  covers")
    for shape, documents in cells:
        rows = found[shape, documents]
        shares = [100 * np.mean([row[0] == word for row in rows]) for word in WORDS]
        numbers = np.array([row[1:] for row in rows], float)
        claimed, low, high, truth = numbers.T
        harm = np.mean((truth > 0) & np.array([row[0] == WORDS[0] for row in rows]))
        covers = np.mean((low <= truth) & (truth <= high))
        print(
            f"{shape:11} {documents:9} {shares[0]:7.1f} {shares[1]:7.1f} {shares[2]:12.1f} "
            f"{100 * harm:8.1f} {1e4 * claimed.mean():8.1f} {1e4 * truth.mean():7.1f} "
            f"{100 * covers:7.1f}"
        )


def rows_of_classes(shape: str, documents: int, seed: int) -> tuple[Float, NDArray, NDArray]:
    """Probabilities of three classes, the true ones, and their documents."""
    rng = np.random.default_rng(seed)
    document = np.repeat(np.arange(documents), ROWS)
    x = rng.normal(0, 1.5, (document.size, 3))
    effect = rng.normal(0, SPREAD, (documents, 3))[document] / np.sqrt(2)  # of differences: SPREAD
    level = 0.6 * x if shape == "slope .6" else x + np.array([0.5, 0, 0]) * (shape == "shift .5")
    truth = softmax(GROWTH * level + effect, axis=1).cumsum(axis=1)
    gold = (rng.random(document.size)[:, None] > truth[:, :2]).sum(axis=1)
    return softmax(x, axis=1), gold, document


def one_of_classes(shape: str, documents: int, seed: int) -> tuple[str, float, float, float, float]:
    q, gold, document = rows_of_classes(shape, documents, seed)
    found = cb.recalibrate(cb.Labels(q), gold=gold, group=document)
    new, truth, _ = rows_of_classes(shape, 400, seed + 10**6)
    hit = np.eye(3)[truth]
    errors = [((rows - hit) ** 2).sum(axis=1).mean() for rows in (found.map(new), new)]
    change = found.change
    return found.verdict, change.value, change.low, change.high, float(errors[0] - errors[1])


def protocols(simulations: int, output: Path | None) -> None:
    cells = list(product(("Platt", "Isotonic"), MAPS, (15, 40)))
    found = simulated(claims, cells, simulations, output)
    print("method    map         documents  same data  folds of rows  folds of documents   truth")
    for method, shape, documents in cells:
        rows = np.array(found[method, shape, documents], float)
        same, by_row, by_document, truth = 1e4 * rows.mean(axis=0)
        print(
            f"{method:9} {shape:11} {documents:9} {same:10.1f} {by_row:14.1f} "
            f"{by_document:19.1f} {truth:7.1f}"
        )


def claims(name: str, shape: str, documents: int, seed: int) -> list[float]:
    """What each protocol says that the map gains, and what it gains."""
    method: Method = {"Platt": Platt(), "Isotonic": Isotonic()}[name]
    pairs = draw(shape, documents, seed)
    before = np.mean((pairs.q - pairs.y) ** 2)
    learnt = method.learn(folded_cells(pairs, seed).without())
    found = [np.mean((learnt(pairs.q) - pairs.y) ** 2) - before]
    for each in (pairs.without_groups(), pairs):
        fit = cross_fit(folded_cells(each, seed), [method], cb.Brier())
        found.append(np.mean((fit.mapped(each.q, Map.__call__) - pairs.y) ** 2) - before)
    return [*found, gain(learnt, shape, seed)]


def peers(simulations: int, output: Path | None) -> None:
    cells = list(product(("calibrated", "slope .6", "jump"), (100, 1000, 10_000)))
    found = simulated(losses, cells, simulations, output)
    print("Mean log loss on 20,000 new independent pairs:")
    names = (*PEERS, *RIVALS, *netcal_maps())
    print("map           pairs " + " ".join(f"{name:>11}" for name in names))
    for shape, n in cells:
        rows = np.array(found[shape, n], float)
        print(f"{shape:11} {n:7} " + " ".join(f"{each:11.4f}" for each in rows.mean(axis=0)))


def netcal_maps() -> dict[str, object]:
    """The maps of netcal that have counterparts here; none if it is not installed."""
    try:
        from netcal.binning import HistogramBinning
        from netcal.scaling import BetaCalibration, LogisticCalibration, TemperatureScaling
    except ImportError:
        return {}
    made = {"Logistic": LogisticCalibration, "Temp.": TemperatureScaling, "Beta": BetaCalibration}
    return {f"nc-{name}": each for name, each in (made | {"Bins": HistogramBinning}).items()}


def simulated(
    work: Callable[..., Sequence[object]],
    cells: Sequence[tuple[object, ...]],
    simulations: int,
    output: Path | None,
) -> dict[tuple[object, ...], list[list[str]]]:
    """What `work` returns for each cell and seed; a simulation that is in the file is not run."""
    known: dict[tuple[str, ...], list[str]] = {}
    wide = len(cells[0]) + 1
    if output is not None and output.exists():
        with output.open(newline="") as file:
            known = {tuple(row[:wide]): row[wide:] for row in csv.reader(file)}
    for seed, cell in product(range(simulations), cells):
        key = (*map(str, cell), str(seed))
        if key in known:
            continue
        known[key] = [str(each) for each in work(*cell, seed)]
        if output is not None:
            with output.open("a", newline="") as file:
                csv.writer(file, lineterminator="\n").writerow([*key, *known[key]])
    return {cell: [v for k, v in known.items() if k[:-1] == (*map(str, cell),)] for cell in cells}


def losses(shape: str, n: int, seed: int) -> list[float]:
    """The log loss of every map on new pairs."""
    (q, y), (new, truth) = independent(shape, n, seed), independent(shape, 20_000, seed + 10**6)
    pairs = cb.Pairs(y, q)
    found = [new, cb.recalibrate(pairs, interval=None).map(new)]
    lesson = folded_cells(pairs, 0).without()
    found += [method.learn(lesson)(new) for method in (Temperature(), Platt(), Beta(), Isotonic())]
    found += [rival(q, y, new) for rival in (sk_sigmoid, sk_isotonic, sk_temperature)]
    found += [each().fit(q, y).transform(new) for each in netcal_maps().values()]
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


def speed(simulations: int, output: Path | None) -> None:
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
    cross_fit(cells, [method], cb.Brier()).mapped(pairs.q, Map.__call__)
    method.learn(cells.without())


def best(work: Callable[[], object], runs: int = 5) -> float:
    """The least processor time of several runs, in seconds."""
    times = []
    for _ in range(runs):
        started = time.process_time()
        work()
        times.append(time.process_time() - started)
    return min(times)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["verdicts", "classes", "protocols", "peers", "speed"])
    parser.add_argument("--simulations", type=int, default=200)
    parser.add_argument("-o", "--output", type=Path)
    options = parser.parse_args()
    globals()[options.what](options.simulations, options.output)


if __name__ == "__main__":
    main()
