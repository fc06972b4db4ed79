"""Pieces sorted one by one, against sorting everything."""

import numpy as np
import pytest
from made_pairs import KINDS, predictions

from calibrant.kernels import in_order as kernel
from calibrant.kernels.calibration.placements import placements


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch):
    monkeypatch.setattr(kernel, "FEWEST", 100)
    monkeypatch.setattr(kernel, "AT_ONCE", 37)


def outcomes(n, seed=1):
    return (np.random.default_rng(seed).random(n) < 0.4).astype(np.uint8)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n", [1, 2, 97, 5000])
def test_stretches_are_the_sorted_predictions(kind, dtype, n):
    q, y = predictions(kind, n).astype(dtype), outcomes(n)
    found = kernel.in_order(y, q, lambda ties: ties)
    values, where = np.unique(q, return_inverse=True)
    weight, positive = np.bincount(where), np.bincount(where, y)
    for name, wanted in (("q", values), ("weight", weight), ("positive", positive)):
        column = np.concatenate([getattr(each, name) for each in found])
        np.testing.assert_array_equal(column, wanted)
    for name, wanted in (("below", weight), ("positive_below", positive)):
        reached = np.concatenate([[0], np.cumsum(wanted)])
        starts = np.cumsum([0, *(each.q.size for each in found[:-1])])
        assert [getattr(each, name) for each in found] == reached[starts].tolist()


@pytest.mark.parametrize("value", [0.0, -0.0, 0.25, 1.0])
def test_a_frequent_value_is_a_piece_of_its_own(value):
    q = np.where(np.arange(5000) % 3 > 0, value, np.random.default_rng(0).random(5000))
    found = kernel.in_order(outcomes(5000), q, lambda ties: ties)
    sizes = [each.weight[0] for each in found if each.q.size == 1 and each.q[0] == value]
    assert sizes == [np.sum(q == value)]


@pytest.mark.parametrize("kind", KINDS)
def test_placements_by_brute_force(kind):
    q, y = predictions(kind, 900), outcomes(900).astype(bool)
    codes = np.random.default_rng(2).integers(0, 50, 900)
    found = placements(y, q, codes, 50)
    over_no = np.array([2 * np.sum(q[~y] < each) + np.sum(q[~y] == each) for each in q])
    under_yes = np.array([2 * np.sum(q[y] > each) + np.sum(q[y] == each) for each in q])
    np.testing.assert_array_equal(found[0], np.bincount(codes, over_no * y, 50))
    np.testing.assert_array_equal(found[1], np.bincount(codes, under_yes * ~y, 50))
