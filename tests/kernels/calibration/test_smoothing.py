import numpy as np
import pytest
from scipy.optimize import minimize

from calibrant.kernels.calibration.smoothing import (
    LEAST,
    enough,
    fit_points,
    influence,
    known,
    leave_one_out,
    refit,
)

RNG = np.random.default_rng(0)
X = np.sort(RNG.normal(0, 1.5, 40))
N = RNG.integers(3, 30, 40).astype(float)
K = RNG.binomial(N.astype(int), 1 / (1 + np.exp(-X))).astype(float)


def weights(at, h):
    return np.exp(-(((X - at) / h) ** 2) / 2)


@pytest.mark.parametrize("at", [-1.0, 0.3])
def test_logistic_fits_are_maxima(at):
    found = fit_points(X, N, K, np.array([at]), 0.8, True)
    w = weights(at, found.width[0])

    def loss(beta):
        eta = beta[0] + beta[1] * (X - at)
        return -(w * (K * eta - N * np.logaddexp(0, eta))).sum()

    best = minimize(loss, [0, 0], tol=1e-12)
    assert (found.level[0], found.slope[0]) == pytest.approx(tuple(best.x), abs=1e-5)
    assert found.weight[0] == pytest.approx(w @ N, rel=1e-12)


def test_means_are_weighted():
    found = fit_points(X, N, K, np.array([0.3]), 0.8, False)
    w = weights(0.3, found.width[0])
    assert found.level[0] == pytest.approx(w @ K / (w @ N), rel=1e-12)


@pytest.mark.parametrize("linear", [False, True])
def test_influence_is_what_one_more_positive_does(linear):
    at = np.array([-0.5, 1.0])
    found = fit_points(X, N, K, at, 0.8, linear)
    out = np.zeros((2, 40))
    influence(X, N, at, found.width, found.level, found.slope, linear, out)
    small = 1e-4
    for j in (5, 20, 33):
        more = K.copy()
        more[j] += small
        moved = np.zeros((1, 2))
        fit = (found.width, found.level, found.slope)
        refit(X, N[None, :], more[None, :], at, *fit, linear, moved)
        change = (moved[0] - found.level) / small
        if linear:  # from the logit to the frequency
            p = 1 / (1 + np.exp(-found.level))
            change *= p * (1 - p)
        np.testing.assert_allclose(out[:, j], change, rtol=0.02, atol=2e-5)


def test_leaving_a_pair_out_by_brute_force():
    loss = np.zeros(40)
    leave_one_out(X, N, K, 0.8, False, loss)
    spread = known(X, N, K)
    for i in (3, 17, 30):
        h, _, _ = enough(X, spread, X[i], 0.8, np.zeros(40))
        w = weights(X[i], h)
        without = [(w @ K - y) / (w @ N - 1) for y in (0, 1)]
        wanted = (N[i] - K[i]) * without[0] ** 2 + K[i] * (1 - without[1]) ** 2
        assert loss[i] == pytest.approx(wanted, rel=1e-9)


@pytest.mark.parametrize("h", [5e-324, 1e-310, 1e-200, 1e-9, 0.5, 1e300])
@pytest.mark.parametrize("x", [X, X * 1e-170, np.zeros(1), np.array([5e-324, 1e-323])])
def test_every_bandwidth_is_found(h, x):
    """A bandwidth grows until it rests on enough, or is far wider than all cells."""
    spread = np.full(x.size, 0.1)
    weight = np.zeros(x.size)
    width, low, high = enough(x, spread, x[0], h, weight)
    assert width >= h
    held = (weight[low:high] * spread[low:high]).sum()
    assert held >= min(LEAST, 0.99 * spread.sum()) or width >= 1e3 * (x[-1] - x[0])
