"""Parsers and mention rankers with temperatures: learnt, saved and loaded."""

from pathlib import Path

import numpy as np
import pytest

import calibrant as cb
from calibrant.corpora import Document, Documents, Mention, Parse, Treebank
from calibrant.errors import UnknownName


def treebank(sentences: int, seed: int) -> Treebank:
    rng = np.random.default_rng(seed)
    nouns = ["(NP (DT the) (NN dog))", "(NP (NN dogs))", "(NP (NP (NN dogs)) (NN cat))"]
    verbs = ["(VP (VB run))", "(VP (VB see) (NP (NN cat)))"]
    texts = [
        f"(ROOT (S {nouns[rng.integers(3)]} {verbs[rng.integers(2)]}))" for _ in range(sentences)
    ]
    return Treebank(tuple(map(Parse.from_text, texts)))


def documents(many: int, seed: int) -> Documents:
    """Names that tell their entity two times in three."""
    rng = np.random.default_rng(seed)
    found = []
    for k in range(many):
        entity = rng.integers(0, 3, 6)
        names = np.where(rng.random(6) < 2 / 3, entity, rng.integers(0, 3, 6))
        words = (tuple(("Ada", "Eve", "Bob")[name] for name in names),)
        mentions = tuple(Mention(0, at, at + 1, at) for at in range(6))
        clusters = [tuple(np.flatnonzero(entity == e).tolist()) for e in range(3)]
        its = tuple(each for each in clusters if each)
        found.append(Document(f"d{k}", words, mentions, its))
    return Documents(tuple(found))


def test_a_grammar_keeps_its_temperatures(tmp_path: Path) -> None:
    dev = treebank(30, 1)
    model = cb.models.PCFG(rare=0).fit(treebank(60, 0))
    mended = model.tempered(3).recalibrated(dev, separate=True)
    assert set(mended.temperatures.values) == {"lexicon", "rules"}
    posterior = mended.posteriors(dev)
    direct = model.posteriors(dev).tempered(mended.temperatures)
    np.testing.assert_allclose(posterior.log_partition, direct.log_partition)
    loaded = cb.models.load_model(mended.save(tmp_path / "model"))
    np.testing.assert_array_equal(loaded.posteriors(dev).log_partition, posterior.log_partition)
    assert loaded.grammar.binary == model.grammar.binary


def test_a_ranker_keeps_its_temperatures(tmp_path: Path) -> None:
    dev = documents(40, 1)
    model = cb.models.MentionRanker(passes=3).fit(documents(30, 0))
    mended = model.recalibrated(dev, separate=True)
    assert set(mended.temperatures.values) == {"old", "new", "bias"}
    loaded = cb.models.load_model(mended.save(tmp_path / "model"))
    found = loaded.posteriors(dev).probability
    np.testing.assert_array_equal(found, mended.posteriors(dev).probability)
    direct = model.posteriors(dev).tempered(mended.temperatures)
    np.testing.assert_allclose(found, direct.probability)
    with pytest.raises(UnknownName, match="kind of potentials 'rules'"):
        model.tempered({"rules": 2.0})
