import numpy as np
from scipy.special import expit

from calibrant.kernels.exponential import fill_gaussian, fill_logistic


def test_gaussians_are_those_of_numpy():
    x = np.linspace(-40, 40, 100_001)
    found = np.empty_like(x)
    fill_gaussian(x, 0.3, 1.7, found)
    wanted = np.exp(-(((x - 0.3) / 1.7) ** 2) / 2)
    np.testing.assert_allclose(found, wanted, rtol=1e-13)


def test_logistic_functions_are_those_of_scipy():
    x = np.concatenate([np.linspace(-800, 800, 100_001), np.linspace(-3, 3, 1001)])
    found = np.empty_like(x)
    fill_logistic(x, 0.1, 0.2, 1.3, found)
    z = 0.2 + 1.3 * (x - 0.1)
    np.testing.assert_allclose(found, expit(z), rtol=1e-13, atol=1e-300)
    assert ((found >= 0) & (found <= 1)).all()
