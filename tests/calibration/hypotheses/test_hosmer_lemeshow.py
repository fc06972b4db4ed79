"""The test of Hosmer and Lemeshow."""

import numpy as np
import pytest
from scipy import stats

import calibrant as cb
from calibrant.calibration import hypotheses


def test_chi_squared_by_hand():
    rng = np.random.default_rng(0)
    q = np.repeat([0.2, 0.5, 0.8], 40)
    y = (rng.random(120) < q).astype(int)
    observed, expected = y.reshape(3, 40).sum(axis=1), 40 * np.array([0.2, 0.5, 0.8])
    chi = np.sum((observed - expected) ** 2 / (expected * (1 - expected / 40)))
    found = cb.test(cb.Pairs(y, q), hypotheses.HosmerLemeshow(count=3))
    assert found.statistic == pytest.approx(chi)
    assert found.p_value == pytest.approx(stats.chi2.sf(chi, 3))
    assert found.how == "chi-squared with 3 degrees of freedom"


def test_one_failure_among_a_million_certainties():
    y, q = np.ones(2, int), np.ones(2)
    right = cb.Pairs([1, 1], [1.0, 1.0], weight=[999_999, 1])
    wrong = cb.Pairs([1, 0], [1.0, 1.0], weight=[999_999, 1])
    assert cb.test(right, "HosmerLemeshow").p_value == 1
    assert cb.test(wrong, "HosmerLemeshow").p_value == 0
    assert cb.test(cb.Pairs(y, q), "HosmerLemeshow").p_value == 1


def test_predictions_next_to_0_do_not_overflow():
    tiny = cb.Pairs(np.zeros(40, int), np.full(40, 1e-320))
    assert cb.test(tiny, "HosmerLemeshow").p_value == 1
