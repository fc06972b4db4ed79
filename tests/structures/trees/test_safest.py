import sys
from itertools import combinations

import numpy as np
import pytest

from calibrant.structures.trees.parse import Parse
from calibrant.structures.trees.safest import safest_parse

LABELS = ("A", "B")


def leaves(length):
    return [Parse("t", (), f"w{k}") for k in range(length)]


def spans_of(length):
    return [(i, j) for i in range(length) for j in range(i + 1, length + 1)]


def nested(one, other):
    """Whether two spans do not cross."""
    (a, b), (c, d) = sorted((one, other))
    return c >= b or d <= b or a == c


def best_gain(gains):
    """The largest sum over all sets of spans that nest, by trying all of them."""
    useful = [span for span, gain in gains.items() if gain > 0]
    return max(
        sum(gains[span] for span in chosen)
        for size in range(len(useful) + 1)
        for chosen in combinations(useful, size)
        if all(nested(a, b) for a, b in combinations(chosen, 2))
    )


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("cost", [0.5, 2.0])
def test_no_set_of_nested_spans_gains_more(seed, cost):
    length = 4
    q = np.random.default_rng(seed).random((len(spans_of(length)), 2)) ** 2
    worth = dict(zip(spans_of(length), q - cost * (1 - q), strict=True))
    found = safest_parse(q, LABELS, leaves(length), "ROOT", cost)
    assert found.words == tuple(f"w{k}" for k in range(length))
    gained = sum(
        worth[span.begin, span.end][LABELS.index(span.type)]
        for span in found.spans
        if span.type in LABELS
    )
    gains = {span: float(each.clip(0).sum()) for span, each in worth.items()}
    assert gained == pytest.approx(best_gain(gains))


def test_the_more_probable_label_is_lower():
    q = np.array([[0.9, 0.95]])
    assert str(safest_parse(q, LABELS, leaves(1), "R", 0.5)) == "(R (A (B (t w0))))"


def test_nothing_likely_is_a_flat_tree():
    q = np.full((3, 2), 0.1)
    assert str(safest_parse(q, LABELS, leaves(2), "R", 0.5)) == "(R (t w0) (t w1))"


def test_a_root_among_the_labels_is_not_doubled():
    q = np.zeros((3, 2))
    q[1, 0] = 1.0  # both words
    assert str(safest_parse(q, LABELS, leaves(2), "A", 0.5)) == "(A (t w0) (t w1))"


def test_long_sentences_need_no_deep_recursion():
    """Without likely spans each is cut after its first word, as deep as the sentence is long."""
    length = 500
    q = np.zeros((length * (length + 1) // 2, 1))
    usual = sys.getrecursionlimit()
    sys.setrecursionlimit(400)
    try:
        found = safest_parse(q, ("A",), leaves(length), "R", 0.5)
    finally:
        sys.setrecursionlimit(usual)
    assert len(found.children) == length
