import numpy as np
import pytest

from calibrant.calibration.gaps.bin_gaps import BinGaps
from calibrant.calibration.gaps.bins import Bins
from calibrant.calibration.gaps.cell_gaps import ALMOST
from calibrant.calibration.gaps.norms import Absolute, Largest, Squared
from calibrant.calibration.intervals import blocks, draws
from calibrant.calibration.intervals.draws import Draws
from calibrant.calibration.intervals.worlds import PairWorlds

DRAWS = Draws(4000, 1)


def gaps_of(n, p, q):
    n, p, q = (np.array(each, float) for each in (n, p, q))
    return BinGaps(Bins(n, n * p, n * q, q), None)


def test_independent_replicates_have_the_moments_of_binomial_counts():
    """The debiased score of a forecaster with gaps c times as large has the mean c² · plain.

    What falls short of it is the noise that is left in (one part in 10,000) and the error of
    the mean of 4000 replicates.
    """
    gaps = gaps_of([50, 200, 100], [0.2, 0.5, 0.9], [0.3, 0.45, 0.8])
    worlds = PairWorlds(Squared(), gaps, DRAWS)
    for c in (0.0, 1.0, 1.5):
        scores = worlds(c)(c)
        error = 4 * scores.std() / np.sqrt(DRAWS.replicates) + 1e-4 * gaps.variance @ gaps.share
        assert scores.mean() == pytest.approx(c**2 * gaps.plain(Squared()), abs=error)


def test_seeds_decide():
    gaps = gaps_of([50, 200], [0.2, 0.5], [0.3, 0.45])
    one, same, other = (PairWorlds(Absolute(), gaps, Draws(50, seed)) for seed in (1, 1, 2))
    np.testing.assert_array_equal(one(0.5)(0.5), same(0.5)(0.5))
    assert (one(0.5)(0.5) != other(0.5)(0.5)).any()


@pytest.mark.parametrize("norm", [Squared(), Absolute(), Largest()], ids=lambda n: type(n).__name__)
@pytest.mark.parametrize("q", [[0.3, 0.45, 0.8], [0.1, 0.2, 0.3]], ids=["turned", "straight"])
def test_blocks_of_replicates_and_bins_are_those_of_all_at_once(norm, q, monkeypatch):
    gaps = gaps_of([50, 300, 100], [0.2, 0.5, 0.9], q)
    whole = PairWorlds(norm, gaps, Draws(43, 1))(0.5)(0.7)
    monkeypatch.setattr(blocks, "AT_ONCE", 5)
    monkeypatch.setattr(draws, "AT_ONCE", 5)
    monkeypatch.setattr(blocks, "HELD", 0)
    parts = PairWorlds(norm, gaps, Draws(43, 1))(0.5)(0.7)
    np.testing.assert_allclose(parts, whole, rtol=1e-12)


@pytest.mark.parametrize("q", [[0.3, 0.45, 0.8, 0.5], [0.1, 0.2, 0.3, 0.5]])
@pytest.mark.parametrize("c", [0.0, 1.0, 3.0])
def test_parabolas_are_made_of_the_noise_of_single_counts(q, c):
    """One bin has a single pair, one is large enough for normal variables."""
    gaps = gaps_of([1, 300, 40_000, 2], [0, 0.5, 0.4, 0.5], q)
    found = PairWorlds(Squared(), gaps, Draws(43, 1))
    noise, variance = found.draws.binomial(gaps, c, gaps.bins.n).with_variance(slice(None))
    rest = Squared().debiased(noise, gaps.share, ALMOST * variance)
    slope = noise @ (gaps.share * gaps.gap)
    straight, bent = found.draws.parabola(gaps, c)
    np.testing.assert_allclose(straight, slope, rtol=1e-12, atol=1e-17)
    np.testing.assert_allclose(bent, rest, rtol=1e-12, atol=1e-17)
    np.testing.assert_allclose(found(c).slope, found.skew * slope, rtol=1e-12, atol=1e-17)


def test_large_counts_are_drawn_like_binomial_ones():
    """Mean and variance within 5 standard errors; never outside 0 to n."""
    n, p = np.array([40, 20_000, 10**6, 10**9]), np.array([0.5, 0.5, 0.01, 0.999])
    found = draws._positives(np.random.default_rng(0), n, p, 20_000)
    mean, variance = n * p, n * p * (1 - p)
    assert ((found >= 0) & (found <= n[:, None])).all()
    assert (found == np.rint(found)).all()
    assert (np.abs(found.mean(axis=1) - mean) < 5 * np.sqrt(variance / 20_000)).all()
    np.testing.assert_allclose(found.var(axis=1) / variance, 1, atol=5 * np.sqrt(2 / 20_000))
