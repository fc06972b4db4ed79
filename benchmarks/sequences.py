"""Conditional random fields: time, memory and accuracy beside CRFsuite's.

python benchmarks/sequences.py            everything (about fifteen minutes)
python benchmarks/sequences.py train      time to within 0.1 % of CRFsuite's objective, UD-EWT
python benchmarks/sequences.py marginals  all unigram marginals of UD-EWT's test sentences
python benchmarks/sequences.py accuracy   accuracy and F1 of both, same features, four corpora
python benchmarks/sequences.py memory     peak memory of training on 250,000 words

Corpora are named ones: set CALIBRANT_DATA where they are not to be fetched. Both sides have the
same attributes, the same objective (c2 = l2 = 0.1), weights for the pairs of attribute and tag
that were seen and for all pairs of tags, and their time includes making the attributes.
"""

import unshadow  # noqa: F401, I001

import argparse
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np
import pycrfsuite

from calibrant.structures.named.sequences import load_corpus
from calibrant.structures.exact_match import span_f1
from calibrant.structures.sequences.models.crf import CRF
from calibrant.structures.sequences.models.training import LBFGS, AdaGrad
from calibrant.structures.sequences.models.features import Advanced, Basic
from calibrant.structures.sequences.models.encoding import encode, learn, observed_pairs
from calibrant.structures.sequences.models.objective import Objective
from calibrant.structures.sequences.chain import Chain

L2 = 0.1
NEAR = 1.001
FEATURES = {"basic": Basic(), "advanced": Advanced()}


def attributes(features, sentences):
    """The attributes of every word, as CRFsuite takes them."""
    columns = features.columns(sentences)
    made, at = [], 0
    for sentence in sentences:
        made.append(
            [
                [name for column in columns for name in column.attributes[column.of_word[t]]]
                for t in range(at, at + len(sentence))
            ]
        )
        at += len(sentence)
    return made


class Trainer(pycrfsuite.Trainer):
    """Keeps when each line of the log came."""

    def message(self, message):
        self.lines = [*getattr(self, "lines", []), (time.perf_counter(), message)]


def train_crfsuite(features, corpus, file, most=2000):
    """CRFsuite's objective after each iteration and the time until then; seconds of all."""
    begin = time.perf_counter()
    trainer = Trainer(algorithm="lbfgs", verbose=False)
    for sentence, tags in zip(attributes(features, corpus.words), corpus.tags, strict=True):
        trainer.append(sentence, tags)
    trainer.set_params(
        {
            "c1": 0,
            "c2": L2,
            "max_iterations": most,
            "feature.possible_transitions": True,
        }
    )
    trainer.verbose = True
    trainer.train(str(file))
    path = [
        (float(found[1]), when - begin)
        for when, line in trainer.lines
        if (found := re.match(r"Loss: ([\d.]+)", line))
    ]
    return path, time.perf_counter() - begin


def train_here(features, corpus, goal):
    """Seconds until the objective is at most the goal, and how many iterations that took."""
    begin = time.perf_counter()
    _, encoded = learn(features, corpus.words)
    code = {tag: k for k, tag in enumerate(corpus.tag_set)}
    gold = np.array([code[tag] for sentence in corpus.tags for tag in sentence])
    pairs = observed_pairs(encoded, gold, len(code))
    reached = []

    def tell(number, value):
        if value <= goal and not reached:
            reached.append((time.perf_counter() - begin, number, value))
            raise StopIteration

    LBFGS(iterations=2000, tolerance=1e-9).minimise(
        Objective(encoded, gold, len(code), *pairs, L2), 0, tell
    )
    return reached[0]


def train(kinds=("basic", "advanced")):
    corpus = load_corpus("ud-ewt", "train")
    with tempfile.TemporaryDirectory() as folder:
        for kind in kinds:
            path, _ = train_crfsuite(FEATURES[kind], corpus, Path(folder) / "model")
            best = path[-1][0]
            theirs = next(when for value, when in path if value <= best * NEAR)
            print(
                f"{kind}: CRFsuite converges to {best:.1f} in {path[-1][1]:.1f} s, "
                f"{len(path)} iterations; within 0.1 % after {theirs:.1f} s",
                flush=True,
            )
            cold = _in_new_process(kind, best * NEAR, Path(folder) / f"cache-{kind}")
            for what, (seconds, number, value) in (
                ("with compilation", cold),
                ("compiled", train_here(FEATURES[kind], corpus, best * NEAR)),
            ):
                print(
                    f"  calibrant, {what}: {value:.1f} after {seconds:.1f} s, {number} "
                    f"iterations: {theirs / seconds:.1f} times as fast",
                    flush=True,
                )


def _in_new_process(kind, goal, cache):
    """The same where nothing is compiled yet."""
    done = subprocess.run(
        [sys.executable, __file__, "--once", kind, repr(goal)],
        env={**os.environ, "NUMBA_CACHE_DIR": str(cache)},
        capture_output=True,
        check=True,
        text=True,
    )
    return json.loads(done.stdout)


def marginals():
    """The same model on both sides: CRFsuite's weights, from its file."""
    corpus, test = load_corpus("ud-ewt", "train"), load_corpus("ud-ewt", "test")
    features = FEATURES["advanced"]
    model = CRF(features, L2, AdaGrad(epochs=3)).fit(corpus)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "model"
        train_crfsuite(features, corpus, file, most=20)
        tagger = pycrfsuite.Tagger()
        tagger.open(str(file))
        tags = tagger.labels()
        asked, made = _timed(lambda: attributes(features, test.words))
        theirs, found = _timed(lambda: _ask_each(tagger, made, tags))
        chain = Chain.from_crfsuite(file, made)
        order = [chain.tags.index(tag) for tag in tags]
        worst = np.abs(np.array(found) - chain.marginals[:, order]).max()
        from_file, _ = _timed(lambda: Chain.from_crfsuite(file, made).marginals)
    numbering, encoded = _timed(lambda: encode(features, test.words, model.vocabulary))
    ours = min(_timed(lambda: model.chain(encoded).marginals)[0] for _ in range(5))
    print(f"all marginals of {test.tokens} words, {len(tags)} tags, advanced features")
    print(f"  python-crfsuite, each asked for: {theirs:.3f} s, and {asked:.3f} s for attributes")
    print(
        f"  calibrant: {ours:.3f} s, and {numbering:.3f} s for attributes: "
        f"{theirs / ours:.0f} times as fast, {(theirs + asked) / (ours + numbering):.1f} times "
        "with attributes"
    )
    print(
        f"  calibrant with CRFsuite's weights, from its file and attributes: {from_file:.3f} s, "
        f"largest difference {worst:.1e}"
    )


def _ask_each(tagger, sentences, tags):
    found = []
    for sentence in sentences:
        tagger.set(sentence)
        found += [[tagger.marginal(tag, t) for tag in tags] for t in range(len(sentence))]
    return found


def _timed(work):
    begin = time.perf_counter()
    found = work()
    return time.perf_counter() - begin, found


def accuracy():
    print("corpus     features   measure   calibrant AdaGrad  calibrant LBFGS  CRFsuite")
    for name in ("ark", "ud-ewt", "btc", "uner-ewt"):
        parts = [load_corpus(name, part) for part in ("train", "dev", "test")]
        for kind, features in FEATURES.items():
            found = [
                _right(name, _tagged(CRF(features, L2, way), *parts), parts[2])
                for way in (AdaGrad(), LBFGS())
            ]
            with tempfile.TemporaryDirectory() as folder:
                file = Path(folder) / "model"
                train_crfsuite(features, parts[0], file)
                tagger = pycrfsuite.Tagger()
                tagger.open(str(file))
                tagged = [tagger.tag(each) for each in attributes(features, parts[2].words)]
            found.append(_right(name, tagged, parts[2]))
            what = "F1" if name in ("btc", "uner-ewt") else "accuracy"
            print(
                f"{name:9}  {kind:9}  {what:8}  {found[0]:17.2f}  {found[1]:15.2f}  "
                f"{found[2]:8.2f}",
                flush=True,
            )


def _tagged(model, corpus, dev, test):
    return model.fit(corpus, dev=dev).posteriors(test).mode


def _right(name, tagged, test):
    if name in ("btc", "uner-ewt"):
        return 100 * span_f1(test, tagged).f1
    pairs = [
        (a, b) for x, y in zip(tagged, test.tags, strict=True) for a, b in zip(x, y, strict=True)
    ]
    return 100 * np.mean([a == b for a, b in pairs])


def memory():
    """UD-EWT's training and dev sentences: 229,000 words; test ones to 250,000."""
    parts = [load_corpus("ud-ewt", part) for part in ("train", "dev", "test")]
    words = sum((part.words for part in parts), ())
    tags = sum((part.tags for part in parts), ())
    corpus = type(parts[0])(words, tags)
    warnings.simplefilter("ignore")  # five iterations are not enough, but fill the memory
    for way in (AdaGrad(epochs=2), LBFGS(iterations=5)):
        CRF(Advanced(), training=way).fit(corpus)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(f"{corpus.tokens} words, advanced features, {way}: peak memory {peak:.0f} MB so far")


if __name__ == "__main__":
    parts = {"train": train, "marginals": marginals, "accuracy": accuracy, "memory": memory}
    parser = argparse.ArgumentParser(description="Time conditional random fields.")
    parser.add_argument(
        "parts",
        nargs="*",
        choices=[*parts, []],
        metavar="PART",
        help=f"{', '.join(parts)} (default: all)",
    )
    parser.add_argument(
        "--once", nargs=2, metavar=("FEATURES", "GOAL"), help="train to a goal, and print JSON"
    )
    given = parser.parse_args()
    if given.once:
        kind, goal = given.once
        corpus = load_corpus("ud-ewt", "train")
        print(json.dumps(train_here(FEATURES[kind], corpus, float(goal))))
    else:
        for name in given.parts or parts:
            parts[name]()
