"""Weights and attributes, against python-crfsuite's own reading of them."""

import types

import numpy as np
import pycrfsuite
import pytest

from calibrant.errors import InputError
from calibrant.structures.sequences.attributes import attributes
from calibrant.structures.sequences.chain import Chain

STATES = {("word:the", "D"): 2.0, ("word:dog", "N"): 1.5, ("length", "N"): 0.1}
MOVES = {("D", "N"): 1.0, ("N", "D"): -1.0}
TOKENS = [
    ["a", "b"],
    {"a", "b"},
    ("a", b"b"),
    [],
    {},
    {"a": 1, "b": 2.5, "c": -0.0},
    {"a": True, "b": False},
    {"a": np.float32(0.5), "b": np.int64(3), "c": np.True_},
    {"word": "dog", "empty": "", "": "x", b"bytes": b"too"},
    {"in": {"names": True, "list": ["x", "y"], "deep": {"er": {"still": 2}}}},
    {"in": {"x"}, "none": [], "nothing": {}},
    {"word": "größe:ß", "é": 1.0},
    {"nul\0l": "x", "in\0": {"y": 2}},
]


@pytest.mark.parametrize("token", TOKENS)
def test_attributes_are_read_as_python_crfsuite_reads_them(token):
    (wanted,) = pycrfsuite.ItemSequence([token]).items()
    assert {name.partition("\0")[0]: value for name, value in attributes(token)} == wanted


def test_scores_are_sums_of_weights():
    sentence = [{"word": "the", "length": 3}, ["word:dog", "word:dog", "unknown"], []]
    chain = Chain.from_crf(STATES, MOVES, [sentence, []])
    assert chain.tags == ("D", "N")
    np.testing.assert_allclose(chain.score, [[2, 0.3], [0, 3], [0, 0]])
    np.testing.assert_allclose(chain.move, [[0, 1], [-1, 0]])
    assert chain.lengths.tolist() == [3, 0]


def test_tags_that_have_no_weights():
    chain = Chain.from_crf(STATES, {("V", "D"): -np.inf}, [[["x"], ["y"]]], tags=["V", "N", "D"])
    assert chain.marginals[0] == pytest.approx([2 / 8, 3 / 8, 3 / 8])
    assert Chain.from_crf({}, {}, [[["x"]]], tags=["V", "N"]).marginals.tolist() == [[0.5, 0.5]]


BAD = [
    (
        ({("word:the", "D"): np.nan}, {}, [[]]),
        {},
        r"weights in states .* states\[\('word:the', 'D'\)\] is nan",
    ),
    (({("word:the", "D"): -np.inf}, {}, [[]]), {}, "weights in states must be finite"),
    (({}, {("D", "N"): np.inf}, [[]]), {}, "weights in moves must be finite"),
    (({}, {("D", "N"): "1"}, [[]]), {}, "weights in moves must be finite"),
    (({"word:the": 1.0}, {}, [[]]), {}, r"keys of states must be pairs \(attribute, tag\)"),
    (({}, {("D", 1): 1.0}, [[]]), {}, r"keys of moves must be pairs \(tag, tag\)"),
    (({}, [1], [[]]), {}, "moves must be a mapping, but it is of type list"),
    (({}, {}, [[]]), {}, "at least one tag"),
    ((STATES, MOVES, [[]]), {"tags": ["D", "NN"]}, r"a tag 'N' that is .* Did you mean 'NN'\?"),
    ((STATES, MOVES, [["the"]]), {}, "Sentence 0, token 0: .* the string 'the'"),
    ((STATES, MOVES, [[[]], "the dog"]), {}, "Sentence 1 must be a list of tokens, .* type str"),
    ((STATES, MOVES, [{"a": 1}]), {}, "must be a list of tokens, .* type dict"),
    ((STATES, MOVES, [{"a", "b"}]), {}, "must be a list of tokens, .* type set"),
    ((STATES, MOVES, None), {}, "sentences must be a list, but they are a NoneType"),
    ((STATES, MOVES, [[[], {"a": None}]]), {}, "token 1: the value of attribute 'a' .* None"),
    ((STATES, MOVES, [[{"a": np.inf}]]), {}, "must be a finite number.* inf"),
    ((STATES, MOVES, [[{"a": ("x",)}]]), {}, "a dict, list or set, but it is"),
    ((STATES, MOVES, [[[1]]]), {}, "the name of an attribute must be a string, but it is 1"),
    ((STATES, MOVES, [[3]]), {}, "a list, a set or a dict, but they are 3"),
    ((STATES, MOVES, [[types.MappingProxyType({"a": 1})]]), {}, r"pass dict\(token\)"),
    ((STATES, MOVES, []), {}, "at least one sentence"),
]


@pytest.mark.parametrize(("arguments", "options", "message"), BAD)
def test_what_cannot_be_read(arguments, options, message):
    with pytest.raises(InputError, match=message):
        Chain.from_crf(*arguments, **options)


def test_a_sequence_that_hides_what_it_holds():
    """It keeps attributes that are named twice, but shows them once."""
    with pytest.raises(InputError, match="type ItemSequence"):
        Chain.from_crf(STATES, MOVES, [pycrfsuite.ItemSequence([["a", "a"]])])
