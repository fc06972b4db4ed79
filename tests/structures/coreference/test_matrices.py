import numpy as np
import pytest

import calibrant as cb
from calibrant.errors import InputError
from calibrant.structures.coreference.matrices import check_probabilities, square_matrix


def test_square_matrices():
    assert square_matrix([[1, 0], [0.5, 0.5]], "m").shape == (2, 2)
    assert square_matrix([], "m").shape == (0, 0)
    for bad in ([[1, 0]], [1.0], [[[1.0]]]):
        with pytest.raises(InputError, match="m must be square, with a row and a column for each"):
            square_matrix(bad, "m")


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([[1, 0], [1.5, -0.5]], r"m\[1, 0\] is 1.5 \(2 of 4\)"),
        ([[1, 0], [np.nan, 1]], r"m\[1, 0\] is nan"),
        ([[0.5, 0.5], [0, 1]], r"0 above the diagonal, but m\[0, 1\] is 0.5"),
        ([[1, 0], [0.5, 0.4]], r"row 1 sums to 0.9 \(1 of 2 rows\)"),
    ],
)
def test_what_is_not_a_probability(rows, message):
    with pytest.raises(InputError, match=message):
        check_probabilities(np.array(rows, float), "m")


def test_single_precision_is_close_enough():
    rows = np.array([[1, 0, 0], [1 / 3, 2 / 3, 0], [1 / 7, 2 / 7, 4 / 7]], np.float32)
    check_probabilities(rows.astype(float), "m")


@pytest.mark.parametrize("make", [cb.Links.from_scores, cb.Links.from_probabilities])
def test_matrices_are_a_list(make):
    with pytest.raises(InputError, match=r"matrices must be a list of square matrices, .* is None"):
        make(None)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_probabilities_are_not_scores(dtype):
    """The trap: a second softmax would flatten them."""
    rows = np.array([[1, 0, 0], [0.6, 0.4, 0], [0.1, 0.7, 0.2]], dtype)
    wide = np.concatenate([np.tril(rows, -1), np.diag(rows)[:, None]], axis=1)
    for given in ([rows], [wide], [rows, [[1.0]]]):
        with pytest.raises(InputError, match=r"already .*: use Links\.from_probabilities"):
            cb.Links.from_scores(given)
    assert len(cb.Links.from_scores([rows, [[2.0, 0], [1, 1]]])) == 2
    assert len(cb.Links.from_scores([[[1.0]]])) == 1  # one mention: any score will do


def test_nan_is_not_a_probability():
    with pytest.raises(InputError, match=r"matrices\[0\] must hold probabilities, but .* is nan"):
        cb.Links.from_probabilities([[[1, 0], [np.nan, 0.5]]])
