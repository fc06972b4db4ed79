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
    """By hand: the sums of residuals, and of residuals times centred logits, all signs flipped."""
    pairs = synthetic.sample_groups(10, size=4, seed=2)
    residual, chance = pairs.y - pairs.q, pairs.q * (1 - pairs.q)
    x = np.log(pairs.q / (1 - pairs.q))
    x = x - np.sum(chance * x) / chance.sum()
    factors = np.array([np.ones(40), x])
    sums = np.array([np.bincount(pairs.codes, each * residual) for each in factors]).T
    information = (factors**2 * chance).sum(axis=1)
    seen = (factors**2 * residual**2).sum(axis=1)
    ratio = information / seen
    scale = np.where(ratio > 1, ratio**1.5, np.sqrt(ratio))
    signs = 1.0 - 2 * ((np.arange(1024)[:, None] >> np.arange(10)) & 1)
    flipped = (signs @ sums) ** 2 @ (scale / information)
    observed = float(sums.sum(axis=0) ** 2 @ (1 / information))
    found = cb.test(pairs, hypotheses.Cox(replicates=20_000))
    assert found.statistic == pytest.approx(observed)
    exact = np.mean(flipped >= observed)
    assert found.p_value == pytest.approx(exact, abs=4 * np.sqrt(exact * (1 - exact) / 20_000))
