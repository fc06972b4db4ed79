"""Means over few and unequal groups."""

import numpy as np
import pytest
from scipy import stats

from calibrant.calibration.curves.bands import band
from calibrant.calibration.groups.few_groups import (
    effective_outcomes,
    jackknife_changes,
    jackknife_residuals,
    jackknife_spread,
    reach,
    warn_few,
)
from calibrant.errors import CalibrantWarning
from calibrant.kernels.calibration.logistic import fit_line


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


def test_residuals_are_those_of_the_spread():
    generator = np.random.default_rng(1)
    weight, total = generator.integers(1, 30, 8).astype(float), generator.normal(size=8)
    residual = total - weight * total.sum() / weight.sum()
    alone = jackknife_residuals(residual, weight) / weight.sum()
    assert np.sqrt(np.sum(alone**2)) == pytest.approx(jackknife_spread(total, weight))
    both = jackknife_residuals(np.column_stack([residual, 2 * residual]), weight)
    np.testing.assert_allclose(both[:, 1], 2 * both[:, 0])


def test_changes_of_a_mean_are_exact():
    generator = np.random.default_rng(2)
    weight, total = generator.integers(1, 30, 8).astype(float), generator.normal(size=8)
    mean = total.sum() / weight.sum()
    without = (total.sum() - total) / (weight.sum() - weight)
    changes = jackknife_changes((total - mean * weight)[:, None], weight[:, None, None])
    np.testing.assert_allclose(mean - without, changes[:, 0], atol=1e-12)


def test_changes_of_a_line_are_those_of_fits_without_each_group():
    """One Newton step misses a term of second order: a tenth of changes below a tenth."""
    generator = np.random.default_rng(3)
    group = np.arange(3000) % 20
    x = generator.normal(size=3000)
    y = (generator.random(3000) < 1 / (1 + np.exp(-x))).astype(float)
    line = fit_line(x, np.ones(3000), y)
    p = 1 / (1 + np.exp(-line.intercept - line.slope * x))
    design = np.column_stack([np.ones(3000), x])
    score = np.array([(design * (y - p)[:, None])[group == g].sum(axis=0) for g in range(20)])
    products = design[:, :, None] * design[:, None, :] * (p * (1 - p))[:, None, None]
    information = np.array([products[group == g].sum(axis=0) for g in range(20)])
    found = jackknife_changes(score, information)
    for g in range(20):
        kept = group != g
        without = fit_line(x[kept], np.ones(kept.sum()), y[kept])
        change = line.intercept - without.intercept, line.slope - without.slope
        np.testing.assert_allclose(found[g], change, atol=0.1 * np.abs(found).max())


def test_the_rarer_outcome_counts():
    codes = np.repeat(np.arange(10), 10)
    y = np.zeros(100)
    assert effective_outcomes(codes, np.ones(100), y) == pytest.approx(10)
    y[:20] = 1  # all in two groups
    assert effective_outcomes(codes, np.ones(100), y) == pytest.approx(2)
    assert effective_outcomes(None, np.ones(100), y) == 0


def test_few_groups_are_said():
    with pytest.warns(CalibrantWarning, match="worth only 3.2 groups of equal size"):
        warn_few(3.2)
    warn_few(0)  # no groups
    warn_few(5 - 1e-14)  # five equal groups, up to rounding
