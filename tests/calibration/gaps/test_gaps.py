"""The kinds of gaps: what each says of its noise, and of forecasters with other gaps."""

import numpy as np
import pytest

import calibrant as cb
from calibrant.calibration.gaps.bin_gaps import BinGaps
from calibrant.calibration.gaps.bins import Bins
from calibrant.calibration.gaps.fine_gaps import FineGaps
from calibrant.calibration.gaps.isotonic_gaps import IsotonicGaps
from calibrant.calibration.gaps.norms import Absolute, Largest, Squared
from calibrant.calibration.gaps.smooth_gaps import SmoothGaps
from calibrant.pairs import synthetic

PLAIN = synthetic.sample(300, synthetic.inward(0.1), a=1, b=1, seed=1)
GROUPED = cb.Pairs(PLAIN.y, PLAIN.q, group=np.arange(300) // 6)
CURVES = {
    BinGaps: cb.AdaptiveBins(size=20),
    SmoothGaps: cb.Kernel(bandwidth=0.1, grid=50),
    IsotonicGaps: cb.Isotonic(),
}


@pytest.mark.parametrize("kind", CURVES)
@pytest.mark.parametrize("pairs", [PLAIN, GROUPED], ids=["pairs", "groups"])
def test_kinds_of_curves(kind, pairs):
    gaps = CURVES[kind].gaps(pairs)
    cells = gaps.cells
    assert type(cells) is kind
    assert cells.cells is cells
    assert gaps.groups == (None if pairs is PLAIN else 50)
    assert (cells.variance >= 0).all()
    assert isinstance(gaps, FineGaps) == (kind is IsotonicGaps)
    assert gaps.share.sum() == pytest.approx(1)


@pytest.mark.parametrize("kind", CURVES)
def test_what_replicates_of_a_curve_need(kind):
    cells = CURVES[kind].gaps(PLAIN).cells
    assert cells.mixing == (kind is SmoothGaps)
    assert cells.parabolic(Squared()) == (kind is not IsotonicGaps)
    assert (cells.slope(Squared()) is None) == (kind is IsotonicGaps)


@pytest.mark.parametrize("kind", CURVES)
def test_other_gaps(kind):
    cells = CURVES[kind].gaps(GROUPED).cells
    wanted = np.linspace(-0.1, 0.1, cells.gap.size)
    moved = cells.with_gaps(wanted)
    assert type(moved) is kind
    np.testing.assert_allclose(moved.gap, wanted, atol=1e-14)


def bins_of(n, k, q):
    n, k, q = (np.array(each, float) for each in (n, k, q))
    return Bins(n, k, n * q, q)


def test_variances_of_bins():
    gaps = BinGaps(bins_of([4, 1, 10], [1, 1, 5], [0.2, 0.5, 0.6]), None)
    np.testing.assert_allclose(gaps.variance, [0.25 * 0.75 / 3, 0, 0.25 / 9])
    np.testing.assert_allclose(gaps.sampling_variance, [0.25 * 0.75 / 4, 0, 0.25 / 10])
    assert gaps.too_small == 1
    wanted = gaps.plain(Squared()) - gaps.variance @ gaps.share
    assert gaps.total(Squared()) == pytest.approx(wanted)
    assert gaps.total(Largest()) == gaps.plain(Largest())
    assert (gaps.standard_error > 0).all()  # even of the bin that shows no variance


def test_smooth_noise_is_spread_over_cells():
    smoother = np.array([[0.1, 0.05], [0.05, 0.2]])
    gaps = SmoothGaps(bins_of([4, 6], [1, 3], [0.3, 0.6]), None, smoother)
    n, p, positive = np.array([4, 6]), gaps.bins.p, np.array([[2, 3], [0, 6]])
    noise, variance = gaps.noise_of_counts(n, p, positive)
    np.testing.assert_allclose(noise, (n * p - positive) @ smoother.T)
    np.testing.assert_allclose(variance, smoother**2 @ (n * p * (1 - p)))
    np.testing.assert_allclose(gaps.frequencies(n * 1.0, (n * p)[None, :]), p[None, :])


def test_isotonic_gaps_are_those_of_the_fitted_curve():
    gaps = IsotonicGaps(bins_of([1, 1, 2], [0, 0, 1], [0.2, 0.5, 0.8]), None)
    frequencies = np.array([[0.5, 0.1, 0.9]])
    fitted = np.array([[0.3, 0.3, 0.9]])
    np.testing.assert_allclose(gaps.refitted(gaps.bins.q - frequencies), gaps.bins.q - fitted)
    np.testing.assert_allclose(gaps.frequencies(np.ones((1, 3)), frequencies), fitted)


@pytest.mark.parametrize("kind", CURVES)
def test_noise_of_a_replicate_that_equals_what_was_expected(kind):
    cells = CURVES[kind].gaps(PLAIN).cells
    n = np.full(cells.gap.size, 4)
    noise, _ = cells.noise_of_counts(n, np.full(n.size, 0.25), np.ones((1, n.size), int))
    np.testing.assert_allclose(noise, 0, atol=1e-15)


def test_fine_gaps_have_no_bins_that_are_too_small():
    assert cb.ECCE().evidence(PLAIN).too_small == 0


def test_gaps_without_a_size():
    bins = bins_of([4, 4], [0, 0], [1e-170, 5e-324])
    assert BinGaps(bins, None).nothing(Squared())
    assert BinGaps(bins, None).nothing(Absolute())
    assert not BinGaps(bins_of([4], [0], [1e-20]), None).nothing(Squared())
