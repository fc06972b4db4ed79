"""Laws of all queries: their names, their keys, and the groups that they make."""

import numpy as np
import pytest
from enumeration import random_chain
from process import calibrant

import calibrant as cb
from calibrant.errors import UnknownName
from calibrant.structures.coreference.predicted_queries import PredictedLink
from calibrant.structures.coreference.queries import NewEntity, SameEntity, Singleton
from calibrant.structures.known_queries import QUERIES, parse_query
from calibrant.structures.labels.queries import EveryLabel, LabelIs, TopK, TopLabel
from calibrant.structures.sequences.predicted_queries import (
    PredictedSequence,
    PredictedSpan,
    PredictedTag,
)
from calibrant.structures.sequences.span_queries import HasSpan
from calibrant.structures.sequences.tag_queries import EveryTag, TagIs, TagPair
from calibrant.structures.trees.queries import HasConstituent, PredictedConstituent

LABELS = cb.Labels([[0.7, 0.3], [0.4, 0.6], [0.5, 0.5]], classes=["a", "b"])
CHAIN = random_chain((3, 1, 0, 4), ["B-X", "I-X", "O"], seed=1)
LINKS = cb.Links.from_probabilities(
    [[[1, 0, 0], [0.6, 0.4, 0], [0.1, 0.7, 0.2]], [[1]], [[1, 0], [0.5, 0.5]]]
)
GRAMMAR = cb.models.Grammar(
    {("S", "NP", "V"): 1.0, ("NP", "N", "N"): 0.5},
    {("NP", "N"): 0.5},
    {("N", "dogs"): 1.0, ("V", "run"): 1.0},
    root="S",
)
TREES = [
    cb.corpora.Parse.from_text(text)
    for text in ("(S (NP (N dogs)) (V run))", "(S (NP (N dogs) (N dogs)) (V run))")
]
CASES = {
    LabelIs("b"): (LABELS, ["a", "b", "b"], ["item"]),
    TopLabel(): (LABELS, ["a", "b", "b"], ["item"]),
    TopK(1): (LABELS, ["a", "b", "b"], ["item"]),
    EveryLabel(): (LABELS, ["a", "b", "b"], ["item", "label"]),
    TagIs("O"): (CHAIN, None, ["sentence", "begin", "end"]),
    EveryTag(): (CHAIN, None, ["sentence", "begin", "end", "tag"]),
    TagPair("B-X", "I-X"): (CHAIN, None, ["sentence", "begin", "end"]),
    HasSpan("X"): (CHAIN, None, ["sentence", "begin", "end"]),
    PredictedTag(by="sequence"): (CHAIN, None, ["sentence", "begin", "end", "tag"]),
    PredictedSpan("X"): (CHAIN, None, ["sentence", "begin", "end", "type"]),
    PredictedSequence(): (CHAIN, None, ["sentence", "begin", "end"]),
    HasConstituent("NP"): (
        cb.Tree.from_grammar(GRAMMAR, [tree.words for tree in TREES]),
        TREES,
        ["sentence", "begin", "end"],
    ),
    PredictedConstituent(): (
        cb.Tree.from_grammar(GRAMMAR, [tree.words for tree in TREES]),
        TREES,
        ["sentence", "begin", "end", "type"],
    ),
    SameEntity(): (LINKS, [[0, 0, 1], [0], [0, 0]], ["document", "first", "second"]),
    NewEntity(): (LINKS, [[0, 0, 1], [0], [0, 0]], ["document", "mention"]),
    Singleton(): (LINKS, [[0, 0, 1], [0], [0, 0]], ["document", "mention"]),
    PredictedLink(): (LINKS, [[0, 0, 1], [0], [0, 0]], ["document", "mention", "antecedent"]),
}


def asked(query):
    posterior, gold, _ = CASES[query]
    return posterior, cb.ask(posterior, CHAIN.mode if gold is None else gold, query)


def test_every_query_is_here():
    assert {type(query) for query in CASES} == set(QUERIES)


@pytest.mark.parametrize("query", CASES, ids=repr)
def test_names_parse_back(query):
    assert parse_query(repr(query)) == query


@pytest.mark.parametrize("query", CASES, ids=repr)
def test_keys_name_each_pair_once(query):
    posterior, pairs = asked(query)
    keys = query.keys(posterior)
    assert list(keys) == CASES[query][2]
    assert {each.shape for each in keys.values()} == {(len(pairs),)}
    rows = list(zip(*(each.tolist() for each in keys.values()), strict=True))
    assert len(set(rows)) == len(pairs)
    if pairs.group is not None:
        unit = keys[next(iter(keys))]  # the sentence, document or item
        np.testing.assert_array_equal(np.asarray(pairs.group), unit)


@pytest.mark.parametrize("query", CASES, ids=repr)
def test_groups_that_nobody_named_stay_apart(query):
    """Two sets of two sentences have four: sentence 0 of one is not that of the other."""
    _, pairs = asked(query)
    assert (pairs + pairs).groups == 2 * pairs.groups


def test_groups_that_were_given_are_shared():
    pairs = cb.ask(LABELS, ["a", "b", "b"], EveryLabel(), group=["x", "x", "y"])
    assert (pairs + pairs).groups == pairs.groups == 2


def test_pairs_of_mentions_in_order():
    keys = SameEntity().keys(LINKS)
    assert list(zip(*(each.tolist() for each in keys.values()), strict=True)) == [
        (0, 0, 1),
        (0, 0, 2),
        (0, 1, 2),
        (2, 0, 1),
    ]
    assert SameEntity(samples=10).keys(LINKS) == {}


def test_queries_are_known_by_name_in_a_new_process():
    """They were known only once their module had been imported."""
    for query in ("EveryTag", "SameEntity", "HasConstituent"):
        done = calibrant("ask", "none", "none.conll", query)
        assert "There is no folder none" in done.stderr, done.stderr
    with pytest.raises(UnknownName, match="Did you mean HasSpan"):
        parse_query("HasSpam")
