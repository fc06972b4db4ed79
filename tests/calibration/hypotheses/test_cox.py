"""Cox's test."""

import numpy as np
import pytest
from scipy import stats

import calibrant as cb
from calibrant.calibration import hypotheses
from calibrant.pairs import synthetic


def test_cox_is_a_likelihood_ratio():
    """Twice the gain of a logistic regression over the predictions themselves."""
    from scipy.optimize import minimize

    pairs = synthetic.sample(500, synthetic.inward(0.1), a=1, b=1, seed=1)
    x = np.log(pairs.q / (1 - pairs.q))

    def loss(beta):
        z = beta[0] + beta[1] * x
        return np.sum(np.logaddexp(0, z) - pairs.y * z)

    gain = 2 * (loss([0, 1]) - minimize(loss, [0, 1], tol=1e-10).fun)
    found = cb.test(pairs, hypotheses.Cox())
    assert found.statistic == pytest.approx(gain, abs=1e-5)
    assert found.p_value == pytest.approx(stats.chi2.sf(gain, 2), rel=1e-4)


def test_predictions_of_0_and_1_are_left_out_if_they_came_true():
    pairs = synthetic.sample(300, a=1, b=1, seed=1)
    ends = cb.Pairs(np.append(pairs.y, [0, 1]), np.append(pairs.q, [0.0, 1.0]))
    assert cb.test(ends, "Cox").p_value == pytest.approx(cb.test(pairs, "Cox").p_value, rel=1e-9)
    failed = cb.test(cb.Pairs(np.append(pairs.y, 1), np.append(pairs.q, 0.0)), "Cox")
    assert (failed.p_value, failed.how) == (0, "certainty")
    assert str(failed) == (
        "Cox: p < 1e-9. Certain miscalibration: something happened that had been given "
        "probability 0."
    )


def test_groups_give_a_score_test():
    """By hand: Hotelling's statistic of the sums of residuals and residuals times logits."""
    pairs = synthetic.sample_groups(30, size=4, seed=2)
    residual = pairs.y - pairs.q
    x = np.log(pairs.q / (1 - pairs.q))
    sums = np.array([np.bincount(pairs.group, each) for each in (residual, residual * x)]).T
    t = sums.sum(axis=0) @ np.linalg.inv(sums.T @ sums) @ sums.sum(axis=0)
    f = 28 / 2 * t / (30 - t)
    found = cb.test(pairs, hypotheses.Cox())
    assert found.statistic == pytest.approx(f)
    assert found.p_value == pytest.approx(stats.f.sf(f, 2, 28))
