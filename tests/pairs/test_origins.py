"""Pairs that remember the rows of their source."""

import numpy as np
import pytest

from calibrant import Pairs
from calibrant.errors import ParameterError, UnsupportedError

Y, Q = [0, 1, 1, 0, 1], [0.2, 0.7, 0.9, 0.4, 0.7]


def made(**columns):
    return Pairs(Y, Q, **columns)


def test_nothing_is_kept_unless_asked():
    pairs = made()
    assert pairs.origin is None
    assert pairs.select(above=0.3).origin is None
    assert pairs.with_rows().origin.tolist() == [0, 1, 2, 3, 4]
    assert pairs.with_rows().q.base is pairs.q.base  # columns are shared
    assert not pairs.with_rows().origin.flags.writeable


def test_asking_twice_changes_nothing():
    pairs = made().with_rows().select(above=0.3)
    assert pairs.with_rows() is pairs


def test_rows_are_kept_by_select_take_and_resample():
    pairs = made(group=["a", "b", "b", "c", "a"]).with_rows()
    assert pairs.select(above=0.4).origin.tolist() == [1, 2, 4]
    assert pairs.select(above=0.4).select(below=0.7).origin.tolist() == [1, 4]
    assert pairs.take(np.array([3, 3, 0])).origin.tolist() == [3, 3, 0]
    for drawn in (pairs.resample(seed=2), made().with_rows().resample(seed=2)):
        np.testing.assert_array_equal(drawn.q, np.array(Q)[drawn.origin])
        np.testing.assert_array_equal(drawn.y, np.array(Y)[drawn.origin])
    assert pairs.without_groups().origin.tolist() == [0, 1, 2, 3, 4]
    assert pairs.with_group([1, 2, 3, 4, 5]).origin.tolist() == [0, 1, 2, 3, 4]


def test_equal_pairs_may_remember_or_not():
    assert made().with_rows() == made()


def test_draws_know_their_rows():
    pairs = Pairs.from_draws([0, 1, 1], yes=[2, 7, 10], draws=10)
    assert set(pairs.origin.tolist()) == {0, 1, 2}
    assert pairs.with_rows() is pairs
    assert pairs.rows_between(0, 1).tolist() == [0, 1, 2]
    assert pairs.rows_between(1, 1).tolist() == [2]
    assert pairs.take(np.flatnonzero(pairs.origin == 1)).rows_between(0, 1).tolist() == [1]


def test_adding_forgets_rows():
    pairs = made().with_rows()
    assert (pairs + pairs).origin is None
    assert (pairs + pairs).rows_between(0.9, 1).tolist() == [2, 7]  # positions in the sum


def test_added_draws_and_compressed_pairs_do_not_know_their_rows():
    draws = Pairs.from_draws([0, 1], yes=[2, 7], draws=10)
    for pairs, why in ((draws + draws, "added"), (made().compress(), "Compressed")):
        for ask in (
            pairs.with_rows,
            lambda pairs=pairs: pairs.rows_between(0, 1),
            lambda pairs=pairs: pairs.source_rows([0]),
        ):
            with pytest.raises(UnsupportedError, match=why):
                ask()
    assert made().with_rows().compress().origin is None
    assert made().with_rows().tied.origin.tolist() == [0, 1, 2, 3, 4]


@pytest.mark.parametrize(("low", "high"), [(0, 1), (0.4, 0.7), (0.7, 0.7), (0.45, 0.5), (0, 0.1)])
def test_rows_between_equal_brute_force(low, high):
    expected = [k for k, q in enumerate(Q) if low <= q <= high]
    for pairs in (made(), made().with_rows(), Pairs(Y, np.array(Q, np.float32))):
        assert pairs.rows_between(low, high).tolist() == expected


def test_rows_are_sorted_and_distinct_whatever_the_order_of_pairs():
    pairs = made().with_rows().take(np.array([4, 1, 1, 2]))
    assert pairs.rows_between(0, 0.8).tolist() == [1, 4]
    assert pairs.source_rows([3, 0]).tolist() == [2, 4]


@pytest.mark.parametrize(
    ("low", "high", "said"),
    [
        (0.8, 0.2, "low must not exceed high, but they are 0.8 and 0.2"),
        (80, 90, r"low must lie in \[0, 1\], but it is 80. For 80 % write 0.8"),
        (-0.1, 1, "low must lie in"),
        (0, 1.5, "high must lie in"),
        (float("nan"), 1, "low must be a number"),
        (0, float("inf"), "high must be a number"),
        ("a", 1, "low must be a number"),
    ],
)
def test_bad_bounds_are_refused(low, high, said):
    with pytest.raises(ParameterError, match=said):
        made().rows_between(low, high)
