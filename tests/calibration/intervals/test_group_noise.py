"""Noise of upper limits: what groups show, pooled over them."""

import numpy as np
import pytest

import calibrant as cb
from calibrant.calibration.gaps.norms import Squared
from calibrant.calibration.groups.pooling import WORTH
from calibrant.calibration.intervals import group_noise
from calibrant.calibration.intervals.draws import Draws
from calibrant.calibration.intervals.forecasters import Forecasters
from calibrant.calibration.intervals.group_noise import AroundNoise
from calibrant.pairs import synthetic

GROUPED = synthetic.sample_groups(60, synthetic.inward(0.1), seed=1)
GAPS = cb.AdaptiveBins(size=30).gaps(GROUPED)


def around_of(pairs, bins=None, **how):
    gaps = (cb.AdaptiveBins() if bins is None else bins).gaps(pairs)
    return AroundNoise(gaps, gaps.clusters, Draws(500, 1), 0.5, **how)


def unequal(seed, sizes=(200, 40, 30, 30, 20, 20, 10, 10, 10, 5), luck=1.2):
    """Groups of unequal sizes, whose members share luck."""
    rng = np.random.default_rng(seed)
    group = np.repeat(np.arange(len(sizes)), sizes)
    x = rng.normal(-0.5, 1, group.size)
    y = rng.random(group.size) < 1 / (
        1 + np.exp(-x - luck * rng.standard_normal(len(sizes))[group])
    )
    return cb.Pairs(y.astype(int), 1 / (1 + np.exp(-x)), group=group)


def test_what_groups_show_has_the_covariance_of_their_residuals():
    around = AroundNoise(GAPS, GAPS.clusters, Draws(20_000, 1), shrunk=1.0)
    residual = np.zeros((GAPS.clusters.groups, GAPS.gap.size))
    residual[GAPS.clusters.owner, GAPS.clusters.column] = GAPS.clusters.residual
    residual /= GAPS.bins.n
    wanted = residual.T @ residual
    scale = np.sqrt(np.outer(np.diag(wanted), np.diag(wanted)))
    noise = np.concatenate(list(around._shown))
    assert np.abs((np.cov(noise.T, bias=True) - wanted) / scale).max() < 6 * np.sqrt(2 / 20_000)
    root = np.sqrt(GAPS.share)
    values, vectors = np.linalg.eigh(wanted * np.outer(root, root))
    main = around._main_direction
    cosine = abs(vectors[:, -1] @ (main * root)) / np.sqrt(values[-1])
    assert cosine == pytest.approx(1, abs=0.05)
    pooled = np.concatenate(list(around.noise))
    np.testing.assert_allclose(pooled, around._pooling * noise, rtol=1e-12)
    np.testing.assert_allclose(around.main_direction(Squared()), around._pooling * main)


def test_pooling_by_hand():
    """In one bin, every group adds its errors: their variance is pooled by counting pairs."""
    pairs = unequal(3)
    around = around_of(pairs, cb.AdaptiveBins(count=1))
    n = np.bincount(pairs.codes).astype(float)
    error = np.bincount(pairs.codes, pairs.q - pairs.y)
    gap = error.sum() / n.sum()
    squares = (error - 0.5 * gap * n) ** 2
    single = np.mean((pairs.q - pairs.y) ** 2) - 2 * gap * 0.5 * gap + (0.5 * gap) ** 2
    alone, shared = single * n, single * (n**2 - n)
    dependence = 0.5
    for _ in range(50):
        weight = shared / (alone + dependence * shared) ** 2
        dependence = max(weight @ (squares - alone) / (weight @ shared), 0)
    supposed = alone + dependence * shared
    worth = supposed.sum() ** 2 / np.sum(supposed**2)
    wanted = (worth * squares.sum() + WORTH * supposed.sum()) / (worth + WORTH)
    assert around._pooling**2 == pytest.approx(wanted / squares.sum(), rel=1e-3)


def test_noise_varies_less_from_sample_to_sample():
    """Most of the pairs are in one group: by itself it shows little noise, or much."""
    spreads = {True: [], False: []}
    for seed in range(60):
        around = around_of(unequal(seed), cb.AdaptiveBins(count=3))
        along = around.main_direction(Squared())
        spread = np.sqrt(float(Squared().plain(along, around.gaps.share)))
        spreads[True].append(spread)
        spreads[False].append(spread / around._pooling)
    pooled, shown = (np.log(spreads[which]) for which in (True, False))
    assert pooled.std() < 0.7 * shown.std()
    assert np.mean(spreads[True]) == pytest.approx(np.mean(spreads[False]), rel=0.2)


def test_rows_and_very_many_groups_are_not_pooled(monkeypatch):
    weighted = cb.Pairs(GROUPED.y, GROUPED.q, weight=np.linspace(0.5, 1.5, len(GROUPED)))
    assert around_of(weighted)._pooling == 1
    assert around_of(GROUPED)._pooling != 1
    monkeypatch.setattr(group_noise, "ENOUGH", 50)
    assert around_of(GROUPED)._pooling == 1


@pytest.mark.parametrize("corrected", [False, True])
def test_the_name_of_yes_does_not_matter(corrected):
    pairs = unequal(4)
    turned = cb.Pairs(1 - pairs.y, 1 - pairs.q, group=pairs.group)
    one, other = (around_of(each, corrected=corrected) for each in (pairs, turned))
    assert one._pooling == pytest.approx(other._pooling, rel=1e-9)
    gap = 0.1 * np.sign(one._main_direction)
    assert one.scale(gap) == pytest.approx(other.scale(-gap[::-1]), rel=1e-6)


def test_limits_reach_further_where_groups_are_skewed():
    """A few groups have all the positives, so other samples may have more of them."""
    rng = np.random.default_rng(2)
    group = np.repeat(np.arange(30), 40)
    y = (rng.random(1200) < np.where(group < 3, 0.4, 0.01)).astype(int)
    around = around_of(cb.Pairs(y, np.full(1200, 0.05), group=group))
    more, less = np.array([-0.02]), np.array([0.02])  # more, and fewer positives than predicted
    assert around._further(more) > 1.1
    assert around._further(less) == around._further(0 * less) == 1
    assert (
        AroundNoise(around.gaps, around.clusters, around.draws, 0.5, skewed=False)._further(more)
        == 1
    )


def test_what_a_curve_smooths_away():
    """A quantile along a curve is too small by about as much as smoothing it again changes it."""
    score = cb.E90(cb.LocalLikelihood(bandwidth=0.5))
    gaps = score.evidence(unequal(5)).cells
    norm = score.norm.at(gaps.bins.q, gaps.gap, gaps.share)
    again = np.array([row @ (gaps.bins.n * gaps.gap) for row in gaps.smoother])
    sharper = np.abs(2 * gaps.gap - again)
    order = np.argsort(sharper)
    reached = np.searchsorted(np.cumsum(gaps.share[order]), 0.9 * (1 - 1e-12))
    wanted = max(sharper[order][reached] - gaps.plain(norm), 0)
    found = Forecasters(norm, gaps, Draws(100, 1))
    assert found._smoothed_away == pytest.approx(wanted)
    assert Forecasters(Squared(), gaps, Draws(100, 1))._smoothed_away == 0
    binned = cb.AdaptiveBins().gaps(unequal(5)).cells
    assert Forecasters(norm, binned, Draws(100, 1))._smoothed_away == 0


@pytest.mark.parametrize("grouped", [False, True])
def test_what_a_curve_smooths_away_leaves_limits_possible(grouped):
    """No distance between a probability and a prediction is larger than max(q, 1 − q)."""
    for seed in range(4):
        rng = np.random.default_rng(seed)
        q = rng.uniform(0.4, 0.6, 60)
        y = (q + 0.02 * rng.standard_normal(60) > 0.5).astype(int)  # far from calibrated
        pairs = cb.Pairs(y, q, group=np.arange(60) // 2 if grouped else None)
        score = cb.E90(cb.LocalLikelihood(bandwidth=0.3))
        assert cb.score(pairs, score, interval=cb.Bootstrap(100)).high <= 0.6 + 1e-9
