"""Attributes of tokens, as python-crfsuite takes them."""

import pytest

from calibrant.errors import InputError
from calibrant.structures.sequences.attributes import attributes, attributes_of


@pytest.mark.parametrize(
    ("token", "found"),
    [
        (["a", "a"], [("a", 1.0), ("a", 1.0)]),
        ({"a": True, "b": 2, "c": "x"}, [("a", 1.0), ("b", 2.0), ("c:x", 1.0)]),
        ({"a": {"b": ["c"]}}, [("a:b:c", 1.0)]),
        ({"a": b"\xff"}, [("a:\udcff", 1.0)]),
        ((name for name in "ab"), [("a", 1.0), ("b", 1.0)]),
        ({}, []),
    ],
)
def test_kinds_of_tokens(token, found):
    assert attributes(token) == found


@pytest.mark.parametrize(
    ("token", "message"),
    [
        ("word", "they are the string 'word'. Pass .token."),
        (3, "but they are 3"),
        ([3], "the name of an attribute must be a string, but it is 3"),
        ({"a": None}, "the value of attribute 'a' must be a finite number"),
        ({"a": float("inf")}, "finite number"),
    ],
)
def test_tokens_that_cannot_be_read(token, message):
    with pytest.raises(InputError, match=message):
        attributes(token)
    with pytest.raises(InputError, match=f"Sentence 1, token 1: .*{message}"):
        list(attributes_of([[], [["fine"], token]]))


def test_sentences_are_lists():
    for wrong, message in (("ab", "must be a list"), (["ab"], "Sentence 0 must be a list of tok")):
        with pytest.raises(InputError, match=message):
            list(attributes_of(wrong))
