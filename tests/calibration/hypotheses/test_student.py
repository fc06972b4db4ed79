"""Student's t for few groups."""

import numpy as np
import pytest
from scipy import stats

from calibrant.calibration.curves.bands import band
from calibrant.calibration.hypotheses.student import reach, wilson


@pytest.mark.parametrize("groups", [2, 5, 1000])
def test_the_reach_is_the_quantile_of_t(groups):
    assert reach(0.9, groups) == pytest.approx(stats.t.ppf(0.95, groups - 1))


def test_without_groups_it_is_normal():
    for groups in (0, 1):
        assert reach(0.9, groups) == pytest.approx(stats.norm.ppf(0.95))
    p, n = np.array([0.0, 0.3, 1.0]), np.array([10.0, 20.0, 5.0])
    np.testing.assert_allclose(wilson(p, n, 0.95, 0), band("wilson", p, n, 0.95))


def test_fewer_pairs_are_a_wider_quantile():
    """Wilson's interval written out, with the quantile of t in place of z."""
    p, n, t = 0.3, 40.0, stats.t.ppf(0.975, 4)
    centre = (p + t**2 / (2 * n)) / (1 + t**2 / n)
    half = t * np.sqrt(p * (1 - p) / n + t**2 / (4 * n**2)) / (1 + t**2 / n)
    low, high = wilson(np.array([p]), np.array([n]), 0.95, 5)
    assert (low[0], high[0]) == (pytest.approx(centre - half), pytest.approx(centre + half))
