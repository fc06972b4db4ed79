"""Scores of tags at the door."""

import numpy as np
import pytest

from calibrant.errors import InputError
from calibrant.structures.potentials import (
    as_scores,
    end_scores,
    sentence_scores,
    square,
    tag_names,
)


def test_scores_become_floats():
    assert as_scores([1, 2], "move").dtype == np.float64
    assert as_scores([-np.inf, 0], "move")[0] == -np.inf
    for wrong in ([np.nan], [np.inf]):
        with pytest.raises(InputError, match=r"finite scores or -inf, but move\[0\] is .*1 of 1"):
            as_scores(wrong, "move")
    with pytest.raises(InputError, match="must hold numbers"):
        as_scores(["a"], "move")


def test_shapes():
    assert square([[1.0]]).shape == (1, 1)
    for wrong in ([[1.0, 2.0]], [1.0], np.zeros((0, 0))):
        with pytest.raises(InputError, match="square matrix of tags by tags"):
            square(wrong)
    assert sentence_scores([], "unary[0]", 3).shape == (0, 3)
    with pytest.raises(InputError, match="a column for each of 3 tags, but its shape is"):
        sentence_scores([[1.0]], "unary[0]", 3)
    assert end_scores(None, "first", 2).tolist() == [0, 0]
    with pytest.raises(InputError, match="first must have 2 scores"):
        end_scores([1.0], "first", 2)


def test_names():
    assert tag_names(None, 2) == ("0", "1")
    assert tag_names(["a", "b"], 2) == ("a", "b")
    with pytest.raises(InputError, match="there is 1 name"):
        tag_names(["a"], 2)
    with pytest.raises(InputError, match="must be distinct, but 'a' occurs more than once"):
        tag_names(["a", "a"], 2)
