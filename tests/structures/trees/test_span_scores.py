from functools import lru_cache

import numpy as np
import pytest
from scipy.special import log_softmax

import calibrant as cb
from calibrant.corpora import Parse
from calibrant.errors import InputError, ParameterError
from calibrant.structures.trees.span_scores import SpanTree

LABELS = ["", "NP", "S", "S::VP", "NP|<>"]
WORDS = "abcdefg"


def made(length, seed=0, scale=1.5):
    return np.random.default_rng([seed, length]).normal(size=(length, length, len(LABELS))) * scale


def posterior(length, seed=0, **options):
    return cb.Tree.from_spans([made(length, seed)], [list(WORDS[:length])], LABELS, **options)


def chain(label):
    return () if label in ("", "NP|<>") else tuple(label.split("::"))


def all_trees(chart, rooted=True):
    """Every binary tree with labels: its score, and the label of each of its spans."""
    length = len(chart)

    @lru_cache(None)
    def trees(i, j):
        below = [(0.0, ())]
        if i < j:
            below = [
                (a + b, one + other)
                for k in range(i, j)
                for a, one in trees(i, k)
                for b, other in trees(k + 1, j)
            ]
        whole = rooted and (i, j) == (0, length - 1)
        codes = [c for c, label in enumerate(LABELS) if not whole or chain(label)]
        return [
            (score + chart[i, j, c], (((i, j), c), *rest)) for score, rest in below for c in codes
        ]

    found = trees(0, length - 1)
    weight = np.exp(np.array([score for score, _ in found]))
    return [dict(spans) for _, spans in found], weight / weight.sum()


@pytest.mark.parametrize("rooted", [True, False])
@pytest.mark.parametrize("length", [1, 2, 3, 4])
def test_constituents_by_enumeration(length, rooted):
    tree = posterior(length, seed=3, rooted=rooted)
    trees, p = all_trees(made(length, seed=3), rooted)
    for i in range(length):
        for j in range(i, length):
            chains = [chain(LABELS[each[i, j]]) if (i, j) in each else () for each in trees]
            for label in ("NP", "S", "VP"):
                share = p[[label in held for held in chains]].sum()
                assert tree.constituent(0, i, j + 1, label) == pytest.approx(share, abs=1e-12)
            share = p[[bool(held) for held in chains]].sum()
            assert tree.constituent(0, i, j + 1) == pytest.approx(share, abs=1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_the_best_tree_by_enumeration(seed):
    tree = posterior(4, seed)
    trees, p = all_trees(made(4, seed))
    best = trees[int(p.argmax())]
    spans = {(*place, name) for place, code in best.items() for name in chain(LABELS[code])}
    assert {(s.begin, s.end - 1, s.type) for s in tree.mode[0].spans} == spans
    assert tree.mode[0].words == tuple(WORDS[:4])


def test_the_probability_of_a_tree_sums_over_binary_trees():
    """A flat node has several binary trees, and all their weights count."""
    tree = posterior(4, seed=1)
    trees, p = all_trees(made(4, seed=1))

    def shape(each):
        return frozenset(
            (*place, *chain(LABELS[code])) for place, code in each.items() if chain(LABELS[code])
        )

    flat = Parse.from_text("(S (_ a) (_ b) (_ c) (_ d))")
    share = p[[shape(each) == {(0, 3, "S")} for each in trees]].sum()
    assert tree.probability(0, flat) == pytest.approx(share, abs=1e-12)
    assert sum(shape(each) == {(0, 3, "S")} for each in trees) > 1
    deep = Parse.from_text("(TOP (S (VP (_ a) (NP (_ b) (_ c)) (_ d))))")
    share = p[[shape(each) == {(0, 3, "S", "VP"), (1, 2, "NP")} for each in trees]].sum()
    assert tree.probability(0, deep) == pytest.approx(share, abs=1e-12)
    assert tree.probability(0, Parse.from_text("(X (_ a) (_ b) (_ c) (_ d))")) == 0


def test_samples_tend_to_the_marginals():
    tree = posterior(5, seed=2)
    count = 4000
    drawn = tree.sample(count, seed=1)[0]
    for i, j, label in [(0, 5, "S"), (1, 3, "NP"), (0, 2, "VP"), (4, 5, "NP")]:
        q = tree.constituent(0, i, j, label)
        share = np.mean([any(s == (i, j, label) for s in each.spans) for each in drawn])
        assert abs(share - q) < 4 * np.sqrt(q * (1 - q) / count) + 1e-9
    assert tree.sample(3, seed=1)[0] == drawn[:3]


def test_a_calibrated_chart_is_calibrated():
    """Gold trees drawn from the posterior; a chart with doubled scores is overconfident."""
    charts = [made(6, seed, scale=1.0) for seed in range(250)]
    words = [list(WORDS[:6])] * len(charts)
    fair = cb.Tree.from_spans(charts, words, LABELS)
    gold = [each[0] for each in fair.sample(seed=4)]
    sure = cb.Tree.from_spans([2 * each for each in charts], words, LABELS)
    for query in (cb.HasConstituent("NP"), cb.PredictedConstituent()):
        assert cb.score(cb.ask(fair, gold, query)).low == 0
        assert cb.score(cb.ask(sure, gold, query)).low > 0.05


def test_a_constant_of_a_span_changes_nothing():
    """benepar subtracts the score of the empty label: every tree of n words has 2n − 1 spans, but
    which spans they are differs, so only a constant for all spans is free.
    """
    chart = made(5)
    one = cb.Tree.from_spans([chart], [list(WORDS[:5])], LABELS)
    other = cb.Tree.from_spans([chart + 7.0], [list(WORDS[:5])], LABELS)
    np.testing.assert_allclose(
        one.span_marginals[0].q, other.span_marginals[0].q, rtol=0, atol=1e-12
    )


def test_labels_of_supar_given_the_span():
    """Spans and labels that were trained apart: P(span) · P(label | span)."""
    rng = np.random.default_rng(5)
    spans, labels = rng.normal(size=(5, 5)), rng.normal(size=(5, 5, len(LABELS)))
    chart = spans[..., None] + log_softmax(labels, axis=-1)
    tree = cb.Tree.from_spans([chart], [list(WORDS[:5])], LABELS, rooted=False)
    alone = cb.Tree.from_spans([spans[..., None]], [list(WORDS[:5])], ["X"], rooted=False)
    given = np.exp(log_softmax(labels, axis=-1))
    for i, j in [(0, 2), (1, 4), (2, 3)]:
        span = alone.constituent(0, i, j, "X")
        assert tree.constituent(0, i, j, "NP") == pytest.approx(span * given[i, j - 1, 1])


def test_spans_of_binary_trees_are_not_constituents():
    """The trap: without labels, the steps of a binary tree count as constituents."""
    with pytest.raises(InputError, match="Spans alone cannot tell constituents from steps"):
        cb.Tree.from_spans([np.zeros((3, 3))], [list(WORDS[:3])], LABELS)
    flat = np.zeros((4, 4, 2))
    flat[0, 3, 1] = 50.0  # a flat node of four words, and nothing else
    flat[..., 1] -= 30.0
    tree = cb.Tree.from_spans([flat], [list(WORDS[:4])], ["", "S"])
    binary = cb.Tree.from_spans([flat.max(axis=2)[..., None]], [list(WORDS[:4])], ["X"])
    assert tree.constituent(0, 0, 2) < 1e-9
    assert binary.constituent(0, 0, 2) > 0.3


def test_what_trees_can_do():
    tree = cb.Tree.from_spans([made(3), made(5)], [list("abc"), list("abcde")], LABELS)
    assert repr(tree) == "Tree(2 sentences, 8 words, 3 labels)"
    assert tree.labels == ("NP", "S", "VP")
    one = tree.take([1])
    np.testing.assert_array_equal(one.span_marginals[0].q, tree.span_marginals[1].q)
    both = cb.Tree.joined([tree.take([0]), one])
    assert isinstance(both, SpanTree)
    np.testing.assert_array_equal(both.log_partition, tree.log_partition)
    assert [each.words for each in tree.minimum_risk()] == [tuple("abc"), tuple("abcde")]
    assert cb.plot(tree, sentence=1).figure is not None
    holds = cb.ask(tree, tree.mode, cb.Holds(lambda parse: "NP" in str(parse), samples=5))
    assert holds.groups == 2


def test_what_is_refused():
    with pytest.raises(InputError, match="a chart for the only sentence, but charts has 2"):
        cb.Tree.from_spans([made(2), made(2)], [list(WORDS[:2])], LABELS)
    with pytest.raises(InputError, match=r"must have the shape \(3, 3, 5\), .* \(2, 2, 5\)"):
        cb.Tree.from_spans([made(2)], [list(WORDS[:3])], LABELS)
    with pytest.raises(InputError, match="labels must differ"):
        cb.Tree.from_spans([made(2)], [list(WORDS[:2])], ["", "A", "A", "B", "C"])
    with pytest.raises(InputError, match="at least one label of constituents"):
        cb.Tree.from_spans([made(2)[..., :1]], [list(WORDS[:2])], [""])
    with pytest.raises(InputError, match=r"sentences\[0\] must be a list of words"):
        cb.Tree.from_spans([made(2)], ["ab"], LABELS)
    with pytest.raises(InputError, match="No tree is possible for sentence 0"):
        cb.Tree.from_spans([np.full((2, 2, 5), -np.inf)], [list(WORDS[:2])], LABELS)
    tree = posterior(3)
    with pytest.raises(InputError, match="the same labels, in the same order"):
        cb.Tree.joined([tree, cb.Tree.from_spans([made(2)], [list(WORDS[:2])], [*LABELS[:4], "Z"])])
    with pytest.raises(InputError, match="must have the words of sentence 0"):
        tree.probability(0, Parse.from_text("(S (_ x))"))


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        (
            {"charts": None},
            r"charts must be a list of arrays, .* but it is None",
        ),
        ({"charts": [None]}, r"charts\[0\] must hold finite scores or -inf, but it is None"),
        ({"labels": None}, "labels must be a list of names, but it is None"),
        ({"labels": "abcde"}, "labels must be a list of names, but it is 'abcde'"),
        ({"labels": [None, "A", "B", "C", "D"]}, r"labels\[0\] must be text, but it is None"),
        ({"labels": ["", "::", "B", "C", "D"]}, r"labels\[1\] is '::', which has an empty name"),
        ({"labels": ["", "S::", "B", "C", "D"]}, r"labels\[1\] is 'S::', which has an empty name"),
        ({"join": ""}, "join must be text such as '::', but it is ''"),
        ({"join": 3}, "join must be text such as '::', but it is 3"),
        ({"rooted": "no"}, "rooted must be True or False, but it is 'no'"),
        ({"charts": [], "sentences": []}, "at least one sentence, but sentences is empty"),
        (
            {"charts": [np.zeros((0, 0, 5))], "sentences": [[]]},
            r"Every sentence must have a word, but sentences\[0\] is empty",
        ),
        ({"sentences": None}, "sentences must be a list of lists of words, but it is None"),
        ({"sentences": [None]}, r"sentences\[0\] must be a list of words, but it is None"),
    ],
)
def test_bad_arguments(changed, message):
    given = {"charts": [made(2)], "sentences": [list(WORDS[:2])], "labels": LABELS} | changed
    with pytest.raises((InputError, ParameterError), match=message):
        cb.Tree.from_spans(**given)
