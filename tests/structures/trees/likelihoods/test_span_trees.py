"""Tempered scores of spans: gradients, enumeration, and a distorted parser brought back."""

import numpy as np
import pytest

import calibrant as cb
from calibrant.corpora import Parse
from calibrant.errors import InputError, UnknownName
from calibrant.structures.likelihoods import likelihood_of
from calibrant.structures.tempering.likelihood import fit

LABELS = ["", "A", "B", "A::B"]


def random_tree(sentences: int = 12, longest: int = 6, seed: int = 0) -> cb.Tree:
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, longest, sentences)
    charts = [rng.normal(0, 1.5, (n, n, len(LABELS))) for n in sizes]
    return cb.Tree.from_spans(charts, [["w"] * n for n in sizes], LABELS, rooted=False)


def drawn(tree: cb.Tree) -> list[Parse]:
    return [each[0] for each in tree.sample(1, seed=1)]


def test_gradients_and_probabilities() -> None:
    tree = random_tree()
    gold = drawn(tree)
    likelihood = likelihood_of(tree, gold)
    found = likelihood.measure(np.array([0.3]), likelihood.items)
    ends = [likelihood.measure(np.array([0.3 + s]), likelihood.items).log for s in (1e-5, -1e-5)]
    np.testing.assert_allclose(found.slope[:, 0], (ends[0] - ends[1]) / 2e-5, atol=1e-7)
    tempered = tree.tempered(float(np.exp(0.3)))
    q = [tempered.probability(k, each) for k, each in enumerate(gold)]
    np.testing.assert_allclose(found.log, np.log(q), atol=1e-12)


def test_temperature_1_changes_nothing() -> None:
    tree = random_tree()
    for one, other in zip(tree.span_marginals, tree.tempered(1).span_marginals, strict=True):
        np.testing.assert_array_equal(one.q, other.q)


def test_a_distorted_parser_is_brought_back() -> None:
    tree = random_tree(400, longest=9)
    found = fit(likelihood_of(tree.tempered(0.5), drawn(tree)))
    error = float(found.spread(np.arange(len(found.items)))[0])
    assert abs(found.peak.at[0] - np.log(2)) < 4 * error < 0.3


def test_there_is_one_temperature() -> None:
    tree = random_tree()
    with pytest.raises(InputError, match="one temperature"):
        likelihood_of(tree, drawn(tree), separate=True)
    with pytest.raises(UnknownName, match="kind of potentials 'rules'"):
        tree.tempered({"rules": 2.0})
