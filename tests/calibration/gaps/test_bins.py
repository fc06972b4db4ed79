import numpy as np
import pytest

import calibrant as cb
from calibrant.calibration.gaps.bins import Bins, distinct


def even(n):
    return Bins(np.ones(n), np.zeros(n), np.linspace(0, 1, n), np.linspace(0, 1, n))


@pytest.mark.parametrize("count", [1, 3, 7, 10])
def test_merging_keeps_sums_and_order(count):
    bins = even(10)
    merged = bins.merged(count)
    assert merged.n.size <= count
    assert merged.n.sum() == 10
    assert merged.total.sum() == pytest.approx(bins.total.sum())
    assert merged.upper[-1] == 1
    assert (np.diff(merged.upper) > 0).all()
    assert merged.n.max() <= 2 * np.ceil(10 / count)


def test_merging_into_more_bins_changes_nothing():
    bins = even(4)
    assert bins.merged(4) is bins
    assert bins.merged(5) is bins


def test_other_gaps_leave_the_predictions():
    moved = even(4).with_gaps(np.array([0.0, 0.1, -0.2, 0.3]))
    np.testing.assert_allclose(moved.q - moved.p, [0.0, 0.1, -0.2, 0.3], atol=1e-15)
    np.testing.assert_array_equal(moved.q, even(4).q)


def test_distinct_predictions_are_bins():
    bins = distinct(cb.Pairs([1, 0, 1], [0.7, 0.2, 0.7]))
    assert (bins.n.tolist(), bins.positive.tolist()) == ([1, 2], [0, 2])
    np.testing.assert_array_equal(bins.share, [1 / 3, 2 / 3])


def test_draws_held_back_say_what_was_predicted():
    pairs = cb.Pairs.from_draws([0, 1, 1, 0], yes=[2, 7, 7, 1], draws=8)
    bins = distinct(pairs)
    for i, upper in enumerate(bins.upper):
        rows = pairs.q == upper
        wanted = np.average(pairs.held[rows], weights=pairs.weight[rows])
        assert bins.q[i] == pytest.approx(wanted, rel=1e-12)
