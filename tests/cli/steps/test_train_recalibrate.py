"""`calibrant train ... --recalibrate`: the verdict, its evidence, and what is saved."""

import numpy as np
import pytest
from process import called, check_refused, trained

from calibrant.structures.coreference.reading.conll2012 import read_coreference
from calibrant.structures.loading import load_model
from calibrant.structures.sequences.reading.conll import read_conll
from calibrant.structures.trees.brackets import read_brackets


def tagged(sentences, seed, flips):
    """Words that tell their tag, except for a share of flips."""
    rng = np.random.default_rng(seed)
    lines = []
    for _ in range(sentences):
        for tag in rng.integers(0, 3, rng.integers(2, 8)):
            shown = tag if rng.random() > flips else rng.integers(0, 3)
            lines.append(f"w{shown}\t{'ABC'[tag]}")
        lines.append("")
    return "\n".join(lines) + "\n"


def trees(sentences, seed):
    rng = np.random.default_rng(seed)
    phrases = ["(NP (DT the) (NN dog))", "(NP (NN dogs))", "(NP (NP (NN dogs)) (NN cat))"]
    verbs = ["(VP (VB run))", "(VP (VB see) (NP (NN cat)))"]
    return "".join(
        f"(ROOT (S {phrases[rng.integers(3)]} {verbs[rng.integers(2)]}))\n"
        for _ in range(sentences)
    )


def letters(documents, seed):
    rng = np.random.default_rng(seed)
    found = []
    for k in range(documents):
        found.append(f"#begin document (letter{k}); part 000")
        for at, entity in enumerate(rng.integers(1, 4, 6)):
            found.append(f"letter{k} 0 {at} {('Ada', 'Eve', 'she')[entity - 1]} ({entity})")
        found += ["", "#end document"]
    return "\n".join(found) + "\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("recalibrate")
    (folder / "train.conll").write_text(tagged(30, 0, 0.02))
    (folder / "dev.conll").write_text(tagged(150, 1, 0.5))
    (folder / "same.conll").write_text(tagged(900, 2, 0.5))
    (folder / "train.ptb").write_text(trees(60, 0))
    (folder / "dev.ptb").write_text(trees(20, 1))
    (folder / "train.v4_conll").write_text(letters(12, 0))
    (folder / "dev.v4_conll").write_text(letters(8, 1))
    return folder


def test_a_model_that_is_too_sure_is_saved_with_a_temperature(folder):
    _, said = trained(folder, "hmm", "train.conll", "--recalibrate", "dev.conll", "-o", "hmm")
    assert "Use it: log loss per word changes by -" in said
    assert "own map" in said
    saved = load_model(folder / "hmm")
    assert saved.temperatures["all"] > 1.5
    assert f"hmm: saved with temperature {saved.temperatures['all']:.3f}." in said
    dev = read_conll(folder / "dev.conll")
    plain = saved.tempered({})
    assert saved.temperatures["all"] == plain.recalibrated(dev).temperatures["all"]


def test_separate_temperatures(folder):
    words = ("train.conll", "--recalibrate", "dev.conll", "--separate", "-o", "two")
    _, said = trained(folder, "crf", *words, "--features", "basic", "--epochs", "5")
    assert "emissions" in said
    assert set(load_model(folder / "two").temperatures.values) == {"emissions", "transitions"}


def test_a_calibrated_model_is_saved_as_it_is(folder):
    _, said = trained(folder, "hmm", "same.conll", "--recalibrate", "dev.conll", "-o", "left")
    assert "left: saved without temperatures." in said
    assert not load_model(folder / "left").temperatures


def test_parsers_and_rankers(folder):
    _, said = trained(folder, "pcfg", "train.ptb", "--recalibrate", "dev.ptb", "-o", "parser")
    assert "HasConstituent" in said
    dev = read_brackets(folder / "dev.ptb")
    assert load_model(folder / "parser").posteriors(dev).mode
    _, said = trained(
        folder, "coref", "train.v4_conll", "--recalibrate", "dev.v4_conll", "-o", "ranker"
    )
    assert "log loss per mention" in said
    assert load_model(folder / "ranker").posteriors(read_coreference(folder / "dev.v4_conll"))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--recalibrate", "-"), "--recalibrate must be a file or a name"),
        (("--recalibrate", "train.conll"), "it needs held-out gold"),
        (("--separate",), "--separate is for --recalibrate"),
        (("--recalibrate", "none.conll"), "none.conll"),
    ],
)
def test_bad_options_are_refused(folder, words, message):
    done = called("train", "hmm", "train.conll", *words, "-o", "bad", cwd=folder)
    check_refused(done, message)
    assert not (folder / "bad").exists()
