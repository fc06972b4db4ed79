import numpy as np
import pytest

from calibrant.calibration.gaps.norms import (
    Absolute,
    CumulativeLargest,
    CumulativeRange,
    GapQuantile,
    Largest,
    MeanSize,
    Squared,
    folded_mean,
)
from calibrant.calibration.gaps.placed_norms import KernelForm, Smoothed
from calibrant.errors import UnsupportedError

Q = np.array([0.1, 0.4, 0.5, 0.9])
GAP = np.array([0.1, -0.3, 0.0, 0.2])
SHARE = np.array([0.4, 0.1, 0.3, 0.2])
NORMS = [
    Squared(),
    Absolute(),
    Largest(),
    MeanSize(),
    CumulativeRange(),
    CumulativeLargest(),
    GapQuantile(0.5),
    KernelForm(0.1),
    Smoothed(whole=True),
    Smoothed(whole=False),
]


def name(norm):
    return type(norm).__name__


@pytest.mark.parametrize(
    ("norm", "wanted"),
    [
        (Squared(), 0.4 * 0.01 + 0.1 * 0.09 + 0.2 * 0.04),
        (Absolute(), 0.04 + 0.03 + 0.04),
        (MeanSize(), 0.04 + 0.03 + 0.04),
        (Largest(), 0.3),
        (CumulativeRange(), 0.05),  # 0.04, 0.01, 0.01, 0.05
        (CumulativeLargest(), 0.05),
        (GapQuantile(0.3), 0.0),
        (GapQuantile(0.5), 0.1),
        (GapQuantile(0.9), 0.2),
        (GapQuantile(0.95), 0.3),
    ],
    ids=lambda each: name(each) if not isinstance(each, float) else "",
)
def test_by_hand(norm, wanted):
    assert norm.plain(GAP, SHARE) == pytest.approx(wanted, abs=1e-15)


@pytest.mark.parametrize("placed", NORMS, ids=name)
def test_scaling_all_gaps(placed):
    norm = placed.at(Q, GAP, SHARE)
    wanted = 2.5**norm.power * norm.plain(GAP, SHARE)
    assert norm.plain(2.5 * GAP, SHARE) == pytest.approx(wanted, rel=1e-12)


@pytest.mark.parametrize("placed", NORMS, ids=name)
def test_replicates_are_rows(placed):
    norm = placed.at(Q, GAP, SHARE)
    rows = np.array([GAP, 2 * GAP, GAP[::-1]])
    wanted = [float(norm.plain(row, SHARE)) for row in rows]
    np.testing.assert_allclose(norm.plain(rows, SHARE), wanted, rtol=1e-12)


@pytest.mark.parametrize("placed", [Squared(), KernelForm(0.1)], ids=name)
def test_slopes_are_derivatives(placed):
    norm = placed.at(Q, GAP, SHARE)
    for j in range(4):
        step = np.zeros(4)
        step[j] = 1e-6
        two = norm.plain(GAP + step, SHARE) - norm.plain(GAP - step, SHARE)
        assert norm.slope(GAP, SHARE)[j] == pytest.approx(two / 2e-6, rel=1e-6, abs=1e-9)


@pytest.mark.parametrize("norm", [Absolute(), Largest(), CumulativeRange()], ids=name)
def test_others_have_no_slope(norm):
    assert norm.slope(GAP, SHARE) is None


@pytest.mark.parametrize("placed", [Squared(), KernelForm(0.1)], ids=name)
def test_debiasing_removes_what_noise_adds(placed):
    """The mean over many noisy gaps, debiased, is the sum without noise."""
    norm = placed.at(Q, GAP, SHARE)
    sd = np.array([0.1, 0.2, 0.05, 0.1])
    noisy = GAP + sd * np.random.default_rng(0).standard_normal((40_000, 4))
    found = norm.plain(noisy, SHARE) - (norm.plain(GAP, SHARE) - norm.debiased(GAP, SHARE, sd**2))
    error = found.std() / np.sqrt(40_000)
    assert abs(found.mean() - norm.plain(GAP, SHARE)) < 4 * error


def test_absolute_gaps_are_debiased_by_their_expectation():
    sd = np.array([0.1, 0.2, 0.0, 0.1])
    noisy = np.abs(GAP + sd * np.random.default_rng(0).standard_normal((40_000, 4)))
    wanted = 2 * Absolute().plain(GAP, SHARE) - noisy.mean(axis=0) @ SHARE
    error = (noisy @ SHARE).std() / np.sqrt(40_000)
    assert Absolute().debiased(GAP, SHARE, sd**2) == pytest.approx(wanted, abs=4 * error)


def test_the_folded_normal():
    assert folded_mean(np.zeros(1), np.ones(1)) == pytest.approx(np.sqrt(2 / np.pi))
    np.testing.assert_array_equal(folded_mean(np.array([-0.3, 0.2]), np.zeros(2)), [0.3, 0.2])
    assert folded_mean(np.array([5.0]), np.ones(1)) == pytest.approx(5, abs=1e-6)


def test_what_has_no_debiased_form():
    with pytest.raises(UnsupportedError, match="no debiased form"):
        Largest().debiased(GAP, SHARE, GAP**2)


def test_the_noisiest_pattern_bounds_the_lower_limit():
    assert Absolute().extremes("few", "all") == ("few", "all")
    assert Largest().extremes("few", "all") == ("all", "few")


def test_the_spread_tells_how_shares_change_the_sum():
    for placed in (Squared(), Absolute(), KernelForm(0.1)):
        norm = placed.at(Q, GAP, SHARE)
        for j in range(4):
            step = np.zeros(4)
            step[j] = 1e-6
            two = norm.plain(GAP, SHARE + step) - norm.plain(GAP, SHARE - step)
            assert norm.spread(GAP, SHARE)[j] == pytest.approx(two / 2e-6, rel=1e-6, abs=1e-9)


def test_smoothed_gaps_settle_at_the_width_that_equals_them():
    norm = Smoothed(whole=True).at(Q, GAP, SHARE)
    own = float(norm.plain(GAP, SHARE))
    assert norm.settled(own, GAP, SHARE) == pytest.approx(own, rel=0.01)
    assert norm.settled(2 * own, GAP, SHARE) < 1.9 * own  # a wider Gaussian cancels more
    assert norm.settled(0.0, GAP, SHARE) == 0


def test_gaps_of_one_sign_do_not_cancel_however_wide_the_gaussian():
    norm = Smoothed(whole=True).at(Q, GAP, SHARE)
    level = np.full(4, 0.05)
    own = float(norm.plain(level, SHARE))
    assert norm.settled(4 * own, level, SHARE) == pytest.approx(4 * own, rel=0.01)
