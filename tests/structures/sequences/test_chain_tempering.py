"""Tempered chains: exact gradients, enumeration, and a distorted model brought back."""

import itertools
from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

import calibrant as cb
from calibrant.errors import InputError
from calibrant.structures.query import Query
from calibrant.structures.sequences.tempering import ChainLikelihood
from calibrant.structures.spans import spans as spans_of
from calibrant.structures.tempering.likelihood import fit, most_likely

TAGS = ("B-X", "I-X", "O")
Float = NDArray[np.float64]


def random_chain(sentences: int = 60, seed: int = 0, longest: int = 6) -> cb.Chain:
    """Random scores, some of them forbidden."""
    rng = np.random.default_rng(seed)
    unary = [rng.normal(0, 1.5, (n, 3)) for n in rng.integers(1, longest, sentences)]
    unary[0][0, 1] = -np.inf
    move = rng.normal(0, 1.0, (3, 3))
    move[2, 1] = -np.inf
    return cb.Chain.from_scores(
        unary, move, first=rng.normal(size=3), last=rng.normal(size=3), tags=TAGS
    )


def drawn(chain: cb.Chain, seed: int = 1) -> list[list[str]]:
    return [each[0] for each in chain.sample(1, seed)]


def enumerated(chain: cb.Chain, sentence: int, words: float, moves: float) -> dict[str, float]:
    """The probability of every tag sequence, from the untempered scores."""
    score = chain.score[chain.start[sentence] : chain.start[sentence + 1]]
    found = {}
    for path in itertools.product(range(3), repeat=len(score)):
        total = sum(score[t, k] for t, k in enumerate(path)) / words
        steps = sum(chain.move[a, b] for a, b in itertools.pairwise(path))
        total += (steps + chain.first[path[0]] + chain.last[path[-1]]) / moves
        found[" ".join(TAGS[k] for k in path)] = np.exp(total)
    whole = sum(found.values())
    return {path: each / whole for path, each in found.items()}


@pytest.mark.parametrize("separate", [False, True])
def test_gradients_agree_with_finite_differences(separate: bool) -> None:
    chain = random_chain()
    likelihood = ChainLikelihood.of_gold(chain, drawn(chain), separate)
    at = np.array([0.3, -0.4])[: len(likelihood.names)]
    found = likelihood.measure(at, likelihood.items)
    for k in range(at.size):
        step = np.zeros(at.size)
        step[k] = 1e-5
        ends = [likelihood.measure(at + s * step, likelihood.items).log for s in (1, -1)]
        np.testing.assert_allclose(found.slope[:, k], (ends[0] - ends[1]) / 2e-5, atol=1e-7)


def test_the_log_likelihood_is_the_log_probability_of_gold() -> None:
    chain = random_chain()
    gold = drawn(chain)
    likelihood = ChainLikelihood.of_gold(chain, gold, separate=True)
    at = np.array([0.3, -0.4])
    tempered = chain.tempered(likelihood.temperatures(at))
    q = [tempered.probability(k, tags) for k, tags in enumerate(gold)]
    np.testing.assert_allclose(likelihood.measure(at, likelihood.items).log, np.log(q), atol=1e-12)


def test_long_sentences_with_far_scores_agree_with_the_scaled_ones() -> None:
    rng = np.random.default_rng(0)
    chain = cb.Chain.from_scores([rng.normal(0, 300, (40, 3))], rng.normal(0, 2, (3, 3)))
    likelihood = ChainLikelihood.of_gold(chain, [list("012") * 13 + ["0"]])
    mid = likelihood.measure(np.zeros(1), likelihood.items)
    ends = [likelihood.measure(np.array([s * 1e-6]), likelihood.items).log[0] for s in (1, -1)]
    assert mid.slope[0, 0] == pytest.approx((ends[0] - ends[1]) / 2e-6, rel=1e-6)


@pytest.mark.parametrize("temperatures", [2.5, {"emissions": 0.7, "transitions": 1.8}])
def test_queries_of_a_tempered_chain_agree_with_enumeration(temperatures: object) -> None:
    chain = random_chain(8, longest=5)
    tempered = chain.tempered(temperatures)  # type: ignore[arg-type]
    words = temperatures["emissions"] if isinstance(temperatures, dict) else temperatures
    moves = temperatures["transitions"] if isinstance(temperatures, dict) else temperatures
    paths = [enumerated(chain, k, words, moves) for k in range(len(chain))]
    gold = drawn(chain)

    def asked(query: Query, holds: Callable[[list[str]], list[bool]]) -> None:
        q = [
            sum(p * np.array(holds(path.split()), float) for path, p in each.items())
            for each in paths
        ]
        found = cb.ask(tempered, gold, query).q
        np.testing.assert_allclose(found, np.concatenate(q), atol=1e-12)

    asked(cb.TagIs("O"), lambda path: [tag == "O" for tag in path])
    asked(cb.EveryTag(), lambda path: [tag == each for tag in path for each in TAGS])
    asked(
        cb.TagPair("B-X", "I-X"),
        lambda path: [pair == ("B-X", "I-X") for pair in itertools.pairwise(path)],
    )
    spans = cb.HasSpan("X", floor=0.0)
    places = spans.where(tempered)
    for k, begin, end, q in zip(*places, strict=True):
        those = [
            p
            for path, p in paths[k].items()
            if (begin, end, "X") in {tuple(each) for each in spans_of(path.split())}
        ]
        assert q == pytest.approx(sum(those), abs=1e-12)


def test_marginals_agree_with_each_other() -> None:
    chain = random_chain().tempered({"emissions": 1.7, "transitions": 0.6})
    np.testing.assert_allclose(chain.marginals.sum(axis=1), 1.0)
    inner = np.ones(len(chain.score), bool)
    inner[chain.start[:-1]] = False
    summed = sum(chain.pair_marginals(tag, "O") for tag in TAGS)
    np.testing.assert_allclose(summed, chain.marginals[inner, 2], atol=1e-12)


def test_temperature_1_changes_nothing() -> None:
    chain = random_chain()
    same = chain.tempered(1)
    np.testing.assert_array_equal(same.marginals, chain.marginals)
    assert same.mode == chain.mode


@pytest.mark.parametrize("factor", [0.5, 2.0])
@pytest.mark.parametrize("separate", [False, True])
def test_a_distorted_model_is_brought_back(factor: float, separate: bool) -> None:
    chain = random_chain(3000, longest=10)
    gold = drawn(chain)
    found = fit(ChainLikelihood.of_gold(chain.tempered(1 / factor), gold, separate))
    errors = found.spread(np.arange(len(found.items)))
    assert (np.abs(found.peak.at - np.log(factor)) < 4 * errors).all()
    assert (errors < 0.1).all()


def test_only_one_kind_is_brought_back() -> None:
    chain = random_chain(3000, longest=10)
    likelihood = ChainLikelihood.of_gold(
        chain.tempered({"transitions": 0.5}), drawn(chain), separate=True
    )
    found = most_likely(likelihood)
    assert found["emissions"] == pytest.approx(1.0, abs=0.15)
    assert found["transitions"] == pytest.approx(2.0, abs=0.3)


def test_what_is_learnt_without_some_sentences_is_what_the_others_give() -> None:
    chain = random_chain(400)
    gold = drawn(chain)
    likelihood = ChainLikelihood.of_gold(chain.tempered(0.6), gold, separate=True)
    found = fit(likelihood)
    left = np.arange(len(found.items)) % 10 == 0
    rest = likelihood.items[~left].tolist()
    alone = ChainLikelihood.of_gold(
        chain.tempered(0.6).take(rest), [gold[k] for k in rest], separate=True
    )
    exact = fit(alone).peak.at
    errors = found.spread(np.arange(len(found.items)))
    assert (np.abs(found.without(left, likelihood) - exact) < 0.05 * errors).all()


def test_impossible_and_empty_sentences_are_set_aside() -> None:
    chain = random_chain(4)
    gold = drawn(chain)
    gold[0][0] = "I-X"  # forbidden there
    gold[1][0] = "new"
    likelihood = ChainLikelihood.of_gold(chain, gold)
    assert likelihood.possible.tolist() == [False, False, True, True]
    none = [["new"] * len(each) for each in gold]
    with pytest.raises(InputError, match="None of the 4 gold structures is possible"):
        fit(ChainLikelihood.of_gold(chain, none))
    some = cb.Chain.from_scores([np.zeros((0, 2)), np.zeros((2, 2))], np.zeros((2, 2)))
    assert ChainLikelihood.of_gold(some, [[], ["0", "1"]]).items.tolist() == [1]


def test_taking_sentences() -> None:
    chain = random_chain(5)
    part = chain.take([3, 1])
    assert part.mode == [chain.mode[3], chain.mode[1]]
    np.testing.assert_allclose(part.log_partition, chain.log_partition[[3, 1]])
