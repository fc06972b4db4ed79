"""Sentences as numbers."""

import numpy as np

from calibrant.structures.sequences.models.encoding import encode, learn, observed_pairs
from calibrant.structures.sequences.models.features import Features

WORDS = [["a", "b", "a"], ["b"]]
FEATURES = Features(("word", "length"))


def attributes(encoded, names):
    """The attributes of every word, by name."""
    return [
        sorted(
            names[a]
            for bundle in row
            for a in encoded.hold[encoded.hold_start[bundle] : encoded.hold_start[bundle + 1]]
        )
        for row in encoded.bundle
    ]


def test_words_have_the_attributes_of_their_features():
    vocabulary, encoded = learn(FEATURES, WORDS)
    assert encoded.start.tolist() == [0, 3, 4]
    wanted = [each for words in WORDS for each in FEATURES.of_sentence(words)]
    assert attributes(encoded, list(vocabulary)) == [sorted(each) for each in wanted]
    assert encoded.bundles == 2
    counts = dict(zip(vocabulary, encoded.occurrences.tolist(), strict=True))
    assert counts == {"word=a": 2, "word=b": 2, "length=1": 4}


def test_unknown_attributes_are_left_out():
    vocabulary, _ = learn(FEATURES, WORDS)
    size = len(vocabulary)
    encoded = encode(FEATURES, [["a", "zz"]], vocabulary)
    assert attributes(encoded, list(vocabulary)) == [["length=1", "word=a"], []]
    assert len(vocabulary) == size


def test_holders_are_the_attributes_turned_round():
    _, encoded = learn(FEATURES, WORDS)
    start, holders = encoded.holders
    pairs = {(a, b) for a in range(start.size - 1) for b in holders[start[a] : start[a + 1]]}
    owner = np.repeat(np.arange(encoded.bundles), np.diff(encoded.hold_start))
    assert pairs == set(zip(encoded.hold.tolist(), owner.tolist(), strict=True))


def test_tags_seen_with_each_attribute():
    vocabulary, encoded = learn(FEATURES, WORDS)
    start, tag = observed_pairs(encoded, np.array([0, 1, 0, 2]), 3)
    seen = {name: tag[start[a] : start[a + 1]].tolist() for name, a in vocabulary.items()}
    assert seen == {"word=a": [0], "word=b": [1, 2], "length=1": [0, 1, 2]}
