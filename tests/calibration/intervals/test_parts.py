"""The upper limit of sums of squares over groups: the main direction of noise, and the rest."""

import numpy as np
import pytest

import calibrant as cb
from calibrant.calibration.gaps.norms import Squared
from calibrant.calibration.groups.few_groups import normal_quantile
from calibrant.calibration.intervals.draws import Draws
from calibrant.calibration.intervals.forecasters import Forecasters
from calibrant.pairs import synthetic


def parts_of(pairs, score, replicates=300):
    gaps = score.evidence(pairs).cells
    norm = score.norm.at(gaps.bins.q, gaps.gap, gaps.share)
    found = Forecasters(norm, gaps, Draws(replicates, 3))._parts
    assert found is not None
    return found


PAIRS = synthetic.sample_groups(25, synthetic.inward(0.1), seed=5)
SCORES = [cb.CalibScore(), cb.CalibMSE(cb.LocalLikelihood(bandwidth=0.5))]


@pytest.mark.parametrize("score", SCORES, ids=repr)
def test_squares_of_both_parts_add_up(score):
    """The parts are orthogonal, in terms of the norm."""
    parts = parts_of(PAIRS, score)
    whole = float(parts.norm.plain(parts.gaps.gap, parts.gaps.share))
    assert parts._along**2 + parts._seen == pytest.approx(whole, rel=1e-9)
    assert parts._square + parts._other == pytest.approx(parts.value)


@pytest.mark.parametrize("score", SCORES, ids=repr)
def test_noise_is_projected(score):
    """The noise of both parts is what projecting the noise of every replicate gives."""
    parts = parts_of(PAIRS, score)
    share, unit = parts.gaps.share, parts._direction / parts.spread
    assert float(parts.norm.plain(unit, share)) == pytest.approx(1.0)
    noise = np.concatenate(list(parts.around.noise))
    along = noise @ (parts.norm.slope(unit, share) / 2)
    rest = noise - along[:, None] * unit
    squares, both = parts._noise
    np.testing.assert_allclose(squares, along**2, rtol=1e-9, atol=1e-15)
    np.testing.assert_allclose(both - squares, parts.norm.plain(rest, share), rtol=1e-7, atol=1e-13)
    assert parts.spread == pytest.approx(np.sqrt(np.mean(along**2)), rel=1e-6)
    # no direction has more noise
    for other in np.eye(share.size)[:: max(share.size // 7, 1)]:
        length = np.sqrt(float(parts.norm.plain(other, share)))
        if length > 0:
            size = noise @ (parts.norm.slope(other / length, share) / 2)
            assert np.sqrt(np.mean(size**2)) <= parts.spread * (1 + 1e-3)


def test_one_bin_has_the_limits_of_a_number():
    """With one bin, the limit is that of one gap with normal noise of the size that it implies."""
    pairs = synthetic.sample_groups(40, synthetic.inward(0.2), a=1.2, b=3, seed=2)
    parts = parts_of(pairs, cb.CalibMSE(cb.AdaptiveBins(count=1)), replicates=20_000)
    gap, spread = float(parts.gaps.gap[0]), parts.spread
    assert parts._seen == pytest.approx(0.0, abs=1e-20)
    limit = np.sqrt(parts._highest_square(0.95))
    supposed = np.sign(gap) * np.array([limit])
    wanted = normal_quantile(0.95) * spread * np.sqrt(parts.around.scale(supposed))
    assert limit - abs(gap) == pytest.approx(wanted, rel=1e-4)
    errors = np.bincount(pairs.codes, pairs.q - pairs.y) / len(pairs)
    shrunk = errors - parts.around.shrunk * gap * np.bincount(pairs.codes) / len(pairs)
    assert spread == pytest.approx(np.sqrt(np.sum(shrunk**2)), rel=0.02)
    assert parts.high(0.95) == pytest.approx(parts.value + limit**2 - parts._square)


@pytest.mark.parametrize("score", SCORES, ids=repr)
def test_limits_are_at_least_the_value_and_grow_with_the_level(score):
    parts = parts_of(PAIRS, score)
    limits = [parts.high(level) for level in (0.5, 0.8, 0.95, 0.99)]
    assert max(parts.value, 0.0) <= limits[0] < limits[1] < limits[2] < limits[3]


def test_errors_that_cancel_count_as_noise():
    """Groups that are wrong in opposite directions do not look better than noise alone."""
    y = np.repeat([1, 0], 200)
    y[0] = 0  # otherwise all gaps are exactly 0
    pairs = cb.Pairs(y, np.full(400, 0.5), group=np.repeat(np.arange(20), 20))
    found = cb.score(pairs, cb.CalibScore())
    spread = np.sqrt(20 * 10**2) / 400  # each group is wrong by 10 of its 20 pairs
    assert found.value == 0.0
    # without the allowance, at most 1.96 standard deviations; outcomes vary less around such gaps
    assert found.high > (1 + 0.8 * normal_quantile(0.95)) * spread


def test_skewed_sums_are_noisier():
    """The allowance does not depend on which answer is called yes, and grows with rare outcomes."""
    parts = parts_of(PAIRS, cb.CalibMSE())
    turned = cb.Pairs(1 - PAIRS.y, 1 - PAIRS.q, group=PAIRS.group)
    assert parts_of(turned, cb.CalibMSE()).around.noisier == pytest.approx(parts.around.noisier)
    rare = synthetic.sample_groups(60, a=1, b=12, seed=5)
    assert parts_of(rare, cb.CalibMSE()).around.noisier > parts.around.noisier >= 1


def test_allowance_for_skewed_sums_ends_with_many_groups():
    """What counts is over how many groups the rare outcomes are spread."""
    few, many = (
        parts_of(synthetic.sample_groups(groups, a=1, b=12, seed=5), cb.CalibMSE()).around.noisier
        for groups in (10, 1000)
    )
    assert few > 2 > 1.1 > many > 1


@pytest.mark.parametrize("score", [cb.SKCE(), cb.ATB()], ids=repr)
def test_norms_that_mix_bins_have_no_parts(score):
    gaps = score.evidence(PAIRS).cells
    norm = score.norm.at(gaps.bins.q, gaps.gap, gaps.share)
    assert Forecasters(norm, gaps, Draws(50, 1))._parts is None


def test_curves_without_other_patterns_have_no_parts():
    gaps = cb.Isotonic().gaps(PAIRS).cells
    assert not gaps.reshapable
    assert Forecasters(Squared(), gaps, Draws(50, 1))._parts is None
