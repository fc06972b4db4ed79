import math

import pytest

from calibrant.structures.trees.given_tree import log_weight
from calibrant.structures.trees.grammar import Grammar
from calibrant.structures.trees.parse import Parse

WORDS = {("A", "a"): 0.5, ("A", "b"): 0.5, ("B", "b"): 1.0}


def weight(grammar, text):
    tree = Parse.from_text(text)
    return math.exp(log_weight(grammar, tree, tree.words))


def test_a_product_of_rules():
    grammar = Grammar({("S", "A", "B"): 0.25}, {("S", "A"): 0.75}, WORDS, "S")
    assert weight(grammar, "(S (A a) (B b))") == pytest.approx(0.25 * 0.5)
    assert weight(grammar, "(S (A a))") == pytest.approx(0.75 * 0.5)


def test_trees_without_a_derivation():
    grammar = Grammar({("S", "A", "B"): 1.0}, {}, WORDS, "S")
    for text in ("(S (B b) (A a))", "(S (A a) (B b) (B b))", "(A (A a) (B b))"):
        tree = Parse.from_text(text)
        assert log_weight(grammar, tree, tree.words) == -math.inf


def test_all_ways_to_combine_children_are_summed():
    """Three children, joined by a hidden symbol to the left or to the right."""
    rules = {
        ("S", "@L", "A"): 0.3,
        ("@L", "A", "A"): 0.5,
        ("S", "A", "@R"): 0.2,
        ("@R", "A", "A"): 0.7,
    }
    grammar = Grammar(rules, {}, {("A", "a"): 1.0}, "S")
    assert weight(grammar, "(S (A a) (A a) (A a))") == pytest.approx(0.3 * 0.5 + 0.2 * 0.7)


def test_symbols_of_one_label_are_summed():
    rules = {("S", "A^1", "A^2"): 0.25, ("S", "A^2", "A^1"): 0.75}
    words = {("A^1", "a"): 0.1, ("A^2", "a"): 0.5}
    grammar = Grammar(rules, {}, words, "S", {"A^1": "A", "A^2": "A"})
    assert weight(grammar, "(S (A a) (A a))") == pytest.approx(0.05)


def test_tiny_weights_do_not_vanish():
    """The weight of 200 nodes in a row is far below the smallest float."""
    grammar = Grammar({}, {("S", "S"): 1e-3, ("S", "A"): 0.5}, {("A", "a"): 1.0}, "S")
    tree = Parse("S", (Parse("A", (), "a"),))
    for _ in range(200):
        tree = Parse("S", (tree,))
    expected = 200 * math.log(1e-3) + math.log(0.5)
    assert log_weight(grammar, tree, ("a",)) == pytest.approx(expected)
