import numpy as np
import pytest

from calibrant.errors import InputError
from calibrant.structures.trees.grammar import Grammar
from calibrant.structures.trees.rules import Coded, check_rules

BINARY = {("S", "A", "B"): 0.5, ("S", "B", "A"): 0.25, ("X", "A", "B"): 1.0}
GRAMMAR = Grammar(BINARY, {("S", "X"): 0.25}, {("A", "a"): 1.0, ("B", "b"): 1.0}, "S")


def test_rules_as_numbers():
    found = Coded.of({("S", "A"): 0.5}, {"S": 4, "A": 2}, width=2)
    assert found.symbols.tolist() == [[4, 2]]
    assert found.p.tolist() == [0.5]
    assert Coded.of({}, {}, width=3).symbols.shape == (0, 3)


def rules_by_parent(ready):
    start, left, right, p = ready.by_parent
    parent = np.repeat(np.arange(start.size - 1), np.diff(start))
    return set(zip(parent.tolist(), left.tolist(), right.tolist(), p.tolist(), strict=True))


def rules_by_pair(ready):
    start, right, rules, parent, p = ready.by_pair
    left = np.repeat(np.arange(start.size - 1), np.diff(start))
    pair = np.repeat(np.arange(rules.size - 1), np.diff(rules))
    each = zip(parent.tolist(), left[pair].tolist(), right[pair].tolist(), p.tolist(), strict=True)
    return set(each)


def test_every_order_has_the_same_rules():
    code = GRAMMAR.code
    expected = {(code[a], code[b], code[c], p) for (a, b, c), p in BINARY.items()}
    assert rules_by_parent(GRAMMAR.ready) == expected
    assert rules_by_pair(GRAMMAR.ready) == expected
    start, pair, p = GRAMMAR.ready.pair_by_parent
    assert start.tolist() == GRAMMAR.ready.by_parent[0].tolist()
    assert p.tolist() == GRAMMAR.ready.by_parent[3].tolist()
    assert pair.max() < GRAMMAR.ready.by_pair[1].size


def test_groups_are_labels_of_constituents():
    labels = dict(zip(GRAMMAR.symbols, GRAMMAR.ready.group.tolist(), strict=True))
    assert labels == {"A": -1, "B": -1, "S": 0, "X": 1}


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ([("S", "A")], r"unary must be a dict from \(parent, child\) to .*, not list"),
        ({("S",): 1.0}, r"Each rule of unary must be \(parent, child\), but one is \('S',\)"),
        ({"SA": 1.0}, "but one is 'SA'"),
        ({("S", "A"): 0.0}, "must be positive numbers, but .* has 0.0"),
        ({("S", "A"): float("nan")}, "has nan"),
        ({("S", "A"): "1"}, "has '1'"),
    ],
)
def test_bad_rules(rules, message):
    with pytest.raises(InputError, match=message):
        check_rules("unary", ("parent", "child"), rules)
