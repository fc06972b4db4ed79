import numpy as np
import pytest

import calibrant as cb
from calibrant.calibration.gaps.norms import Absolute, Squared
from calibrant.calibration.intervals.contributions import STEEPEST, contributions, slope_factor
from calibrant.pairs import synthetic

PAIRS = synthetic.sample_groups(20, seed=2)


def test_bins_without_a_group():
    """A group adds what the gap of a bin has more than without it (the jackknife)."""
    curve = cb.AdaptiveBins(size=25)
    gaps = curve.gaps(PAIRS)
    parts = contributions(Squared(), gaps, gaps.clusters)
    column, error = curve.columns(PAIRS), PAIRS.q - PAIRS.y
    owner, order = gaps.clusters.owner, gaps.clusters.order
    for row in range(0, owner.size, 7):
        inside = column == gaps.clusters.column[row]
        mine = inside & (PAIRS.codes == order[owner[row]])
        without = error[inside & ~mine].mean()
        assert gaps.gap[gaps.clusters.column[row]] - parts.noise[row] == pytest.approx(
            without,
            abs=1e-8,  # errors are rounded to 36 bits
        )


def test_sums_by_group():
    gaps = cb.AdaptiveBins(size=25).gaps(PAIRS)
    clusters = gaps.clusters
    parts = contributions(Squared(), gaps, clusters)
    share = gaps.share[clusters.column]
    others = gaps.gap[clusters.column] - parts.noise
    for g in range(0, 20, 5):
        mine = clusters.owner == g
        slope = (share * parts.noise * others)[mine].sum()
        assert parts.slope[g] == pytest.approx(slope, rel=1e-12)
        assert parts.square[g] == pytest.approx((share * parts.noise**2)[mine].sum(), rel=1e-12)
    assert parts.linear.shape == (20, 3)


@pytest.mark.parametrize("norm", [Squared(), Absolute()])
@pytest.mark.parametrize("curve", [cb.AdaptiveBins(), cb.Kernel(bandwidth=0.1)], ids=repr)
def test_compositions_cancel(norm, curve):
    """What groups add by falling into bins is measured against all of them."""
    gaps = curve.gaps(PAIRS)
    found = contributions(norm, gaps, gaps.clusters).composition
    assert found.sum() == pytest.approx(0, abs=1e-14)


def test_smooth_squares_are_quadratic_forms():
    gaps = cb.Kernel(bandwidth=0.1, grid=50).gaps(PAIRS)
    clusters = gaps.clusters
    parts = contributions(Squared(), gaps, clusters)
    dense = np.zeros((20, gaps.gap.size))
    dense[clusters.owner, clusters.column] = clusters.residual
    noise = dense @ gaps.smoother.T
    np.testing.assert_allclose(parts.square, noise**2 @ gaps.share, rtol=1e-10)
    wanted = noise @ (gaps.share * gaps.gap) - parts.square
    np.testing.assert_allclose(parts.slope, wanted, rtol=1e-9, atol=1e-15)


def test_slope_factors():
    slopes = np.array([1.0, -1.0])
    quiet = np.zeros(10)
    assert slope_factor(np.zeros(2), quiet, 1.0, 1.0) == 1  # no slope
    assert slope_factor(slopes, quiet, 0.0, 1.0) == 1  # nothing observed, and no noise
    assert slope_factor(slopes, quiet, 0.5, 1.0) == pytest.approx(np.sqrt(2))
    assert slope_factor(slopes, quiet, 2.0, 1.0) == 1  # never less
    assert slope_factor(slopes, quiet, 1e-9, 1.0) == pytest.approx(np.sqrt(STEEPEST))  # nor more
