"""The number of constituents of sentences, against all derivations, sums and samples."""

import numpy as np
import pytest
from tree_enumeration import all_derivations, random_grammar

import calibrant as cb
from calibrant.errors import InputError
from calibrant.models import Grammar

LABELS = ["S", "X", "Y", None]
SENTENCES = [list("ab"), list("abc"), list("abbac")]


def number(tree, label):
    return len({span[:2] for span in tree.spans if label in (None, span.type)})


def by_enumeration(grammar, words, label):
    found = np.zeros(2 * len(words))
    for weight, tree in all_derivations(grammar, tuple(words)):
        found[number(tree, label)] += weight
    return found / found.sum()


@pytest.mark.parametrize("seed", [0, 3])
@pytest.mark.parametrize("label", LABELS)
def test_distributions_are_those_of_all_derivations(seed, label):
    grammar = random_grammar(seed)
    words = [each for each in SENTENCES if all_derivations(grammar, tuple(each))]
    tree = cb.Tree.from_grammar(grammar, words)
    found = cb.HasConstituent(label).tallies(tree)
    for k, each in enumerate(words):
        true, mine = by_enumeration(grammar, each, label), found.distribution(k)
        np.testing.assert_allclose(mine, true[: mine.size], atol=1e-11)
        assert true[mine.size :].sum() < 1e-11
        assert found.best[k] == number(tree.mode[k], label)


@pytest.mark.parametrize("label", LABELS)
def test_labels_that_return_in_a_chain_count_once(label):
    grammar = random_grammar(2, cycles=True)
    tree = cb.Tree.from_grammar(grammar, [list("abca"), list("cb")])
    found = cb.HasConstituent(label).tallies(tree)
    for k, marginals in enumerate(tree.span_marginals):
        q = marginals.any if label is None else marginals.q[:, tree.column(label)]
        assert found.expected[k] == pytest.approx(q.sum(), rel=1e-9)
    drawn = cb.HowMany(lambda parse: number(parse, label), samples=4000, seed=1).tallies(tree)
    for k in range(2):
        exact, mine = found.distribution(k), drawn.distribution(k)
        np.testing.assert_allclose(mine, exact[: mine.size], atol=4 * 0.5 / 4000**0.5)


def test_long_sentences_fold_nothing_onto_small_numbers():
    """A sentence of many X whose number is geometric: at most one point of the transform each."""
    grammar = Grammar(
        {("S", "X", "S"): 1.0, ("X", "a", "a"): 0.3},
        {("X", "a"): 0.7, ("S", "X"): 0.5},
        {("a", "a"): 1.0},
        root="S",
    )
    words = ["a"] * 40
    tree = cb.Tree.from_grammar(grammar, [words])
    found = cb.HasConstituent("X").tallies(tree)
    weight = np.zeros(41)  # 40 words in k parts of one or two words
    for k in range(20, 41):
        pairs = 40 - k
        ways = np.prod([(k - i) / (i + 1) for i in range(pairs)])
        weight[k] = ways * 0.3**pairs * 0.7 ** (k - pairs) * 0.5
    weight /= weight.sum()
    mine = found.distribution(0)
    np.testing.assert_allclose(mine, weight[: mine.size], atol=1e-12)
    assert mine.size <= 41


def test_gold_groups_and_bad_input():
    grammar = random_grammar(0)
    tree = cb.Tree.from_grammar(grammar, SENTENCES[:2])
    found = cb.HasConstituent("X").tallies(tree, [None, tree.mode[1]], group=["d", "d"])
    assert found.labelled.tolist() == [False, True]
    assert found.gold[1] == found.best[1]
    assert found.asked.tolist() == [2, 3]
    assert found.group.tolist() == ["d", "d"]
    with pytest.raises(InputError, match="There is no label 'Z'"):
        cb.HasConstituent("Z").tallies(tree)
    with pytest.raises(InputError, match="Sentence 0 of gold must be a Parse, but it is None"):
        cb.ask(tree, [None, tree.mode[1]], cb.HasConstituent("X"))


def test_scores_of_spans_are_sampled():
    chart = np.random.default_rng(1).normal(size=(3, 3, 3))
    tree = cb.Tree.from_spans([chart], [["she", "sees", "stars"]], ["", "S", "VP"])
    found = cb.HasConstituent("VP").tallies(tree)
    every = cb.HasConstituent("VP", floor=0).where(tree).q.sum()
    assert found.expected[0] == pytest.approx(every, abs=4 / 1000**0.5)
