"""Spans as pairs, and the floor below which they are not asked about."""

import numpy as np
import pytest

from calibrant.errors import InputError, ParameterError
from calibrant.structures.places import Places, TypedPlaces, checked_floor
from calibrant.structures.spans import Span

PLACES = Places(
    np.array([0, 0, 2]), np.array([0, 1, 3]), np.array([2, 2, 5]), np.array([0.5, 1 + 1e-15, 0.25])
)


def test_pairs_and_keys():
    pairs = PLACES.pairs({(0, 1, 2), (1, 3, 5)}, np.array(["a", "b", "c"]), "span", 0.1)
    assert pairs.y.tolist() == [0, 1, 0]
    assert pairs.q.tolist() == [0.5, 1.0, 0.25]
    assert pairs.group.tolist() == ["a", "a", "c"]
    assert {name: each.tolist() for name, each in PLACES.keys().items()} == {
        "sentence": [0, 0, 2],
        "begin": [0, 1, 3],
        "end": [2, 2, 5],
    }


def test_nothing_to_ask():
    none = Places(*(each[:0] for each in PLACES))
    with pytest.raises(InputError, match=r"No span has a probability of at least 0\.1"):
        none.pairs(set(), np.array(["a"]), "span", 0.1)


def test_typed_places():
    found = [(0, Span(0, 2, "PER")), (0, Span(2, 3, "LOC")), (2, Span(0, 2, "PER"))]
    places = TypedPlaces.of(found, np.array([0.5, 1 + 1e-15, 0.25]))
    true = {(0, Span(0, 2, "LOC")), (0, Span(2, 3, "LOC")), (1, Span(0, 2, "PER"))}
    pairs = places.pairs(true, np.array(["a", "b", "c"]), "nothing")
    assert pairs.y.tolist() == [0, 1, 0]
    assert pairs.q.tolist() == [0.5, 1.0, 0.25]
    assert pairs.group.tolist() == ["a", "a", "c"]
    assert {name: each.tolist() for name, each in places.keys().items()} == {
        "sentence": [0, 0, 2],
        "begin": [0, 2, 0],
        "end": [2, 3, 2],
        "type": ["PER", "LOC", "PER"],
    }
    with pytest.raises(InputError, match="No span was found"):
        TypedPlaces.of([], np.zeros(0)).pairs(true, np.array(["a"]), "No span was found.")


@pytest.mark.parametrize("floor", [-0.1, 1.1, float("nan"), "a", None])
def test_floors(floor):
    assert checked_floor(0) == 0
    with pytest.raises(ParameterError, match="floor must"):
        checked_floor(floor)
