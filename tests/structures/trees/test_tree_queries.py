import numpy as np
import pytest
from tree_enumeration import random_grammar

import calibrant as cb
from calibrant.errors import InputError, ParameterError
from calibrant.structures.holds import Holds
from calibrant.structures.sequences.tag_queries import TagIs
from calibrant.structures.trees.parse import Parse
from calibrant.structures.trees.queries import HasConstituent
from calibrant.structures.trees.tree import Tree
from calibrant.structures.trees.treebank import Treebank

WORDS = [["a", "c", "b", "a"], ["c", "a"], ["a", "b", "c", "a", "a"]]


@pytest.fixture(scope="module")
def tree():
    return Tree.from_grammar(random_grammar(0, cycles=True, scale=0.5), WORDS)


@pytest.fixture(scope="module")
def gold(tree):
    return [drawn[0] for drawn in tree.sample(1, seed=5)]


def test_answers(tree, gold):
    for label in ("X", "Y", None):
        query = HasConstituent(label, floor=0.01)
        spans = query.where(tree)
        pairs = cb.ask(tree, gold, query)
        np.testing.assert_array_equal(pairs.q, spans.q)
        np.testing.assert_array_equal(pairs.group, spans.sentence)
        for y, k, a, b, q in zip(pairs.y, *spans, strict=True):
            labels = {span.type for span in gold[k].spans if span[:2] == (a, b)}
            assert y == (label in labels if label else bool(labels))
            assert q == pytest.approx(tree.constituent(int(k), int(a), int(b), label))
        assert (spans.q >= 0.01).all()


def test_questions_do_not_depend_on_gold(tree, gold):
    flat = [Parse("S", tuple(Parse("t", (), word) for word in words)) for words in WORDS]
    for floor in (0, 0.001, 0.1):
        one, other = (cb.ask(tree, each, HasConstituent("X", floor)) for each in (gold, flat))
        np.testing.assert_array_equal(one.q, other.q)
        assert not other.y.any()


def test_documents_are_groups(tree, gold):
    pairs = cb.ask(tree, Treebank(tuple(gold), ("a", "a", "b")), "HasConstituent('X')")
    assert set(pairs.group) == {"a", "b"}


def test_a_calibrated_model_is_calibrated():
    tree = Tree.from_grammar(random_grammar(0, cycles=True, scale=0.5), WORDS * 200)
    gold = [drawn[0] for drawn in tree.sample(1, seed=6)]
    for label in ("X", None):
        pairs = cb.ask(tree, gold, HasConstituent(label))
        assert pairs.mean(pairs.y) == pytest.approx(pairs.mean(pairs.q), abs=0.02)
        assert cb.test(pairs).p_value > 0.01


def test_predicates_see_whole_trees(tree, gold):
    def held(parse):
        return "(X (Y" in str(parse)

    pairs = cb.ask(tree, gold, Holds(held, samples=4000, seed=1))
    assert pairs.groups == 3
    share = np.bincount(pairs.codes, pairs.weight * pairs.held)
    many = tree.sample(4000, seed=2)
    wanted = [np.mean([held(parse) for parse in each]) for each in many]
    assert min(wanted) > 0.1
    np.testing.assert_allclose(share, wanted, atol=0.05)
    y = np.bincount(pairs.codes, pairs.weight * pairs.y)
    np.testing.assert_allclose(y, [held(parse) for parse in gold], atol=1e-12)


def test_questions_that_cannot_be_asked(tree, gold):
    with pytest.raises(InputError, match="no label 'Q'"):
        cb.ask(tree, gold, HasConstituent("Q"))
    with pytest.raises(InputError, match="at least 1: lower the floor"):
        cb.ask(tree, gold, HasConstituent("Y", floor=1))
    for floor in (-0.1, 1.5, "a", float("nan"), None):
        with pytest.raises(ParameterError, match="floor must"):
            HasConstituent("X", floor=floor)
    with pytest.raises(ParameterError, match="label must be"):
        HasConstituent(3)
    with pytest.raises(InputError, match="3 sentences, but gold has 2 trees"):
        cb.ask(tree, gold[:2], HasConstituent("X"))
    with pytest.raises(InputError, match="its gold tree has the words"):
        cb.ask(tree, gold[::-1], HasConstituent("X"))
    with pytest.raises(InputError, match=r"gold\[0\] is list"):
        cb.ask(tree, [["X"]] * 3, HasConstituent("X"))
    with pytest.raises(ParameterError, match="asks about Chain, not about Tree"):
        cb.ask(tree, gold, TagIs("t"))


def test_equal_probabilities_are_equal():
    """Sums in other orders differ in their last bits, and ties belong in one bin."""
    rules = {("S", "S", "S"): 0.3, ("S", "A", "A"): 0.1}
    grammar = cb.models.Grammar(rules, {("S", "A"): 0.6}, {("A", "a"): 1.0}, root="S")
    tree = cb.Tree.from_grammar(grammar, [["a"] * length for length in range(2, 12)])
    every = np.concatenate([each.any for each in tree.span_marginals])
    q = cb.HasConstituent(floor=0).where(tree).q
    np.testing.assert_allclose(q, every, rtol=5e-12)  # twelve digits
    assert np.unique(q).size == np.unique(every.round(10)).size < np.unique(every).size
