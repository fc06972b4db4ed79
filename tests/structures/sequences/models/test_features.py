import numpy as np
import pytest
from made_corpora import made

from calibrant.errors import InputError, ParameterError, UnknownName
from calibrant.structures.sequences.models.encoding import encode, learn, observed_pairs
from calibrant.structures.sequences.models.features import FAMILIES, Advanced, Basic, Features


def test_every_family():
    (first, second) = Advanced().of_sentence(["It's", "2Day"])
    assert first == [
        "word=It's",
        "lower=it's",
        "shape=Xx'x",
        "length=4",
        "prefix=i",
        "prefix=it",
        "prefix=it'",
        "prefix=it's",
        "suffix=s",
        "suffix='s",
        "suffix=t's",
        "suffix=it's",
        "-2 edge",
        "-1 edge",
        "+1=2day",
        "+2 edge",
    ]
    assert "shape=dXx" in second
    assert "-1=it's" in second
    assert Basic().of_sentence(["a", "B"]) == [["word=a"], ["word=B"]]


@pytest.mark.parametrize(
    ("word", "shape"),
    [
        ("NASA", "X"),
        ("😀😀", "😀"),
        ("\xa0", "\xa0"),
        ("ß", "x"),
        ("中文", "x"),
        ("", ""),
        ("a", "x"),
    ],
)
def test_strange_words(word, shape):
    (found,) = Features(("word", "shape", "length", "prefix", "suffix")).of_sentence([word])
    assert found[:3] == [f"word={word}", f"shape={shape}", f"length={len(word)}"]
    assert len(found) == 3 + 2 * min(len(word), 4)


def test_context_stays_in_its_sentence():
    features = Features(("context",), reach=1)
    assert features.of_sentence([]) == []
    columns = features.columns([["A", "b"], [], ["c"]])
    shown = [[column.attributes[k][0] for k in column.of_word] for column in columns]
    assert shown == [["-1 edge", "-1=a", "-1 edge"], ["+1=b", "+1 edge", "+1 edge"]]


def test_families_can_be_switched_off_and_on():
    assert Advanced().families == FAMILIES
    for family in FAMILIES:
        assert family not in Advanced().without(family).families
        assert Advanced().without(family).plus(family) == Advanced()
    assert Features(["suffix", "word", "suffix"]).families == ("word", "suffix")


def test_bad_features():
    with pytest.raises(UnknownName, match=r"Did you mean suffix\?"):
        Features(("sufix",))
    with pytest.raises(UnknownName, match="family of these features 'shape'"):
        Basic().without("shape")
    with pytest.raises(ParameterError, match="tuple of names, not 'word'"):
        Features("word")
    with pytest.raises(ParameterError, match="at least one family"):
        Features(())
    with pytest.raises(ParameterError, match="reach must be a whole number"):
        Features(("context",), reach=0)
    with pytest.raises(ParameterError, match="custom must be a function"):
        Features((), custom="word")


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        (lambda w, t: [w[t], 1], r"\['a', 1\]"),
        (lambda w, t: "ab", "'ab'"),
        (lambda w, t: 3, "3"),
        (lambda w, t: None, "None"),
    ],
    ids=["number", "string", "no list", "none"],
)
def test_custom_functions_must_give_strings(given, shown):
    features = Features((), custom=given)
    with pytest.raises(InputError, match=f"word 0 of sentence 1 it gave {shown}"):
        features.columns([[], ["a"]])


def test_custom_features_are_names_of_their_own():
    features = Features(("word",), custom=lambda words, t: (w for w in ["x", str(t)]))
    assert features.of_sentence(["a"]) == [["word=a", "custom=x", "custom=0"]]


def attributes_of(encoded, names):
    """Back from numbers to the attributes of every word."""
    return [
        [
            names[a]
            for b in row
            for a in encoded.hold[encoded.hold_start[b] : encoded.hold_start[b + 1]]
        ]
        for row in encoded.bundle
    ]


def test_encoding_keeps_every_attribute():
    corpus, features = made(), Advanced()
    vocabulary, encoded = learn(features, corpus.words)
    wanted = [each for words in corpus.words for each in features.of_sentence(words)]
    assert attributes_of(encoded, list(vocabulary)) == wanted
    occurrences = {name: sum(each.count(name) for each in wanted) for name in vocabulary}
    assert encoded.occurrences.tolist() == list(occurrences.values())
    again = encode(features, [["the", "zebra"], []], vocabulary)
    known = [
        [a for a in each if a in vocabulary] for each in features.of_sentence(["the", "zebra"])
    ]
    assert attributes_of(again, list(vocabulary)) == known


def test_weights_are_for_tags_that_were_seen():
    corpus, features = made(), Advanced()
    vocabulary, encoded = learn(features, corpus.words)
    code = {tag: k for k, tag in enumerate(corpus.tag_set)}
    gold = np.array([code[tag] for each in corpus.tags for tag in each])
    start, tag = observed_pairs(encoded, gold, 3)
    rows = [row for words in corpus.words for row in features.of_sentence(words)]
    seen = {(a, k) for row, k in zip(rows, gold.tolist(), strict=True) for a in row}
    found = {
        (name, k)
        for n, name in enumerate(vocabulary)
        for k in tag[start[n] : start[n + 1]].tolist()
    }
    assert found == seen
    assert tag.size == len(seen)
