"""Histograms of u."""

import numpy as np
import pytest
from made_numbers import counted, in_documents, normal

from calibrant.numbers import Ranks


def test_expected_counts_add_up():
    for pit in (normal(300), counted(), in_documents(300, 20, 1)):
        bins = pit.histogram(7)
        assert bins.count.sum() == pytest.approx(len(pit))
        assert bins.expected.sum() == pytest.approx(len(pit))
        assert (bins.low <= bins.expected).all()
        assert (bins.expected <= bins.high).all()


def test_counts_of_intervals_are_the_mean_of_randomised_ones():
    pit = counted()
    drawn = np.mean([pit.randomised(seed).histogram(5).count for seed in range(200)], axis=0)
    np.testing.assert_allclose(pit.histogram(5).count, drawn, atol=1.5)


def test_the_histogram_is_numpys():
    pit = normal(500)
    np.testing.assert_array_equal(pit.histogram(20).count, np.histogram(pit.low, 20, (0, 1))[0])


def test_histogram_of_ranks_keeps_ranks_whole():
    rank = np.random.default_rng(1).integers(0, 64, 300)
    bins = Ranks(rank, 63).histogram(8)
    np.testing.assert_array_equal(bins.count, np.bincount(rank // 8))
    odd = Ranks(rank, 66).histogram(8)  # 67 ranks cannot be parted evenly
    assert (odd.count == np.rint(odd.count)).all()
    np.testing.assert_allclose(odd.start * 67, np.rint(odd.start * 67), atol=1e-9)


@pytest.mark.parametrize("n", [30, 400])
def test_histogram_bands_hold_all_bins(n):
    bins = normal(n).histogram(10)
    counts = np.random.default_rng(n).multinomial(n, np.full(10, 0.1), 4000)
    inside = ((counts >= bins.low) & (counts <= bins.high)).all(axis=1).mean()
    assert 0.945 < inside < 0.985
