import itertools

import numpy as np
import pytest

from calibrant.kernels.calibration.two_bins import two_bin_forms


@pytest.mark.parametrize("digits", [1, 15])
def test_forms_are_sums_over_all_pairs(digits):
    rng = np.random.default_rng(0)
    start = np.array([0, 5, 5, 6, 40])  # one segment is empty
    q, mass = rng.random(40).round(digits), rng.normal(size=40)
    for a, b in itertools.pairwise(start):
        q[a:b].sort()
    found = two_bin_forms(start, q, mass)
    for form, (a, b) in zip(found, itertools.pairwise(start), strict=True):
        kernel = 1 - np.abs(q[a:b, None] - q[a:b])
        assert form == pytest.approx(mass[a:b] @ kernel @ mass[a:b], rel=1e-12)


def test_the_ends_belong_to_the_integral():
    """A threshold above 0 has q = 0 below it; no threshold has q = 1 below it."""
    start, mass = np.array([0, 2]), np.array([1.0, 2.0])
    assert two_bin_forms(start, np.array([0.0, 1.0]), mass)[0] == 1 + 4
    assert two_bin_forms(start, np.array([0.0, 0.0]), mass)[0] == 9
    assert two_bin_forms(start, np.array([1.0, 1.0]), mass)[0] == 9
