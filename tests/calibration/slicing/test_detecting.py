"""The smallest error that a test would have detected."""

import numpy as np
import pytest
from scipy.stats import ncx2

import calibrant as cb
from calibrant.calibration.slicing.detecting import detectable, noncentrality, null_spread


def test_noncentrality_has_the_stated_power():
    for size in (0.05, 0.001):
        critical = ncx2.isf(size, 2, 1e-12)
        assert ncx2.sf(critical, 2, noncentrality(size, 0)) == pytest.approx(0.8, abs=1e-3)
    assert noncentrality(0.05, 10) > noncentrality(0.05, 100) > noncentrality(0.05, 0)


def test_the_spread_of_independent_pairs_is_that_of_the_predictions():
    q = np.linspace(0.1, 0.9, 50)
    pairs = cb.Pairs(np.arange(50) % 2, q)
    assert null_spread(pairs) == pytest.approx(np.sqrt(np.sum(q * (1 - q))) / 50)


def test_more_pairs_show_smaller_errors():
    small, large = (cb.synthetic.calibrated(n, seed=1) for n in (500, 5000))
    assert detectable(large, 0.05) < detectable(small, 0.05) < detectable(small, 0.001)


def test_few_groups_can_show_nothing_at_a_strict_level():
    pairs = cb.Pairs([0, 1] * 50, [0.5] * 100, group=np.arange(100) % 10)
    assert np.isfinite(detectable(pairs, 0.05))
    assert detectable(pairs, 0.0001) == np.inf


def test_power_at_the_detectable_error_is_about_80_percent():
    """Independent pairs with a shift of all frequencies; 3 standard errors of 150 simulations."""
    rng = np.random.default_rng(1)
    q = rng.uniform(0.3, 0.7, 1500)
    size = detectable(cb.Pairs(rng.random(q.size) < q, q), 0.01)
    found = [cb.test(cb.Pairs(rng.random(q.size) < q - size, q)).p_value < 0.01 for _ in range(150)]
    assert 0.7 < np.mean(found) < 0.95
