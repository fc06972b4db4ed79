"""Makes the figures of this site: python docs/make_figures.py."""

from pathlib import Path

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray
from scipy.special import expit, logit

import calibrant as cb
from calibrant.studies.demo import run_demo, tweets
from calibrant.synthetic import calibrated, identity, inward, outward, sample, sample_groups

Float = NDArray[np.float64]
FOLDER = Path(__file__).parent / "figures"
SAME = {"svg.hashsalt": "calibrant"}  # the same file from the same data


def save(ax: Axes, name: str) -> None:
    with matplotlib.rc_context(SAME):
        ax.figure.savefig(FOLDER / f"{name}.svg", metadata={"Date": None})


def tutorial() -> Axes:
    bins = cb.AdaptiveBins(size=1000)
    tagger = sample_groups(400, inward(0.08), seed=5)
    newer = sample_groups(400, identity, seed=6)
    return cb.plot({"tagger": cb.curve(tagger, bins), "newer": cb.curve(newer, bins)})


def directions() -> Axes:
    bins = cb.AdaptiveBins(size=1000)
    maps = {"calibrated": identity, "too extreme": inward(0.1), "too timid": outward(0.1)}
    curves = {name: cb.curve(sample(20_000, t, a=1, b=1), bins) for name, t in maps.items()}
    return cb.plot(curves, panels=True)[0]


def sweep() -> Axes:
    pairs = calibrated(20_000, seed=1)
    sizes = 2 ** np.arange(3, 13)
    scores = {
        "plug-in": [cb.CalibScore(size=int(b), debiased=False)(pairs) for b in sizes],
        "debiased": [cb.CalibScore(size=int(b))(pairs) for b in sizes],
    }
    lines = {name: cb.Sweep(sizes, np.array(found)) for name, found in scores.items()}
    ax = cb.plot(lines, xlabel="bin size")
    ax.set_xscale("log", base=2)
    return ax


def continuous() -> Axes:
    generator = np.random.default_rng(1)
    mean = generator.normal(size=800)
    pit = cb.PIT.from_normal(mean + generator.normal(size=800), mean, sd=0.8)
    return cb.plot(pit.curve().difference())


def curves() -> Axes:
    pairs = sample(3000, smooth, a=0.5, b=0.5, seed=11)
    estimators = {
        "AdaptiveBins(count=15)": cb.AdaptiveBins(count=15),
        "LocalLikelihood()": cb.LocalLikelihood(),
        "Isotonic()": cb.Isotonic(),
    }
    found = {name: cb.curve(pairs, estimator) for name, estimator in estimators.items()}
    q = np.linspace(0.001, 0.999, 500)
    axes = cb.plot(found, panels=True)
    for ax in axes:
        ax.plot(q, smooth(q), color="black", lw=0.8, ls=":")
    return axes[0]


def smooth(q: Float) -> Float:
    """Too extreme, and leaning to yes."""
    found: Float = expit(0.3 + 0.7 * logit(q))
    return found


def describe() -> Axes:
    return cb.plot(cb.describe(sample_groups(300, inward(0.1), seed=4)))


def classes() -> Axes:
    rng = np.random.default_rng(4)
    matrix = rng.dirichlet([2, 2, 0.7, 0.3], 6000)
    moved = 0.8 * matrix[:, 0] * matrix[:, 1]
    true = matrix + np.column_stack([-moved, moved, 0 * moved, 0 * moved])
    tags = np.array(["noun", "verb", "adjective", "other"])
    gold = tags[(true.cumsum(axis=1) < rng.random((6000, 1))).sum(axis=1)]
    return cb.plot(cb.score_classes(cb.Labels(matrix, tags), gold, cb.CalibScore(size=300)))[0]


def taggers() -> Axes:
    said = tweets()
    shown = {"HMM": said["HMM"], "CRF": said["CRF-Advanced"]}
    return cb.plot({n: cb.curve(pairs, cb.AdaptiveBins(size=400)) for n, pairs in shown.items()})


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for draw in (tutorial, directions, sweep, continuous, curves, describe, classes, taggers):
        save(draw(), draw.__name__)
    run_demo(FOLDER / "demo.png")
