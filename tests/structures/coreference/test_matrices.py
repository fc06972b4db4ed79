import numpy as np
import pytest

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
