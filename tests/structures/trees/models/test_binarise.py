import pytest

from calibrant.structures.trees.models.binarise import (
    Child,
    Memory,
    State,
    Step,
    count_steps,
    smoothed,
    steps_of,
)
from calibrant.structures.trees.parse import Parse

TAGS = [Child(label, True) for label in "abcd"]


def test_memories_keep_the_last_labels():
    assert Memory(1, 2).kept("abc") == ("b", "c")
    assert Memory(1, 0).kept("abc") == ()
    assert Memory(1, None).kept("abc") == ("a", "b", "c")
    assert Memory(2, 1).below(("NP", "S"), "NN") == ("NN", "NP")


def test_a_node_of_four_children_in_steps():
    steps = steps_of(("X",), TAGS, Memory(1, 1))
    assert steps == [
        (State(("X",), None), Step(TAGS[0], more=("a",))),
        (State(("X",), ("a",)), Step(TAGS[1], more=("b",))),
        (State(("X",), ("b",)), Step(TAGS[2], last=TAGS[3])),
    ]


def test_one_and_two_children_are_one_step():
    assert steps_of(("X",), TAGS[:1], Memory(1, 1)) == [(State(("X",), None), Step(TAGS[0]))]
    two = steps_of(("X",), TAGS[:2], Memory(1, 1))
    assert two == [(State(("X",), None), Step(TAGS[0], last=TAGS[1]))]


def test_words_are_counted_with_the_label_above():
    trees = [Parse.from_text("(S (NP (D the) (N dog)) (V ran))")] * 2
    counts = count_steps(trees, Memory(2, 1))
    assert counts.words == {("D", "NP", "the"): 2, ("N", "NP", "dog"): 2, ("V", "S", "ran"): 2}
    assert set(counts.steps) == {State(("S",), None), State(("NP", "S"), None)}


TREES = [
    *[Parse.from_text("(S (X (a x)) (Y (X (b x))))")] * 3,
    Parse.from_text("(S (X (b x)) (Y (X (a x))))"),
]


def test_shares_are_smoothed_towards_those_of_the_label():
    """X below S is a 3 times of 4, and anywhere 4 times of 8."""
    found = smoothed(count_steps(TREES, Memory(2, 1)), Memory(2, 1), strength=2.0, common=1)
    shares = found[State(("X", "S"), None)]
    assert shares[Step(Child("a", True))] == pytest.approx((3 + 2 * 0.5) / (4 + 2))
    assert all(sum(each.values()) == pytest.approx(1) for each in found.values())


def test_without_labels_above_shares_are_relative_frequencies():
    found = smoothed(count_steps(TREES, Memory(1, 1)), Memory(1, 1), strength=9.0, common=1)
    assert found[State(("X",), None)][Step(Child("a", True))] == pytest.approx(0.5)
