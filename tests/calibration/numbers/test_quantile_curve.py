"""The curve of shares below each quantile, and the test of uniformity."""

import numpy as np
from made_numbers import LEVELS, in_documents, normal
from scipy import stats

from calibrant.numbers import PIT


def test_a_shifted_normal_has_a_known_share():
    curve = normal(200_000, mean=0.5).curve(10)
    wanted = stats.norm.cdf(stats.norm.ppf(curve.quantile) + 0.5)
    np.testing.assert_allclose(curve.share, wanted, atol=4 * np.sqrt(0.25 / 200_000))
    assert not curve.inside
    difference = curve.difference()
    np.testing.assert_allclose(difference.share, curve.share - curve.quantile)
    assert difference.difference() is difference
    assert "difference" in difference.columns()


def test_the_curve_is_the_empirical_distribution():
    pit = normal(500)
    curve = pit.curve()
    wanted = [np.mean(pit.low <= z) for z in curve.quantile]
    np.testing.assert_allclose(curve.share, wanted, atol=1e-12)


def test_the_curve_of_quantiles_is_at_their_levels():
    generator = np.random.default_rng(1)
    y = generator.normal(size=300)
    quantiles = np.tile(stats.norm.ppf(LEVELS), (300, 1))
    curve = PIT.from_quantiles(y, LEVELS, quantiles).curve()
    np.testing.assert_array_equal(curve.quantile, LEVELS)
    np.testing.assert_allclose(curve.share, [(y <= q).mean() for q in quantiles[0]])


def test_rows_taken_for_independent_are_not():
    p = [PIT.from_cdf(in_documents(600, 30, s).high).test().p_value for s in range(100)]
    assert np.mean(np.array(p) <= 0.05) > 0.25
