"""Tempered trees: exact gradients, enumeration, and a distorted grammar brought back."""

from collections import Counter

import numpy as np
import pytest

import calibrant as cb
from calibrant.corpora import Parse
from calibrant.errors import InputError
from calibrant.models import Grammar
from calibrant.structures.tempering.likelihood import fit
from calibrant.structures.trees.given_tree import gold_scores
from calibrant.structures.trees.likelihoods.grammar_trees import TreeLikelihood

BINARY = {
    ("S", "NP", "VP"): 1.0,
    ("VP", "V", "NP"): 0.6,
    ("VP", "VP", "PP"): 0.4,
    ("NP", "NP", "PP"): 0.3,
    ("NP", "NP", "NP"): 0.1,
    ("PP", "P", "NP"): 1.0,
}
UNARY = {("NP", "N"): 0.5, ("NP", "X"): 0.2, ("X", "NP"): 0.3}
WORDS = {
    ("N", "she"): 0.4,
    ("N", "stars"): 0.3,
    ("N", "eyes"): 0.3,
    ("V", "sees"): 0.7,
    ("V", "stars"): 0.3,
    ("P", "with"): 1.0,
}
GRAMMAR = Grammar(BINARY, UNARY, WORDS, root="S")
SENTENCES = [["she", "sees", "stars", "with", "eyes"], ["she", "stars", "eyes", "with", "stars"]]


def drawn(tree: cb.Tree, seed: int = 1) -> list[Parse]:
    return [each[0] for each in tree.sample(1, seed)]


def log_score(tree: Parse, lexicon: float, rules: float) -> float:
    """The log of the weight of a tree without hidden symbols, from its rules."""
    total = 0.0
    for node, _ in tree.nodes():
        if node.word is not None:
            total += np.log(WORDS[node.label, node.word]) / lexicon
        elif len(node.children) == 1:
            total += np.log(UNARY[node.label, node.children[0].label]) / rules
        else:
            below = (node.label, *(each.label for each in node.children))
            total += np.log(BINARY[below]) / rules
    return total


@pytest.mark.parametrize("separate", [False, True])
def test_gradients_agree_with_finite_differences(separate: bool) -> None:
    tree = cb.Tree.from_grammar(GRAMMAR, SENTENCES * 5)
    likelihood = TreeLikelihood.of_gold(tree, drawn(tree), separate)
    at = np.array([0.3, -0.2])[: len(likelihood.names)]
    found = likelihood.measure(at, likelihood.items)
    for k in range(at.size):
        step = np.zeros(at.size)
        step[k] = 1e-5
        ends = [likelihood.measure(at + s * step, likelihood.items).log for s in (1, -1)]
        np.testing.assert_allclose(found.slope[:, k], (ends[0] - ends[1]) / 2e-5, atol=1e-7)
    tempered = tree.tempered(likelihood.temperatures(at))
    q = [tempered.probability(k, gold) for k, gold in enumerate(likelihood.gold)]
    np.testing.assert_allclose(found.log, np.log(q), atol=1e-12)


def test_tempered_answers_agree_with_sampled_enumeration() -> None:
    """Without the cycle of unary rules there are few parses: samples find all of them."""
    grammar = Grammar(BINARY, {("NP", "N"): 0.5}, WORDS, root="S")
    plain = cb.Tree.from_grammar(grammar, SENTENCES)
    tempered = plain.tempered({"lexicon": 0.5, "rules": 1.6})
    for k in range(2):
        parses = {str(each): each for each in plain.tempered(5).sample(500, seed=3)[k]}
        weight = {text: np.exp(log_score(each, 0.5, 1.6)) for text, each in parses.items()}
        whole = sum(weight.values())
        assert tempered.log_partition[k] == pytest.approx(np.log(whole))
        for text, each in parses.items():
            assert tempered.probability(k, each) == pytest.approx(weight[text] / whole)
        q: Counter[tuple[int, int, str]] = Counter()
        for text, each in parses.items():
            for span in set(each.spans):
                q[tuple(span)] += weight[text] / whole  # type: ignore[index]
        for (begin, end, label), share in q.items():
            assert tempered.constituent(k, begin, end, label) == pytest.approx(share)


def test_spans_nest_in_a_tempered_tree() -> None:
    """A constituent of a binary tree of n words has n − 1 splits, at any temperature."""
    grammar = Grammar({("S", "S", "S"): 0.5}, {("S", "N"): 0.5}, {("N", "a"): 1.0}, root="S")
    tree = cb.Tree.from_grammar(grammar, [["a"] * 6]).tempered(3)
    wide = [m.any[(m.end - m.begin) > 1].sum() for m in tree.span_marginals]
    assert wide[0] == pytest.approx(5)


def test_a_tree_with_many_derivations_has_exact_gradients() -> None:
    """The hidden symbols of a flat node can be combined in two ways."""
    binary = {
        ("S", "@l", "N"): 0.4,
        ("S", "N", "@r"): 0.2,
        ("@l", "N", "N"): 0.5,
        ("@r", "N", "N"): 0.9,
        ("S", "S", "N"): 0.3,
        ("S", "N", "N"): 0.1,
    }
    grammar = Grammar(binary, {}, {("N", "a"): 1.0}, root="S")
    flat = Parse.from_text("(S (N a) (N a) (N a))")
    found = gold_scores(grammar, flat, ["a"] * 3)
    assert found.derivations == 2
    assert found.log == pytest.approx(np.log(0.4 * 0.5 + 0.2 * 0.9))
    tree = cb.Tree.from_grammar(grammar, [["a"] * 3])
    likelihood = TreeLikelihood.of_gold(tree, [flat])
    ends = [likelihood.measure(np.array([0.2 + s * 1e-5]), np.array([0])).log[0] for s in (1, -1)]
    slope = likelihood.measure(np.array([0.2]), np.array([0])).slope[0, 0]
    assert slope == pytest.approx((ends[0] - ends[1]) / 2e-5, abs=1e-7)


def test_temperature_1_changes_nothing() -> None:
    tree = cb.Tree.from_grammar(GRAMMAR, SENTENCES)
    same = tree.tempered(1)
    np.testing.assert_array_equal(same.log_partition, tree.log_partition)
    assert [str(each) for each in same.mode] == [str(each) for each in tree.mode]


def test_a_distorted_grammar_is_brought_back() -> None:
    tree = cb.Tree.from_grammar(GRAMMAR, SENTENCES * 400)
    gold = drawn(tree)
    found = fit(TreeLikelihood.of_gold(tree.tempered(0.5), gold))
    error = float(found.spread(np.arange(len(found.items)))[0])
    assert abs(found.peak.at[0] - np.log(2)) < 4 * error < 0.4


def test_infinite_chains_are_no_maximum() -> None:
    """Two cycles of unary rules: flatter, their sum would be infinite."""
    cycles = {("NP", x): 0.4 for x in "XY"} | {(x, "NP"): 0.9 for x in "XY"}
    grammar = Grammar(BINARY, {("NP", "N"): 0.5, **cycles}, WORDS, root="S")
    tree = cb.Tree.from_grammar(grammar, SENTENCES)
    likelihood = TreeLikelihood.of_gold(tree, drawn(tree))
    assert np.isneginf(likelihood.measure(np.array([0.7]), likelihood.items).log).all()
    assert np.isfinite(fit(likelihood).peak.measured.log).all()
    with pytest.raises(InputError, match="finite sum"):
        tree.tempered(2)


def test_gold_without_a_derivation_is_set_aside() -> None:
    tree = cb.Tree.from_grammar(GRAMMAR, SENTENCES * 3)
    gold = drawn(tree)
    gold[0] = Parse.from_text("(S (N she) (V sees) (N stars) (P with) (N eyes))")
    likelihood = TreeLikelihood.of_gold(tree, gold)
    assert likelihood.set_aside == (1, 6, "sentence")
    found = cb.recalibrate(tree, gold=gold)
    assert "1 of 6 sentences" in str(found)


def test_sentences_of_the_fallback_are_tempered_too() -> None:
    simple = Grammar({("S", "N", "V"): 1.0}, {}, WORDS, root="S")
    sentences = [["she", "sees"], SENTENCES[0]]
    tree = cb.Tree.from_grammar(simple, sentences, fallback=GRAMMAR)
    assert tree.fell_back.tolist() == [False, True]
    alone = cb.Tree.from_grammar(GRAMMAR, [SENTENCES[0]])
    mode = alone.mode[0]
    assert tree.tempered(2).probability(1, mode) == pytest.approx(
        alone.tempered(2).probability(0, mode)
    )
