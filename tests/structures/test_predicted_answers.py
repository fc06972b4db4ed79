"""A model whose beliefs are true has calibrated predictions; a model that is too sure has not."""

import numpy as np
import pytest
from clusterings import random_links
from enumeration import random_chain
from tree_enumeration import random_grammar

import calibrant as cb
from calibrant.structures.known_queries import QUERIES

LIMIT = 3.9  # in standard errors: a calibrated model stays within it with probability 0.9999
TAGS = ["B-PER", "I-PER", "B-LOC", "I-LOC", "O"]
WORDS = [["a", "c", "b", "a"], ["c", "a"], ["a", "b", "c", "a", "a"]]
CHAIN = random_chain([8] * 400, TAGS, seed=16)
LINKS = random_links([8] * 300, seed=4)
ALL = [
    cb.PredictedTag(),
    cb.PredictedTag("sequence"),
    cb.PredictedSpan(),
    cb.PredictedSpan("PER"),
    cb.PredictedSequence(),
    cb.PredictedConstituent(),
    cb.PredictedConstituent("X"),
    cb.PredictedLink(),
]


def believed(query):
    """A posterior that the query asks about, and a truth drawn from it."""
    if query.about is cb.Tree:
        grammar = random_grammar(0, cycles=True, scale=0.5)
        posterior = cb.Tree.from_grammar(grammar, WORDS * 200)
        return posterior, [drawn[0] for drawn in posterior.sample(1, seed=6)]
    if query.about is cb.Links:
        return LINKS, [each[:, 0] for each in LINKS.sample_entities(1, seed=5)]
    return CHAIN, [drawn[0] for drawn in CHAIN.sample(1, seed=10)]


def bias_in_errors(pairs):
    """Σ (y − q), in standard errors: groups are independent, and each sum has mean 0."""
    sums = np.bincount(pairs.codes, np.asarray(pairs.y, float) - pairs.q)
    return sums.sum() / np.sqrt((sums**2).sum())


def test_every_query_about_predictions_is_here():
    assert {type(query) for query in ALL} == {
        each for each in QUERIES if each.__name__.startswith("Predicted")
    }


@pytest.mark.parametrize("query", ALL, ids=repr)
def test_true_beliefs_have_calibrated_predictions(query):
    pairs = cb.ask(*believed(query), query)
    assert pairs.groups > 150
    assert abs(bias_in_errors(pairs)) < LIMIT
    assert cb.test(pairs).p_value > 0.001


def doubled(posterior):
    """The same model with squared probabilities of whole structures."""
    if isinstance(posterior, cb.Links):
        count = len(posterior)
        above = np.triu(np.ones((8, 8)), 1)
        matrices = [2 * np.log(posterior.antecedents(k) + above) for k in range(count)]
        return cb.Links.from_scores(matrices)
    if isinstance(posterior, cb.Tree):
        given = posterior.grammar
        binary, unary, words = (
            {rule: p**2 for rule, p in rules.items()}
            for rules in (given.binary, given.unary, given.words)
        )
        grammar = cb.models.Grammar(binary, unary, words, root=given.root)
        return cb.Tree.from_grammar(grammar, posterior.sentences)
    unary = np.split(2 * posterior.score, posterior.start[1:-1])
    ends = {"first": 2 * posterior.first, "last": 2 * posterior.last, "tags": TAGS}
    return cb.Chain.from_scores(unary, 2 * posterior.move, **ends)


@pytest.mark.parametrize("query", ALL, ids=repr)
def test_predictions_of_a_model_that_is_too_sure(query):
    """The same truth, but the model squares its probabilities: predictions are overestimated."""
    posterior, gold = believed(query)
    assert bias_in_errors(cb.ask(doubled(posterior), gold, query)) < -LIMIT


def test_noisy_scores_are_overestimated_where_they_are_chosen():
    """Candidates may be right on average while predictions are overestimated.

    The model sees the true scores with noise of mean 0. It predicts an answer where the noise
    raised its score more often than where the noise lowered it.
    """
    rng = np.random.default_rng(2)
    truth = rng.normal(size=(2000, 6, 3))
    seen = truth + rng.normal(size=truth.shape)
    fair = cb.Chain.from_scores(list(truth), np.zeros((3, 3)), tags=["B-X", "I-X", "O"])
    noisy = cb.Chain.from_scores(list(seen), np.zeros((3, 3)), tags=["B-X", "I-X", "O"])
    gold = [drawn[0] for drawn in fair.sample(1, seed=3)]
    candidates = cb.ask(noisy, gold, cb.HasSpan("X", floor=0))
    predicted = cb.ask(noisy, gold, cb.PredictedSpan("X"))
    over = [pairs.mean(pairs.q) - pairs.mean(pairs.y) for pairs in (candidates, predicted)]
    assert abs(over[0]) < 0.01
    assert over[1] > 0.1
    assert abs(bias_in_errors(cb.ask(fair, gold, cb.PredictedSpan("X")))) < LIMIT
