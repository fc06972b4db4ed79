"""Cook, Gelman and Rubin's test."""

import numpy as np
import pytest
from made_numbers import counted, normal, p_values
from scipy import stats

from calibrant.errors import UnsupportedError
from calibrant.numbers import PIT


def test_cook_gelman_rubin_is_chi_squared():
    pit = normal(50)
    found = pit.test("CookGelmanRubin")
    squares = float(np.sum(stats.norm.ppf(pit.low) ** 2))
    assert found.statistic == pytest.approx(squares)
    tails = stats.chi2.cdf(squares, 50), stats.chi2.sf(squares, 50)
    assert found.p_value == pytest.approx(2 * min(tails))


def test_the_size_of_cook_gelman_rubin():
    """About 5 %, of points and of intervals; 800 simulations, four standard errors."""
    for make in (lambda s: normal(100, s), lambda s: counted(s, 100)):
        p = p_values(make, "CookGelmanRubin", 800)
        assert abs(np.mean(p <= 0.05) - 0.05) < 4 * np.sqrt(0.05 * 0.95 / 800)
        assert stats.kstest(p, "uniform").pvalue > 0.001


def test_the_power_of_cook_gelman_rubin():
    assert np.mean(p_values(lambda s: normal(100, s, sd=0.8), "CookGelmanRubin", 200) < 0.05) > 0.8
    assert np.mean(p_values(lambda s: normal(100, s, sd=1.3), "CookGelmanRubin", 200) < 0.05) > 0.8


def test_an_impossible_observation():
    found = PIT.from_cdf([0.0, *np.linspace(0.1, 0.9, 20)]).test("CookGelmanRubin")
    assert (found.statistic, found.p_value) == (np.inf, 0.0)


def test_groups_that_do_not_vary_are_refused():
    """Their variance is 0, so a statistic in units of it would be NaN."""
    pit = PIT.from_cdf(np.tile([0.2, 0.8], 60), group=np.repeat(np.arange(60), 2))
    with pytest.raises(UnsupportedError, match="same sum of squares"):
        pit.test("CookGelmanRubin")
    assert pit.test("Uniform").p_value <= 1


def test_groups_are_counted_by_what_they_are_worth():
    """Of 101 groups one has half of the observations, so they are worth four equal groups."""
    group = np.repeat(np.arange(101), [1] * 100 + [100])
    pit = PIT.from_cdf(np.random.default_rng(1).random(200), group=group)
    with pytest.raises(UnsupportedError, match=r"worth 4\.0"):
        pit.test("CookGelmanRubin")
    fifty = PIT.from_cdf(np.random.default_rng(1).random(200), group=np.arange(200) % 50)
    assert 0 < fifty.test("CookGelmanRubin").p_value < 1
