"""How often central intervals hold the truth, and how wide they are."""

import numpy as np
import pytest
from made_numbers import LEVELS, in_documents, normal
from scipy import stats

import calibrant as cb
from calibrant.numbers import PIT


def test_coverage_by_hand():
    pit = PIT.from_cdf([0.01, 0.3, 0.5, 0.6, 0.98, 0.2, 0.7, 0.1])
    found = pit.coverage([0.5, 0.9])
    assert found.observed.tolist() == [0.5, 0.75]
    low, high = stats.binomtest(4, 8).proportion_ci(method="wilson")
    assert (found.low[0], found.high[0]) == (pytest.approx(low), pytest.approx(high))
    assert "width" not in found.columns()


def test_widths():
    pit = normal(50, sd=2.0)
    np.testing.assert_allclose(
        pit.coverage([0.5, 0.9]).width, 4 * stats.norm.ppf([0.75, 0.95]), rtol=1e-12
    )
    quantiles = np.array([[0.0, 1.0, 2.0, 4.0, 8.0], [0.0, 1.0, 2.0, 3.0, 4.0]])
    found = PIT.from_quantiles([1.5, 1.5], LEVELS, quantiles).coverage()
    np.testing.assert_allclose(found.nominal, [0.5, 0.9])
    assert found.width.tolist() == [2.5, 6.0]
    draws = np.tile(np.arange(1.0, 20.0), (5, 1))  # quantile k/20 is k
    found = PIT.from_samples(np.full(5, 3.5), draws).coverage([0.5, 0.9, 0.95])
    np.testing.assert_allclose(found.width, [10.0, 18.0, np.nan])  # 0.025 is beyond 19 draws


def test_groups_make_coverage_less_sure():
    found = in_documents(1000, 20, 1).coverage()
    plain = PIT.from_cdf(in_documents(1000, 20, 1).high).coverage()
    np.testing.assert_allclose(found.observed, plain.observed)
    assert (found.high - found.low > 1.3 * (plain.high - plain.low)).all()


def test_coverage_of_one_or_two_groups():
    y = np.random.default_rng(1).normal(size=200)
    with pytest.raises(cb.errors.UnsupportedError, match="one group"):
        PIT.from_normal(y, 0, 1, group=np.zeros(200, int)).coverage()
    with pytest.warns(cb.CalibrantWarning, match="worth only 2.0 groups"):
        two = PIT.from_normal(y, 0, 1, group=np.arange(200) % 2).coverage()
    assert (two.high - two.low > 0.2).all()  # Student's t of two groups


def test_few_and_unequal_groups_are_covered():
    """Ten groups of very different size; 300 simulations, four standard errors."""
    sizes = np.rint(100 * np.exp(stats.norm.ppf((np.arange(10) + 0.5) / 10))).astype(int)
    group = np.repeat(np.arange(10), sizes)
    held = 0
    for seed in range(300):
        rng = np.random.default_rng(seed)
        y = np.sqrt(0.5) * (rng.standard_normal(10)[group] + rng.standard_normal(group.size))
        found = PIT.from_normal(y, 0, 1, group=group).coverage([0.95])
        held += found.low[0] <= 0.95 <= found.high[0]
    assert held / 300 > 0.95 - 4 * np.sqrt(0.95 * 0.05 / 300)
