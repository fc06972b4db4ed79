import numpy as np
import pytest
from scipy.optimize import minimize

from calibrant.kernels.calibration.logistic import fit_line, log_likelihood

X = np.linspace(-3, 3, 13)
N = np.arange(1.0, 14.0)
K = np.rint(N / (1 + np.exp(-(0.4 + 0.7 * X))))


def test_it_is_the_maximum():
    line = fit_line(X, N, K)
    best = minimize(lambda b: -log_likelihood(b[0] + b[1] * X, N, K), [0, 1], tol=1e-12)
    assert (line.intercept, line.slope) == pytest.approx(tuple(best.x), abs=1e-5)
    assert line.likelihood == pytest.approx(-best.fun, rel=1e-12)
    p = 1 / (1 + np.exp(-(line.intercept + line.slope * X)))
    design = np.column_stack([np.ones(13), X])
    np.testing.assert_allclose(line.information, (design.T * N * p * (1 - p)) @ design, rtol=1e-9)
    np.testing.assert_allclose(design.T @ (K - N * p), 0, atol=1e-9)


def test_a_slope_may_be_held_at_1():
    line = fit_line(X, N, K, sloped=False)
    assert line.slope == 1
    p = 1 / (1 + np.exp(-(line.intercept + X)))
    assert (K - N * p).sum() == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("x", [X, np.zeros(13), X * 1e-170, X * 1e100, np.full(13, -700.0)])
@pytest.mark.parametrize("k", [np.zeros(13), N, K, N * (X > 0)], ids=["no", "yes", "some", "split"])
def test_every_fit_ends(x, k):
    line = fit_line(x, N, k)
    assert np.isfinite([line.intercept, line.slope, line.likelihood]).all()
    assert line.likelihood >= log_likelihood(x, N, k) - 1e-9 * abs(line.likelihood)


@pytest.mark.parametrize("sloped", [False, True])
@pytest.mark.parametrize("k", [[0.0, 1.0], [1.0, 0.0], [0.5, 0.5]])
def test_huge_counts_of_tiny_probabilities(k, sloped):
    x, n = np.log([1e-300, 1e-200]), np.full(2, 2.0**40)
    with np.errstate(divide="raise", over="raise", invalid="raise"):
        line = fit_line(x, n, n * k, sloped=sloped)
    assert np.isfinite([line.intercept, line.slope, line.likelihood]).all()
