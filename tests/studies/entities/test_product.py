"""Spans of several types, asked about the same sentences."""

import numpy as np

import calibrant as cb
from calibrant.corpora import Corpus
from calibrant.studies.entities.product import both_ways, shared_groups

TAGS = ["O", "B-PER", "I-PER", "B-LOC", "I-LOC"]
WORDS = (("a", "b", "c"), ("d", "e"), ("f",))
GOLD = (("B-PER", "I-PER", "O"), ("B-LOC", "O"), ("O",))


def test_types_of_one_sentence_share_its_group():
    scores = [np.zeros((len(words), len(TAGS))) for words in WORDS]
    chain = cb.Chain.from_scores(scores, np.zeros((len(TAGS), len(TAGS))), tags=TAGS)
    both = both_ways(chain, Corpus(WORDS, GOLD), ("PER", "LOC"))
    assert both.exact.groups == both.product.groups == len(WORDS)


def test_documents_are_groups_where_they_are_known():
    assert list(shared_groups(Corpus(WORDS, GOLD))) == [0, 1, 2]
    assert list(shared_groups(Corpus(WORDS, GOLD, ("x", "x", "y")))) == ["x", "x", "y"]
