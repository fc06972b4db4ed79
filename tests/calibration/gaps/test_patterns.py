import numpy as np
import pytest
from scipy.special import expit

import calibrant as cb
from calibrant.calibration.gaps.bin_gaps import BinGaps
from calibrant.calibration.gaps.bins import Bins
from calibrant.calibration.gaps.norms import Absolute, GapQuantile, Largest, Squared
from calibrant.calibration.gaps.patterns import faint, flat, level, patterns, sparse

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


def test_a_level_pattern_has_one_sign_and_stays_possible():
    pairs = cb.Pairs([0, 1, 0, 1, 1, 1], [0.1, 0.2, 0.3, 0.7, 0.8, 0.9])
    gaps = cb.CalibScore(size=1).evidence(pairs).cells
    found = level(gaps, 0.15)
    assert (found.gap < 0).all()  # predictions are too low on average
    np.testing.assert_allclose(found.gap, -np.minimum(0.15, 1 - gaps.bins.q))


@pytest.mark.parametrize("shift", [0.5, -0.5])
def test_smoothed_errors_of_one_sign_are_covered_in_small_samples(shift):
    """Upper limits of 120 samples of 300 pairs: below the truth in 6 % or so, not in 12 %."""
    x = np.random.default_rng(0).normal(0, 1.8, 200_000)
    truth = abs(np.mean(expit(x + shift) - expit(x)))  # all gaps have one sign
    missed = 0
    for seed in range(120):
        rng = np.random.default_rng(seed)
        x = rng.normal(0, 1.8, 300)
        pairs = cb.Pairs(rng.random(300) < expit(x), expit(x + shift))
        missed += cb.score(pairs, "SmoothECE").high < truth
    assert missed <= 13  # P(more) < 0.02 at 6 %; 12 % would give 14 or more in half of all runs
