"""Spiegelhalter's test."""

import numpy as np
import pytest
from made_pairs import set_a
from scipy import stats

import calibrant as cb
from calibrant.calibration import hypotheses

A = cb.Pairs(*set_a())


def test_spiegelhalter_by_hand():
    y, q = A.y, A.q
    z = np.sum((y - q) * (1 - 2 * q)) / np.sqrt(np.sum((1 - 2 * q) ** 2 * q * (1 - q)))
    found = cb.test(A, hypotheses.Spiegelhalter())
    assert found.statistic == pytest.approx(z)
    assert found.p_value == pytest.approx(2 * stats.norm.sf(abs(z)))


def test_the_sign_tells_the_direction():
    """Positive where predictions are overconfident, negative where they are underconfident."""
    y, q = np.tile([0, 1], 50), np.tile([0.1, 0.9], 50)
    y[:20] = 1 - y[:20]
    extreme = cb.test(cb.Pairs(y, q), hypotheses.Spiegelhalter())
    timid = cb.test(cb.Pairs(np.tile([0, 1], 50), np.tile([0.3, 0.7], 50)), "Spiegelhalter")
    assert extreme.statistic > 0 > timid.statistic
    grouped = cb.Pairs(y, q, group=np.arange(100) // 4)
    assert cb.test(grouped, hypotheses.Spiegelhalter()).statistic > 0
