"""Means over few and unequal groups."""

import numpy as np
import pytest
from scipy import stats

from calibrant.calibration.curves.bands import band
from calibrant.calibration.gaps.few_groups import jackknife_spread, reach


@pytest.mark.parametrize("effective", [2, 5.5, 1000])
def test_the_reach_is_the_quantile_of_t(effective):
    assert reach(0.9, effective) == pytest.approx(stats.t.ppf(0.95, effective - 1))


def test_without_groups_it_is_normal():
    assert reach(0.9, 0) == pytest.approx(stats.norm.ppf(0.95))


def test_fewer_groups_are_a_wider_quantile():
    """Wilson's interval written out, with the quantile of t in place of z."""
    p, n, t = 0.3, 40.0, stats.t.ppf(0.975, 4)
    centre = (p + t**2 / (2 * n)) / (1 + t**2 / n)
    half = t * np.sqrt(p * (1 - p) / n + t**2 / (4 * n**2)) / (1 + t**2 / n)
    low, high = band("wilson", np.array([p]), np.array([n]), 0.95, 5)
    assert (low[0], high[0]) == (pytest.approx(centre - half), pytest.approx(centre + half))


def test_the_jackknife_leaves_out_one_group_at_a_time():
    generator = np.random.default_rng(0)
    weight = generator.integers(1, 30, 8).astype(float)
    total = weight * generator.normal(0.3, 0.1, 8)
    mean = total.sum() / weight.sum()
    without = (total.sum() - total) / (weight.sum() - weight)
    expected = np.sqrt(np.sum((without - mean) ** 2))
    assert jackknife_spread(total, weight) == pytest.approx(expected)
    both = jackknife_spread(np.column_stack([total, 2 * total]), weight)
    np.testing.assert_allclose(both, [expected, 2 * expected])
