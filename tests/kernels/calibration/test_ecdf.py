from math import comb

import numpy as np
import pytest

from calibrant.kernels.calibration.ecdf import poisson, stay_inside


def test_one_point_is_a_binomial_count():
    for n, p, low, high in ((10, 0.3, 2, 5), (40, 0.5, 0, 40), (25, 0.9, 20, 25)):
        found = stay_inside(n, np.array([p]), np.array([low]), np.array([high]))
        wanted = sum(comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(low, high + 1))
        assert found == pytest.approx(wanted, rel=1e-9)


def test_several_points_by_enumeration():
    """Three draws: every way to put them into three cells."""
    step = np.array([0.2, 0.5])
    low, high = np.array([0, 1]), np.array([1, 3])
    wanted = 0.0
    for a in range(4):
        for b in range(4 - a):
            chance = comb(3, a) * comb(3 - a, b) * 0.2**a * 0.5**b * 0.3 ** (3 - a - b)
            wanted += chance * (a <= 1 and 1 <= a + b <= 3)
    assert stay_inside(3, step, low, high) == pytest.approx(wanted, rel=1e-12)


def test_an_empty_band():
    assert stay_inside(3, np.array([0.5]), np.array([2]), np.array([1])) == 0


def test_poisson():
    from scipy.stats import poisson as law

    for k in (0, 1, 7):
        assert poisson(k, 2.5) == pytest.approx(law.pmf(k, 2.5), rel=1e-12)
