"""The constituents of the best parse, against all parses, one by one."""

import numpy as np
import pytest
from tree_enumeration import all_derivations, random_grammar

import calibrant as cb
from calibrant.errors import InputError, ParameterError
from calibrant.structures.trees.parse import ROOTS, Parse
from calibrant.structures.trees.queries import HasConstituent, PredictedConstituent
from calibrant.structures.trees.tree import Tree
from calibrant.structures.trees.treebank import Treebank

WORDS = [["a", "c", "b", "a"], ["c", "a"], ["a", "b", "c", "a", "a"]]


@pytest.fixture(scope="module")
def tree():
    return Tree.from_grammar(random_grammar(0, cycles=True, scale=0.5), WORDS)


@pytest.fixture(scope="module")
def gold(tree):
    return [drawn[0] for drawn in tree.sample(1, seed=5)]


def spans_of(parse):
    """The constituents of a parse, each once."""
    return {span for span in parse.spans if span.type not in ROOTS}


@pytest.mark.parametrize("seed", range(4))
def test_every_answer_is_the_expected_truth(seed):
    """Σ P(parse) · y over all parses is q: true beliefs have calibrated predictions."""
    grammar, words = random_grammar(seed), ["a", "c", "b", "a"]
    found = all_derivations(grammar, tuple(words))
    tree = Tree.from_grammar(grammar, [words])
    weights: dict[Parse, float] = {}
    for weight, parse in found:
        weights[parse] = weights.get(parse, 0.0) + weight
    asked = {parse: cb.ask(tree, [parse], PredictedConstituent()) for parse in weights}
    total = sum(weights.values())
    best = tree.mode[0]
    top = max(weight for weight, _ in found)
    assert best in {parse for weight, parse in found if weight > top * (1 - 1e-9)}  # or a tie
    places = PredictedConstituent().where(tree)
    assert {(int(a), int(b), str(label)) for a, b, label in zip(*places[1:4], strict=True)} == set(
        map(tuple, spans_of(best))
    )
    y = sum(weights[parse] / total * pairs.y for parse, pairs in asked.items())
    np.testing.assert_allclose(places.q, y, rtol=1e-10)
    assert asked[best].y.all()


def test_probabilities_are_those_of_has_constituent(tree, gold):
    for label in ("S", "X", "Y"):
        every = HasConstituent(label, floor=0).where(tree)
        q = {tuple(map(int, place)): x for *place, x in zip(*every, strict=True)}
        mine = PredictedConstituent(label).where(tree)
        assert set(mine.type) == {label}
        assert mine.q.tolist() == [q[k, a, b] for k, a, b in zip(*mine[:3], strict=True)]
    pairs = cb.ask(tree, gold, PredictedConstituent())
    parts = [cb.ask(tree, gold, PredictedConstituent(label)) for label in ("S", "X", "Y")]
    assert sorted(pairs.q) == sorted(np.concatenate([part.q for part in parts]))
    assert pairs.y.sum() == sum(part.y.sum() for part in parts)


def test_answers(tree, gold):
    places = PredictedConstituent().where(tree)
    pairs = cb.ask(tree, gold, "PredictedConstituent")
    np.testing.assert_array_equal(pairs.q, places.q)
    np.testing.assert_array_equal(pairs.group, places.sentence)
    for y, k, a, b, label in zip(pairs.y, *places[:4], strict=True):
        assert y == ((a, b, label) in spans_of(gold[k]))
    flat = [Parse("S", tuple(Parse("t", (), word) for word in words)) for words in WORDS]
    none = cb.ask(tree, flat, PredictedConstituent("X"))
    assert not none.y.any()
    documents = cb.ask(tree, Treebank(tuple(gold), ("a", "a", "b")), PredictedConstituent())
    assert documents.group.tolist() == ["aab"[k] for k in pairs.group]


def test_roots_do_not_count_and_a_label_counts_once():
    rules = {("ROOT", "S"): 1.0, ("S", "NP"): 1.0, ("NP", "NX"): 0.5, ("NX", "NP"): 0.1}
    grammar = cb.models.Grammar(
        {("NX", "N", "N"): 1.0}, rules, {("N", "dogs"): 1.0}, root="ROOT", names={"NX": "NP"}
    )
    tree = Tree.from_grammar(grammar, [["dogs", "dogs"]])
    assert str(tree.mode[0]) == "(ROOT (S (NP (NP (N dogs) (N dogs)))))"
    places = PredictedConstituent().where(tree)
    assert list(zip(*(each.tolist() for each in places), strict=True)) == [
        (0, 0, 2, "S", 1.0),
        (0, 0, 2, "NP", 1.0),
    ]


@pytest.mark.parametrize("turned", [False, True])
def test_ties_take_the_shortest_first_child(turned):
    """In any order of the rules, and whatever rounding does to equal products."""
    rules = {("S", "S", "S"): 0.3, ("S", "A", "A"): 0.1}
    if turned:
        rules = dict(reversed(rules.items()))
    for symbol in ("S", "Z"):
        named = {tuple(symbol if x == "S" else x for x in rule): p for rule, p in rules.items()}
        grammar = cb.models.Grammar(named, {(symbol, "A"): 0.6}, {("A", "a"): 1.0}, root=symbol)
        tree = Tree.from_grammar(grammar, [["a"] * length for length in range(3, 12)])
        for parse in tree.mode:
            right = {(span.begin, span.end) for span in parse.spans if span.end == parse.size}
            assert right == {(k, parse.size) for k in range(parse.size)}  # it branches to the right


def test_questions_that_cannot_be_asked(tree, gold):
    with pytest.raises(InputError, match="no label 'Q'"):
        cb.ask(tree, gold, PredictedConstituent("Q"))
    for label in (3, ""):
        with pytest.raises(ParameterError, match="label must be"):
            PredictedConstituent(label)
    with pytest.raises(InputError, match="3 sentences, but gold has 2 trees"):
        cb.ask(tree, gold[:2], PredictedConstituent())
    grammar = cb.models.Grammar(
        {("ROOT", "N", "V"): 0.9, ("ROOT", "NP", "V"): 0.1},
        {("NP", "N"): 1.0},
        {("N", "dogs"): 1.0, ("V", "run"): 1.0},
        root="ROOT",
    )
    flat = Tree.from_grammar(grammar, [["dogs", "run"]])
    with pytest.raises(InputError, match=r"has a constituent, so .* HasConstituent asks about"):
        cb.ask(flat, flat.mode, PredictedConstituent())
    with pytest.raises(InputError, match="has a constituent 'NP'"):
        cb.ask(flat, flat.mode, PredictedConstituent("NP"))
