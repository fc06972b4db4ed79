import numpy as np
import pytest

import calibrant as cb
from calibrant.calibration.gaps.bin_gaps import BinGaps
from calibrant.calibration.gaps.bins import Bins
from calibrant.calibration.gaps.norms import Absolute, GapQuantile, Largest, Squared
from calibrant.calibration.gaps.patterns import faint, flat, patterns, sparse

N = np.full(4, 1000.0)
Q = np.array([0.1, 0.3, 0.6, 0.95])


def gaps_of(gap):
    return BinGaps(Bins(N, N * (Q - np.array(gap)), N * Q, Q), None)


WRONG = gaps_of([0.09, 0.001, -0.2, 0.0])  # the first and the third are far beyond chance


def test_squares_need_only_the_observed_pattern():
    found = patterns(Squared(), WRONG)
    assert found.both is WRONG
    assert (found.lower, found.upper) == ([], [])


@pytest.mark.parametrize("norm", [Absolute(), Largest()])
def test_sizes_need_the_extremes(norm):
    found = patterns(norm, WRONG)
    few, everywhere = (found.lower, found.upper)
    if isinstance(norm, Largest):
        few, everywhere = everywhere, few
    np.testing.assert_allclose(few[0].gap, [0.09, 0, -0.2, 0], atol=1e-12)
    height = min(norm.plain(WRONG.gap, WRONG.share), 1)
    np.testing.assert_allclose(np.abs(everywhere[0].gap), np.minimum(height, [0.1, 0.3, 0.4, 0.95]))


def test_there_is_no_sparse_pattern_of_all_or_no_bins():
    assert sparse(gaps_of([0.001, 0.001, 0.001, 0.001])) == []
    assert sparse(gaps_of([0.09, 0.2, -0.2, 0.2])) == []


def test_flat_patterns_stay_within_probabilities():
    p = flat(WRONG, 0.5).bins.p
    assert ((p >= -1e-12) & (p <= 1 + 1e-12)).all()


def test_gaps_of_0_are_faint():
    none = gaps_of([0.0, 0.0, 0.0, 0.0])
    both, lower, upper = patterns(Absolute(), none)
    assert (lower, upper) == ([], [])
    np.testing.assert_array_equal(both.gap, faint(none).gap)
    assert (np.sign(both.gap) == [-1, -1, 1, 1]).all()


def test_a_median_of_0_has_faint_gaps_too():
    half = gaps_of([0.0, 0.0, 0.0, 0.2])
    assert (patterns(GapQuantile(0.5), half).both.gap != 0).all()
    assert np.isfinite(
        cb.score(cb.Pairs([0, 1, 1, 0] * 5, [0, 1, 1, 0.3] * 5), "E50(AdaptiveBins(size=2))").high
    )
