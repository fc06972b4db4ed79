from collections import Counter
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from tree_enumeration import WORDS, Dense, all_derivations, random_grammar

from calibrant.errors import InputError, ParameterError
from calibrant.structures.trees.grammar import Grammar
from calibrant.structures.trees.parse import Parse
from calibrant.structures.trees.tree import Tree


def sentences(grammar, length, count, seed=0):
    """Some sentences of a length that the grammar derives."""
    rng = np.random.default_rng([seed, length])
    found = []
    for words in rng.permutation(list(product(WORDS, repeat=length))).tolist():
        try:
            Tree.from_grammar(grammar, [words])
        except InputError:
            continue
        found.append(words)
        if len(found) == count:
            break
    return found


def check_everything(grammar, words, longest, near=1e-10):
    derivations = all_derivations(grammar, tuple(words), longest)
    weights = np.array([x for x, _ in derivations])
    total = weights.sum()
    tree = Tree.from_grammar(grammar, [words])
    assert tree.log_partition[0] == pytest.approx(np.log(total), abs=near)
    best = max(x for x, parse in derivations if parse == tree.mode[0])
    assert best == pytest.approx(weights.max(), rel=1e-12)  # several may be equally good
    share = Counter()
    for x, parse in derivations:
        share[parse] += x / total
    for parse, p in share.most_common(20):
        assert tree.probability(0, parse) == pytest.approx(p, rel=100 * near)
    wanted = Counter()
    tags = Counter()
    for parse, p in share.items():
        spans = set(parse.spans)
        wanted.update(dict.fromkeys(spans, p))
        wanted.update({(a, b, None): p for a, b in {span[:2] for span in spans}})
        tags.update(dict.fromkeys(enumerate(parse.tags), p))
    marginals = tree.span_marginals[0]
    for row, (a, b) in enumerate(zip(marginals.begin, marginals.end, strict=True)):
        for column, label in enumerate(tree.labels):
            assert marginals.q[row, column] == pytest.approx(wanted[a, b, label], abs=near)
        assert marginals.any[row] == pytest.approx(wanted[a, b, None], abs=near)
        assert tree.constituent(0, int(a), int(b)) == marginals.any[row]
    for k, each in enumerate(tree.tag_marginals[0]):
        for tag, p in each.items():
            assert p == pytest.approx(tags[k, tag], abs=near)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("length", [1, 2, 3, 4, 5, 6])
def test_everything_equals_enumeration(seed, length):
    grammar = random_grammar(seed)
    for words in sentences(grammar, length, 3 if length < 5 else 1):
        check_everything(grammar, words, longest=3)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("length", [1, 2])
def test_cycles_of_unary_rules(seed, length):
    """Chains of some rules; all longer ones have a share of less than 1e-5."""
    grammar = random_grammar(seed, cycles=True, scale=0.3)
    for words in sentences(grammar, length, 2):
        check_everything(grammar, words, longest={1: 9, 2: 5}[length], near=1e-5)


def check_against_dense(grammar, words, near=1e-12):
    tree, dense = Tree.from_grammar(grammar, [words]), Dense(grammar, words)
    whole = dense.total()
    assert tree.log_partition[0] == pytest.approx(np.log(whole), abs=near)
    # every tree of these grammars has one derivation
    assert tree.probability(0, tree.mode[0]) == pytest.approx(dense.best() / whole, rel=near)
    marginals = tree.span_marginals[0]
    for row, (a, b) in enumerate(zip(marginals.begin, marginals.end, strict=True)):
        for column, label in enumerate(tree.labels):
            wanted = dense.marginal(a, b, label)
            assert marginals.q[row, column] == pytest.approx(wanted, abs=near)
        assert marginals.any[row] == pytest.approx(dense.marginal(a, b), abs=near)
    for k, each in enumerate(tree.tag_marginals[0]):
        for tag, p in each.items():
            assert p == pytest.approx(dense.tag(k, tag), abs=near)


@pytest.mark.parametrize("cycles", [False, True])
@pytest.mark.parametrize("length", [1, 2, 3, 4, 5, 6])
def test_everything_equals_linear_algebra(cycles, length):
    """Cycles to their end, in grammars where they matter: rules round them up to 0.9."""
    for seed in range(6):
        grammar = random_grammar(seed, cycles=cycles, scale=0.9)
        if cycles:
            strong = {("X", "Y"): 0.9, ("Y", "X"): 0.8, ("Y", "Y"): 0.2}
            grammar = replace(grammar, unary={**grammar.unary, **strong})
        for words in sentences(grammar, length, 2):
            check_against_dense(grammar, words)


def test_rules_of_any_size():
    """Over 25 orders of magnitude: a rare step of a chain may be the only one there is."""
    rng = np.random.default_rng(0)

    def smaller(rules):
        return {rule: p * 10.0 ** -rng.uniform(0, 25) for rule, p in rules.items()}

    for seed in range(24):
        grammar = random_grammar(seed, cycles=True, scale=0.5)
        parts = {name: smaller(getattr(grammar, name)) for name in ("binary", "unary", "words")}
        grammar = replace(grammar, **parts)
        for length in (1, 2, 3):
            for words in sentences(grammar, length, 2):
                check_against_dense(grammar, words, near=1e-11)


def test_the_oracles_agree():
    """Linear algebra and enumeration, where there are no cycles."""
    for seed in range(4):
        grammar = random_grammar(seed)
        for words in sentences(grammar, 5, 1):
            derivations, dense = all_derivations(grammar, tuple(words), 3), Dense(grammar, words)
            assert dense.total() == pytest.approx(sum(x for x, _ in derivations), rel=1e-13)
            assert dense.best() == pytest.approx(max(x for x, _ in derivations), rel=1e-13)


def test_cycles_are_summed_to_the_end():
    grammar = Grammar(
        {("S", "t", "t"): 0.1},
        {("S", "X"): 0.4, ("X", "S"): 0.5, ("X", "t"): 0.5},
        {("t", "a"): 1.0},
        root="S",
    )
    tree = Tree.from_grammar(grammar, [["a"], ["a", "a"]])
    # S → X → S → … → t: 0.4 · 0.5 · Σ (0.4 · 0.5)ᵏ
    assert np.exp(tree.log_partition[0]) == pytest.approx(0.2 / 0.8)
    assert np.exp(tree.log_partition[1]) == pytest.approx(0.1 / 0.8)
    assert tree.constituent(0, 0, 1, "X") == pytest.approx(1)
    assert tree.constituent(1, 0, 2, "X") == pytest.approx(0.2)
    drawn = tree.sample(4000, seed=2)[1]
    assert np.mean(["X" in str(each) for each in drawn]) == pytest.approx(0.2, abs=0.02)
    twice = Parse.from_text("(S (X (S (X (S (t a) (t a))))))")
    assert tree.probability(1, twice) == pytest.approx(0.2**2 * 0.8)


@pytest.mark.parametrize("cycles", [False, True])
def test_samples_are_reproducible_and_tend_to_the_marginals(cycles):
    grammar = random_grammar(1, cycles=cycles, scale=0.5)
    words = sentences(grammar, 5, 1)
    tree = Tree.from_grammar(grammar, words)
    drawn = tree.sample(20_000, seed=3)[0]
    assert drawn[:50] == tree.sample(50, seed=3)[0]
    assert drawn[:50] != tree.sample(50, seed=4)[0]
    assert all(parse.words == tuple(words[0]) for parse in drawn)
    counts = Counter(span for parse in drawn for span in set(parse.spans))
    marginals = tree.span_marginals[0]
    for a, b, q in zip(marginals.begin, marginals.end, marginals.q, strict=True):
        for label, p in zip(tree.labels, q, strict=True):
            assert counts[a, b, label] / 20_000 == pytest.approx(p, abs=0.018)
    frequent = Counter(drawn).most_common(3)
    for parse, many in frequent:
        assert many / 20_000 == pytest.approx(tree.probability(0, parse), abs=0.018)


@pytest.mark.parametrize("cycles", [False, True])
def test_sampling_errors_fall_with_the_root_of_the_count(cycles):
    """The mean squared error times S is Σ q (1 − q) at every S, within four standard errors."""
    grammar = random_grammar(1, cycles=cycles, scale=0.5)
    words = sentences(grammar, 5, 1)
    tree = Tree.from_grammar(grammar, words)
    marginals, drawn = tree.span_marginals[0], tree.sample(16_000, seed=5)[0]
    column = {label: k for k, label in enumerate(tree.labels)}
    row = {place: k for k, place in enumerate(zip(marginals.begin, marginals.end, strict=True))}
    seen = np.zeros((len(drawn), *marginals.q.shape))
    for k, parse in enumerate(drawn):
        for begin, end, label in set(parse.spans):
            seen[k, row[begin, end], column[label]] = 1
    for size in (25, 100, 400):
        shares = seen.reshape(-1, size, *marginals.q.shape).mean(axis=1)
        errors = size * ((shares - marginals.q) ** 2).sum(axis=(1, 2))
        wanted = (marginals.q * (1 - marginals.q)).sum()
        assert abs(errors.mean() - wanted) < 4 * errors.std() / np.sqrt(errors.size)


def test_posteriors_are_joined_and_taken_apart():
    words = {("t", "a"): 1.0}
    strict = Grammar({("S", "t", "t"): 1.0}, {}, words, root="S")
    loose = Grammar({("S", "t", "S"): 0.5}, {("S", "t"): 0.5}, words, "S")
    given = [["a", "a"], ["a"] * 3, ["a"]]
    whole = Tree.from_grammar(strict, given, fallback=loose)
    parts = [Tree.from_grammar(strict, [each], fallback=loose) for each in given]
    joined = Tree.joined(parts)
    assert joined.mode == whole.mode
    assert joined.fell_back.tolist() == [False, True, True]
    np.testing.assert_array_equal(joined.log_partition, whole.log_partition)
    for one, other in zip(joined.span_marginals, whole.span_marginals, strict=True):
        np.testing.assert_array_equal(one.q, other.q)
    with pytest.raises(InputError, match="at least one posterior"):
        Tree.joined([])
    with pytest.raises(InputError, match="the same grammar and the same fallback"):
        Tree.joined([whole, Tree.from_grammar(loose, given)])
    part = whole.take([2, 0])
    assert part.mode == [whole.mode[2], whole.mode[0]]
    assert part.fell_back.tolist() == [True, False]
    np.testing.assert_array_equal(part.span_marginals[1].q, whole.span_marginals[0].q)
    with pytest.raises(ParameterError, match="number must"):
        whole.take([3])


def test_long_sentences_do_not_vanish():
    """Rules of probability 1e-9, and sixty words of 1e-12: the sum is about e^-3000."""
    rules = {("S", "X", "S"): 1e-9, ("S", "X", "X"): 1e-9, ("X", "X", "X"): 1e-9}
    grammar = Grammar(rules, {("X", "t"): 0.5, ("S", "X"): 1e-3}, {("t", "a"): 1e-12}, root="S")
    tree = Tree.from_grammar(grammar, [["a"] * 60, ["a"] * 4])
    assert -3500 < tree.log_partition[0] < -2500
    derivations = all_derivations(grammar, ("a",) * 4, 3)
    assert tree.log_partition[1] == pytest.approx(np.log(sum(x for x, _ in derivations)))
    assert tree.constituent(0, 0, 60, "S") == pytest.approx(1)
    rows = tree.span_marginals[0]
    single = rows.end - rows.begin == 1
    assert rows.q[single, tree.column("X")] == pytest.approx(1)
    # every parse has 59 binary nodes
    assert rows.any[~single].sum() == pytest.approx(59)
    assert np.isfinite(np.log(tree.probability(1, tree.mode[1])))


def test_the_safest_tree_has_what_is_likely():
    rules = {("S", "X", "t"): 0.6, ("S", "t", "X"): 0.4, ("X", "t", "t"): 1.0}
    grammar = Grammar(rules, {}, {("t", "a"): 1.0}, root="S")
    tree = Tree.from_grammar(grammar, [["a", "a", "a"]])
    assert str(tree.minimum_risk()[0]) == "(S (X (t a) (t a)) (t a))"
    assert str(tree.minimum_risk(cost=9)[0]) == "(S (t a) (t a) (t a))"
    with pytest.raises(ParameterError, match="cost must be positive"):
        tree.minimum_risk(0)


def test_the_fallback_parses_what_the_grammar_cannot():
    words = {("t", "a"): 1.0}
    strict = Grammar({("S", "t", "t"): 1.0}, {}, words, root="S")
    loose = Grammar({("S", "t", "S"): 0.5, ("S", "t", "Z"): 0.5}, {("Z", "t"): 1.0}, words, "S")
    tree = Tree.from_grammar(strict, [["a", "a"], ["a"] * 3], fallback=loose)
    assert tree.fell_back.tolist() == [False, True]
    assert tree.labels == ("S", "Z")
    assert repr(tree) == "Tree(2 sentences, 5 words, 2 labels, 1 by the fallback)"
    assert tree.constituent(0, 1, 2, "Z") == 0
    assert tree.constituent(1, 2, 3, "Z") == pytest.approx(1)
    with pytest.raises(InputError, match=r"no parse for sentence 1, 'a a a' \(1 of 2"):
        Tree.from_grammar(strict, [["a", "a"], ["a"] * 3])


@pytest.mark.parametrize(
    ("binary", "unary", "words", "message"),
    [
        (
            {("S", "t"): 1.0},
            {},
            {},
            r"rule of binary must be \(parent, left, right\), .* \('S', 't'\)",
        ),
        ({"Stt": 1.0}, {}, {}, "rule of binary must be .* 'Stt'"),
        ({}, {("S", "t", "t"): 1.0}, {}, r"rule of unary must be \(parent, child\)"),
        ({}, {("S", 1): 1.0}, {}, r"rule of unary must be \(parent, child\)"),
        ({}, {}, {"t": 1.0}, r"rule of words must be \(tag, word\), but one is 't'"),
        ([("S", "t", "t")], {}, {}, "binary must be a dict from .* not list"),
        ({("S", "t", "t"): "1"}, {}, {}, "positive numbers, .* has '1'"),
        ({("S", "t", "t"): None}, {}, {}, "positive numbers, .* has None"),
        ({("S", "t", "t"): float("nan")}, {}, {}, "positive numbers, .* has nan"),
    ],
)
def test_what_is_no_grammar(binary, unary, words, message):
    with pytest.raises(InputError, match=message):
        Grammar(binary, unary, {("t", "a"): 1.0} | words, "S")


def test_bad_grammars_and_questions():
    with pytest.raises(InputError, match="finite sum, but a cycle"):
        Grammar({}, {("S", "X"): 1.0, ("X", "S"): 1.0, ("X", "t"): 1.0}, {("t", "a"): 1.0}, "S")
    with pytest.raises(InputError, match=r"\('S', 't'\) has 0"):
        Grammar({}, {("S", "t"): 0}, {("t", "a"): 1.0}, "S")
    with pytest.raises(InputError, match="'S' has both"):
        Grammar({}, {("S", "t"): 1.0}, {("t", "a"): 1.0, ("S", "a"): 1.0}, "S")
    tree = {"binary": {("@S", "t", "t"): 1.0}, "unary": {}, "words": {("t", "a"): 1.0}}
    with pytest.raises(InputError, match="must be shown in trees, but '@S' is not"):
        Grammar(**tree, root="@S")
    assert len(Tree.from_grammar(Grammar(**tree, root="@S", names={"@S": "S"}), [["a"] * 2])) == 1
    with pytest.raises(InputError, match="must be shown in trees, but 't' is not"):
        Grammar(**tree, root="@S", names={"@S": "S", "t": None})
    with pytest.raises(InputError, match="label of '@S' must be a string or None, not 3"):
        Grammar(**tree, root="@S", names={"@S": 3})
    with pytest.raises(InputError, match="root must have rules"):
        Grammar({}, {("S", "t"): 1.0}, {("t", "a"): 1.0}, "R")
    for huge in (1.5, 1e10, 1e300):
        with pytest.raises(InputError, match="finite sum, but a cycle"):
            Grammar({}, {("S", "S"): huge, ("S", "t"): 1.0}, {("t", "a"): 1.0}, "S")
    grammar = Grammar({}, {("S", "t"): 1.0}, {("t", "cats"): 1.0}, "S")
    with pytest.raises(InputError, match=r"word 0 of sentence 0, 'cat'.* mean 'cats'\?"):
        Tree.from_grammar(grammar, [["cat"]])
    with pytest.raises(InputError, match="sentence 1 has 0 words"):
        Tree.from_grammar(grammar, [["cats"], []])
    with pytest.raises(InputError, match=r"sentences\[1\] must be a list of words, .* 'cats'"):
        Tree.from_grammar(grammar, [["cats"], "cats"])
    with pytest.raises(InputError, match="each of the 2 sentences, but it has 1"):
        Tree.from_grammar(grammar, [["cats"], ["cat"]], entries=[["cats"]])
    tree = Tree.from_grammar(grammar, [["cats"]])
    assert repr(tree) == "Tree(1 sentence, 1 word, 1 label)"
    with pytest.raises(InputError, match="must have the words of sentence 0"):
        tree.probability(0, Parse.from_text("(S (t dogs))"))
    assert tree.probability(0, Parse.from_text("(S (S (t cats)))")) == 0
    with pytest.raises(InputError, match="no label 'NP' among 1"):
        tree.constituent(0, 0, 1, "NP")
    with pytest.raises(ParameterError, match="end must be"):
        tree.constituent(0, 0, 2)
