"""The columns of pairs: checked, taken, joined and tallied."""

import numpy as np
import pytest

from calibrant.errors import InputError
from calibrant.pairs.groups import numbered
from calibrant.pairs.rows import Moments, Rows, checked_rows, run_starts, tally_up

Y, Q = np.array([0, 1, 1]), np.array([0.5, 0.25, 0.5])


def test_checked_rows_convert_what_they_must():
    rows = checked_rows([0, 1], [0, 1], [1, 3], numbered(2))
    assert rows.q.dtype == np.float64
    assert rows.numbered.tolist() == [True, True]
    assert rows.weights().tolist() == [1, 3]
    assert checked_rows(Y, Q, None, ["a", "b", "b"]).numbered is None
    assert np.shares_memory(checked_rows(Y, Q, None, None).q, Q)


@pytest.mark.parametrize(
    ("y", "q", "weight", "group", "named"),
    [
        ([0, 2], [0.1, 0.2], None, None, "y"),
        ([0, 1], [0.1, 1.2], None, None, "q"),
        ([0, 1], [0.1, 0.2], [1, -1], None, "weight"),
        ([0, 1], [0.1, 0.2], None, ["a"], "group"),
    ],
)
def test_each_column_is_checked(y, q, weight, group, named):
    with pytest.raises(InputError, match=named):
        checked_rows(y, q, weight, group)


def test_a_missing_weight_is_1():
    assert Rows(Y, Q).weights().tolist() == [1, 1, 1]
    both = Rows(Y, Q).followed_by(Rows(Y, Q, weight=np.array([2, 3, 4])))
    assert both.weight.tolist() == [1, 1, 1, 2, 3, 4]


def test_means_are_those_kept_or_those_of_the_row():
    square, cross = Rows(Y, Q).means()
    np.testing.assert_array_equal(square, Q**2)
    np.testing.assert_array_equal(cross, Q * Y)
    kept = Moments(np.array([0.3, 0.1, 0.3]), np.zeros(3))
    assert Rows(Y, Q, moments=kept).means() is kept
    held = np.array([0.0, 1.0, 1.0])
    square, cross = Rows(Y, Q, held=held).means()
    np.testing.assert_array_equal(square, Q * held)
    np.testing.assert_array_equal(cross, held * Y)


def test_rows_are_taken_with_all_their_columns():
    rows = Rows(Y, Q, weight=np.array([1, 2, 3]), moments=Moments(Q, Q))
    some = rows.take(np.array([2, 0]))
    assert some.y.tolist() == [1, 0]
    assert some.weight.tolist() == [3, 1]
    assert some.moments.square.tolist() == [0.5, 0.5]
    assert some.group is None


def test_what_cannot_be_joined():
    with pytest.raises(InputError, match="give both a group"):
        Rows(Y, Q).followed_by(Rows(Y, Q, group=Y))
    with pytest.raises(InputError, match="from draws"):
        Rows(Y, Q, held=Q).followed_by(Rows(Y, Q))


def test_a_tally_adds_up_ties():
    q, weight, positive = tally_up(Rows(Y, Q, weight=np.array([1.5, 2.0, 0.25])), whole=False)
    assert q.tolist() == [0.25, 0.5]
    assert weight.tolist() == [2.0, 1.75]
    assert positive.tolist() == [2.0, 0.25]


def test_runs():
    assert run_starts(np.array([1, 1, 2, 1])).tolist() == [0, 2, 3]
