"""Makes the figures of the documentation: `python tools/make_figures.py`."""

from pathlib import Path

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray
from scipy.special import expit, logit

import calibrant as cb
from calibrant.pairs.synthetic import calibrated, identity, inward, outward, sample, sample_groups
from calibrant.plots import Sweep, save_figure
from calibrant.studies.demo.taggers import run_demo, tweets

Float = NDArray[np.float64]
FOLDER = Path(__file__).parents[1] / "docs" / "figures"
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
    maps = {"calibrated": identity, "overconfident": inward(0.1), "underconfident": outward(0.1)}
    curves = {name: cb.curve(sample(20_000, t, a=1, b=1), bins) for name, t in maps.items()}
    return cb.plot(curves, panels=True)[0]


def sweep() -> Axes:
    pairs = calibrated(20_000, seed=1)
    sizes = 2 ** np.arange(3, 13)
    scores = {
        "plug-in": [cb.CalibScore(size=int(b), debiased=False)(pairs) for b in sizes],
        "debiased": [cb.CalibScore(size=int(b))(pairs) for b in sizes],
    }
    lines = {name: Sweep(sizes, np.array(found)) for name, found in scores.items()}
    ax = cb.plot(lines, xlabel="bin size")
    ax.set_xscale("log", base=2)
    return ax


def continuous() -> Axes:
    generator = np.random.default_rng(1)
    mean = generator.normal(size=800)
    pit = cb.numbers.PIT.from_normal(mean + generator.normal(size=800), mean, sd=0.8)
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


def parse() -> Axes:
    rules = {
        ("S", "NP", "VP"): 1.0,
        ("VP", "V", "NP"): 0.6,
        ("VP", "VP", "PP"): 0.4,
        ("NP", "D", "N"): 0.7,
        ("NP", "NP", "PP"): 0.3,
        ("PP", "P", "NP"): 1.0,
    }
    words = {
        ("D", "the"): 1.0,
        ("V", "saw"): 1.0,
        ("P", "with"): 1.0,
        ("N", "girl"): 0.4,
        ("N", "dog"): 0.4,
        ("N", "telescope"): 0.2,
    }
    grammar = cb.models.Grammar(rules, {}, words, root="S")
    return cb.plot(cb.Tree.from_grammar(grammar, [SENTENCE.split()]))


def mentions() -> Axes:
    letter = [
        [1, 0, 0, 0, 0, 0],
        [0.05, 0.95, 0, 0, 0, 0],
        [0.45, 0.35, 0.2, 0, 0, 0],
        [0.15, 0.15, 0.65, 0.05, 0, 0],
        [0, 0.02, 0.03, 0, 0.95, 0],
        [0, 0, 0.02, 0, 0.88, 0.1],
    ]
    return cb.plot(cb.Links.from_probabilities([letter]), words=LETTER)


def mention_matrix() -> Axes:
    """A longer letter: pronouns look back a little, names to themselves."""
    texts = [*LETTER, "Ada", "her", "the engine", "it", "she", "his engine", "Lady Byron", "her"]
    kind = [0, 1, 0, 0, 2, 2, 0, 0, 3, 3, 0, 3, 1, 1]
    scores = np.full((len(kind), len(kind)), -np.inf)
    for j, text in enumerate(texts):
        vague = text in ("she", "her", "him", "it")
        for i in range(j):
            agree = 2.0 if kind[i] == kind[j] else 0.5 if {kind[i], kind[j]} == {0, 1} else -3.0
            scores[j, i] = agree - 0.2 * (j - i) * vague
        scores[j, j] = -1.0 if vague else 1.0
    return cb.plot(cb.Links.from_scores([scores]), words=texts)


SENTENCE = "the girl saw the dog with the telescope"
LETTER = ["Ada", "her mother", "the countess", "she", "Babbage", "him"]

if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for draw in (tutorial, directions, sweep, continuous, curves, describe, classes, taggers):
        save(draw(), draw.__name__)
    run_demo(FOLDER / "demo.png")
    for draw in (parse, mentions, mention_matrix):
        save_figure(draw(), FOLDER / f"{draw.__name__.replace('_', '-')}.png")
