"""Weights of conditional random fields by name, and the scores they give."""

import numpy as np
import pytest

from calibrant.errors import InputError
from calibrant.structures.sequences.linear import crf_scores, weights_from_mappings

STATES = {("w:a", "D"): 2.0, ("w:a", "N"): -1.0, ("long", "N"): 0.5}


def test_scores_are_sums_of_weights():
    weights = weights_from_mappings(STATES, {("D", "N"): 1.0}, None)
    assert weights.tags == ("D", "N")
    assert weights.move.tolist() == [[0, 1], [0, 0]]
    found = crf_scores(weights, [[{"w": "a", "long": 3}, ["unknown"]], []])
    assert [each.tolist() for each in found.unary] == [[[2.0, 0.5], [0.0, 0.0]], []]


def test_a_name_ends_at_a_null_as_in_crfsuite():
    weights = weights_from_mappings(STATES, {}, ["N", "D"])
    assert crf_scores(weights, [[["w:a\0b"]]]).unary[0].tolist() == [[-1.0, 2.0]]


@pytest.mark.parametrize(
    ("states", "moves", "tags", "message"),
    [
        ([], {}, None, "states must be a mapping"),
        ({"a": 1}, {}, None, r"keys of states must be pairs \(attribute, tag\)"),
        ({}, {("D",): 1}, None, r"keys of moves must be pairs \(tag, tag\)"),
        ({("a", "D"): np.nan}, {}, None, "must be finite numbers"),
        ({("a", "D"): -np.inf}, {}, None, "must be finite numbers"),
        ({}, {}, None, "at least one tag"),
        ({("a", "NN"): 1}, {}, ["N"], "'NN' that is not among the 1 tags. Did you mean 'N'"),
    ],
)
def test_weights_that_are_refused(states, moves, tags, message):
    with pytest.raises(InputError, match=message):
        weights_from_mappings(states, moves, tags)


def test_minus_infinity_forbids_a_move():
    weights = weights_from_mappings({}, {("D", "D"): -np.inf}, None)
    assert weights.move.tolist() == [[-np.inf]]
