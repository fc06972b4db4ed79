"""Replicates of groups: signs under a hypothesis, and noise around a pattern."""

import numpy as np
import pytest

import calibrant as cb
from calibrant.calibration.gaps.norms import Absolute, Squared
from calibrant.calibration.intervals import blocks
from calibrant.calibration.intervals.draws import Draws
from calibrant.calibration.intervals.forecasters import Forecasters
from calibrant.calibration.intervals.group_noise import AroundNoise, GroupNoise
from calibrant.calibration.intervals.group_worlds import (
    AroundWorlds,
    ImposedWorlds,
    composition_spread,
)
from calibrant.pairs import synthetic

GROUPED = synthetic.sample_groups(60, synthetic.inward(0.1), seed=1)
GAPS = cb.AdaptiveBins(size=30).gaps(GROUPED)


def dense(clusters, value, bins):
    found = np.zeros((clusters.groups, bins))
    found[clusters.owner, clusters.column] = value
    return found


def worlds_of(kind, norm, draws):
    if kind is ImposedWorlds:
        return ImposedWorlds(norm, GAPS, GAPS.clusters, draws)
    return AroundWorlds(norm, GAPS, AroundNoise(GAPS, GAPS.clusters, draws, 0.5))


@pytest.mark.parametrize("kind", [ImposedWorlds, AroundWorlds])
@pytest.mark.parametrize("c", [0.0, 0.4, 1.3])
def test_polynomials_are_the_sums_of_the_gaps(kind, c):
    """The shortcut for sums of squares agrees with squaring the gaps of every replicate."""
    worlds = worlds_of(kind, Squared(), Draws(64, 1))
    short = worlds(c)(c)
    direct = worlds._direct(c) if kind is ImposedWorlds else worlds._direct(c, worlds._silent(c))
    np.testing.assert_allclose(short, direct, rtol=1e-9, atol=1e-14)


@pytest.mark.parametrize("kind", [ImposedWorlds, AroundWorlds])
@pytest.mark.parametrize("norm", [Squared(), Absolute()], ids=["squared", "absolute"])
@pytest.mark.parametrize("held", [0, blocks.HELD])
def test_blocks_of_replicates_are_those_of_all_at_once(kind, norm, held, monkeypatch):
    whole = worlds_of(kind, norm, Draws(43, 1))(0.7)(0.7)
    monkeypatch.setattr(blocks, "AT_ONCE", 5)
    monkeypatch.setattr(blocks, "HELD", held)
    parts = worlds_of(kind, norm, Draws(43, 1))(0.7)(0.7)
    np.testing.assert_allclose(parts, whole, rtol=1e-12)


@pytest.mark.parametrize("normal", [False, True])
def test_few_groups_are_smoothed_before_their_factors_are_drawn(normal, monkeypatch):
    """The order of two sums does not matter, whether over cells or over groups first."""
    gaps = cb.LocalLikelihood(bandwidth=0.5).gaps(synthetic.sample_groups(8, seed=2))
    assert gaps.clusters.groups < gaps.gap.size
    noise = GroupNoise(gaps, gaps.clusters, Draws(50, 1), normal)
    shift = np.linspace(-1, 1, gaps.gap.size)
    found = np.concatenate(list(noise.blocks(0.7, shift)))
    monkeypatch.setattr(type(gaps), "mixing", False)
    plain = np.concatenate(list(noise.blocks(0.7, shift)))
    np.testing.assert_allclose(plain, found, rtol=1e-9, atol=1e-13)


@pytest.mark.parametrize("score", [cb.ICI(), cb.E90(), cb.Emax(), cb.ECE(), cb.SmoothECE()])
def test_the_upper_limit_is_the_highest_of_all_patterns(score):
    """Patterns that cannot reach further are not searched, which changes nothing."""
    pairs = synthetic.sample_groups(12, synthetic.inward(0.1), seed=4)
    gaps = score.evidence(pairs).cells
    norm = score.norm.at(gaps.bins.q, gaps.gap, gaps.share)
    found = Forecasters(norm, gaps, Draws(200, 1))
    chosen = [found.patterns.both, *found.patterns.upper, *found._moved()]
    if not found._around.visible(norm):
        chosen = chosen[1:]
    highest = max(found._highest(each, 0.95, 0.0) for each in chosen)
    assert found.high(0.95) == highest + found._smoothed_away


def test_all_signs_of_few_groups():
    """Under the hypothesis of calibration the replicates are those of all signs."""
    pairs = synthetic.sample_groups(6, seed=3)
    gaps = cb.AdaptiveBins(size=40).gaps(pairs)
    found = ImposedWorlds(Squared(), gaps, gaps.clusters, Draws(4000, 1))(0.0)(0.0)
    errors = dense(gaps.clusters, gaps.clusters.error, gaps.gap.size)
    signs = 1.0 - 2 * ((np.arange(64)[:, None] >> np.arange(6)) & 1)
    chance, seen = np.sum(pairs.q * (1 - pairs.q)), np.sum((pairs.q - pairs.y) ** 2)
    # predictions differ within bins, so the chance of the bins is brought down to that of pairs
    scale = chance / seen
    scale = scale**1.5 if scale > 1 else np.sqrt(scale)
    wanted = scale * (signs @ errors / gaps.bins.n) ** 2 @ gaps.share
    assert set(np.round(found, 9)) <= set(np.round(wanted, 9))
    assert found.mean() == pytest.approx(wanted.mean(), abs=4 * wanted.std() / np.sqrt(4000))


def test_a_pattern_that_is_the_truth_leaves_the_noise_of_residuals():
    draws = Draws(3000, 2)
    worlds = ImposedWorlds(Squared(), GAPS, GAPS.clusters, draws)
    errors, pattern = (np.concatenate(list(each)) for each in (worlds._errors, worlds._pattern))
    residual = dense(GAPS.clusters, GAPS.clusters.residual, GAPS.gap.size) / GAPS.bins.n
    wanted = (residual**2).sum(axis=0)
    found = (errors - pattern).var(axis=0)
    np.testing.assert_allclose(found, wanted, rtol=6 * np.sqrt(2 / 3000))


def test_compositions_are_measured_against_all_bins():
    """Groups that are spread alike over the bins cannot change the shares."""
    pairs = cb.Pairs([0, 1] * 40, [0.2, 0.7] * 40, group=np.repeat(np.arange(20), 4))
    gaps = cb.AdaptiveBins(size=40).gaps(pairs)
    assert composition_spread(Squared(), gaps, gaps.clusters) == pytest.approx(0, abs=1e-15)
    assert composition_spread(Absolute(), GAPS, GAPS.clusters) > 0


def test_bins_without_noise_get_that_of_as_many_pairs_as_groups():
    pairs = cb.Pairs([0] * 30, [0.3] * 30, group=np.repeat(np.arange(10), 3))
    gaps = cb.AdaptiveBins().gaps(pairs)
    around = AroundNoise(gaps, gaps.clusters, Draws(500, 1), shrunk=1.0)
    assert around.silent.tolist() == [10]
    assert all((each == 0).all() for each in around.noise)
    assert AroundWorlds(Squared(), gaps, around)(0.5)(0.5).std() > 0


@pytest.mark.parametrize("score", [cb.CalibScore(), cb.ECE(), cb.SmoothECE(), cb.SKCE()], ids=repr)
@pytest.mark.parametrize("groups", [True, False])
def test_intervals_start_at_0_exactly_if_their_test_does_not_reject(score, groups):
    seen = set()
    for seed in range(12):
        k = 0.01 * (seed % 6)
        pairs = synthetic.sample_groups(30, synthetic.inward(k), seed=seed)
        if not groups:
            pairs = cb.Pairs(pairs.y, pairs.q)
        found = cb.score(pairs, score)
        p = cb.test(pairs, f"Consistency({score!r})").p_value
        assert (found.low > 0) == (p <= 0.025)
        seen.add(p <= 0.025)
    assert seen == {True, False} or groups


@pytest.mark.filterwarnings("ignore:The groups are worth only")
def test_limits_stay_below_what_the_brier_score_allows():
    generator = np.random.default_rng(5)
    for seed in range(5):
        effect = generator.normal(0, 1.5, 8)
        group = np.repeat(np.arange(8), [100, 10, 10, 10, 5, 5, 5, 5])
        x = generator.normal(-3, 1, group.size)
        y = generator.random(group.size) < 1 / (1 + np.exp(-x - effect[group]))
        pairs = cb.Pairs(y.astype(int), 1 / (1 + np.exp(-x)), group=group)
        high = cb.score(pairs, cb.CalibScore(), seed=seed).high
        assert high <= np.sqrt(cb.score(pairs, cb.Brier()).high) + 1e-12


def test_calibrated_forecasters_have_no_limits_of_their_own():
    forecasters = Forecasters(Squared(), GAPS, Draws(200, 1))
    assert forecasters.low(0.95) <= forecasters.value <= forecasters.high(0.95)
    assert forecasters.null().shape == (200,)


@pytest.mark.parametrize("score", [cb.CalibScore(), cb.ECE()])
def test_one_group_with_most_of_the_pairs_is_not_evidence(score):
    """Its effect on y looks like errors of a calibrated model, but it is a single draw.

    The effect follows the bridge distribution, so that on average P(y = 1 | q) = q. The share of
    lower limits above 0 is 2.5 %, with four standard errors of 60 simulations.
    """
    group = np.repeat(np.arange(13), [900] + 12 * [8])
    above = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        x = rng.normal(-1, 1.3, 13)[group] + rng.normal(0, 1.3, group.size)
        u = rng.random(13)
        effect = np.log(np.sin(0.7 * np.pi * u) / np.sin(0.7 * np.pi * (1 - u))) / 0.7
        y = rng.random(group.size) < 1 / (1 + np.exp(-x / 0.7 - effect[group]))
        pairs = cb.Pairs(y.astype(int), 1 / (1 + np.exp(-x)), group=group)
        with pytest.warns(cb.errors.CalibrantWarning, match="groups"):
            above += cb.score(pairs, score, interval=cb.Bootstrap(200)).low > 0
    assert above / 60 < 0.025 + 4 * np.sqrt(0.025 * 0.975 / 60)


def rare_groups(seed):
    """36 groups with rare positives that share an effect; on average P(y = 1 | q) = q."""
    group = np.repeat(np.arange(36), 60)
    rng = np.random.default_rng(seed)
    x = rng.normal(-4, 1.3, 36)[group] + rng.normal(0, 1.3, group.size)
    u = rng.random(36)
    effect = np.log(np.sin(0.7 * np.pi * u) / np.sin(0.7 * np.pi * (1 - u))) / 0.7
    y = rng.random(group.size) < 1 / (1 + np.exp(-x / 0.7 - effect[group]))
    return cb.Pairs(y.astype(int), 1 / (1 + np.exp(-x)), group=group)


def test_rare_positives_that_are_missing_are_not_evidence():
    """Where hardly any are seen, a logistic curve is near 0 and seems to be precise.

    The share of lower limits above 0 is 2.5 %, with four standard errors of 60 simulations.
    """
    score, how = cb.E50(cb.LocalLikelihood(bandwidth=5.0)), cb.Bootstrap(200)
    above = sum(cb.score(rare_groups(seed), score, interval=how).low > 0 for seed in range(60))
    assert above / 60 < 0.025 + 4 * np.sqrt(0.025 * 0.975 / 60)


def test_noise_grows_only_for_logits_and_only_where_more_is_supposed():
    pairs = rare_groups(1)
    noise = np.ones((1, 1))
    for curve, grows in (
        (cb.LocalLikelihood(bandwidth=2.0), True),
        (cb.Kernel(bandwidth=2.0), False),
    ):
        gaps = curve.gaps(pairs)
        found = gaps.grown(noise, gaps.gap, np.zeros_like(gaps.gap)) + 0 * gaps.gap
        low = (gaps.bins.q < 0.5) & (gaps.bins.p < 0.5)
        more = gaps.bins.q > gaps.bins.p
        assert (more & low).any()
        np.testing.assert_array_equal(found[0, low] > 1, (more & grows)[low])
        same = gaps.grown(noise, gaps.gap, gaps.gap) + 0 * gaps.gap
        np.testing.assert_allclose(same, 1.0, rtol=1e-9)
