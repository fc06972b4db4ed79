"""Differences of scores that bend at 0: their changes through squares, and their tests."""

import numpy as np
import pytest

import calibrant as cb
from calibrant.calibration.analyses.leaving_out import Folds, left_out_sizes, left_out_totals
from calibrant.pairs import synthetic

GROUPED = synthetic.sample_groups(12, seed=4)


def shifted(pairs, shift):
    return cb.Pairs(pairs.y, np.clip(pairs.q + shift, 0.001, 0.999), group=pairs.group)


def changes_of(score, one, other):
    folds = Folds.of({"one": one, "other": other})
    totals = [left_out_totals(score, each, folds)[1] for each in (one, other)]
    return left_out_sizes(score, one, other, folds, tuple(totals)), totals


@pytest.mark.parametrize("debiased", [False, True])
def test_changes_of_squares_by_hand(debiased):
    """Squares of the gaps of all rows, over mean sizes in their group that stay as they are."""
    one, other = shifted(GROUPED, 0.05), shifted(GROUPED, -0.1)
    score = cb.ECE(count=4, debiased=debiased)
    n, total = len(one), []

    def gaps(pairs, left):
        """The gap and its noise in the bin of each row, without a group."""
        column = np.searchsorted(score.curve.bins(pairs).upper, pairs.q)
        kept = pairs.codes != left
        gap, noise = np.zeros(4), np.zeros(4)
        for i in range(4):
            rows = (column == i) & kept
            error = (pairs.q - pairs.y)[rows]
            gap[i] = error.mean()
            sums, sizes = (
                np.bincount(pairs.codes[rows], each) for each in (error, np.ones(rows.sum()))
            )
            noise[i] = (np.sum(sums**2) - gap[i] ** 2 * np.sum(sizes**2)) / (
                sizes.sum() ** 2 - np.sum(sizes**2)
            )
        return gap[column], noise[column]

    (a, _), (b, _) = gaps(one, -1), gaps(other, -1)
    means = [np.bincount(GROUPED.codes, np.abs(x)) / np.bincount(GROUPED.codes) for x in (a, b)]
    weight = 1 / sum(means)[GROUPED.codes] / n

    def difference(left):
        (a, noise_a), (b, noise_b) = gaps(one, left), gaps(other, left)
        squares = a**2 - b**2 - (noise_a - noise_b if debiased else 0)
        return np.sum(weight * squares)

    whole = difference(-1)
    total = [difference(g) - whole for g in range(12)]
    found, _ = changes_of(score, one, other)
    np.testing.assert_allclose(found, total, rtol=1e-6, atol=1e-12)


def test_changes_of_single_sizes():
    one, other = shifted(GROUPED, 0.05), shifted(GROUPED, -0.1)
    score = cb.ECCE()
    found, (a, b) = changes_of(score, one, other)

    def size(pairs):
        """The range of the walk over the bins whose noise is known."""
        column = np.searchsorted(cb.AdaptiveBins().bins(pairs).upper, pairs.q)
        walk = np.cumsum(np.bincount(column, pairs.q - pairs.y)) / len(pairs)
        return max(walk.max(), 0) - min(walk.min(), 0)

    sizes = size(one), size(other)
    np.testing.assert_allclose(found, 2 * (sizes[0] * a - sizes[1] * b) / sum(sizes))


@pytest.mark.parametrize(
    "score", [cb.CalibMSE(), cb.SKCE(), cb.ATB(), cb.MCE(), cb.E90()], ids=repr
)
def test_scores_that_do_not_bend_have_none(score):
    found, _ = changes_of(score, shifted(GROUPED, 0.05), shifted(GROUPED, -0.1))
    assert found is None


def test_noise_beyond_a_gap_is_seen():
    """Both models err by 0.1 in opposite directions, and luck by more: |a| and |b| differ by 0.2.

    That is the largest difference that luck can make, so sizes themselves would show no noise.
    """
    rng = np.random.default_rng(3)
    group = np.repeat(np.arange(10), 100)
    y = rng.random(1000) < (0.7 + 0.25 * rng.standard_normal(10).clip(-1, 1))[group]
    one, other = (cb.Pairs(y.astype(int), np.full(1000, q), group=group) for q in (0.6, 0.4))
    score = cb.ECE(count=1)
    found, (a, b) = changes_of(score, one, other)
    rates = np.bincount(group, y) / 100
    luck = rates.std(ddof=1) / np.sqrt(10)
    value = abs(0.6 - y.mean()) - abs(0.4 - y.mean())
    # |value| / spread is how many standard errors the middle of both predictions is off
    assert abs(value) / np.sqrt(np.sum(found**2)) == pytest.approx(
        abs(y.mean() - 0.5) / luck, rel=0.1
    )
    assert np.sqrt(np.sum((a - b) ** 2)) < 0.2 * np.sqrt(np.sum(found**2))


@pytest.mark.parametrize("score", [cb.ECE(), cb.SmoothECE()], ids=repr)
def test_calibrated_models_of_unequal_sharpness_are_equal(score):
    """Noise adds more to the score of one, but neither is known to be wrong."""
    rejected = 0
    for seed in range(16):
        rng = np.random.default_rng(seed)
        q = rng.uniform(0.05, 0.95, 900)
        y = rng.random(900) < q
        coarse = np.where(q < 0.5, 0.275, 0.725)
        found = cb.compare(cb.Pairs(y, q), cb.Pairs(y, coarse), score, interval=cb.Bootstrap(100))
        rejected += found.p_value < 0.05
    assert rejected <= 4  # at most 0.8 expected; more have a probability below 0.002


def test_equally_wrong_models_in_few_groups_are_rarely_told_apart():
    rejected = 0
    for seed in range(40):
        pairs = synthetic.sample_groups(12, seed=seed, rho=0.5)
        found = cb.compare(
            shifted(pairs, 0.1), shifted(pairs, -0.1), cb.ECE(), interval=cb.Bootstrap(200)
        )
        rejected += found.p_value < 0.05
    assert rejected <= 7  # 2 expected; more have a probability below 0.001


def test_p_values_are_smaller_than_replicates_can_show():
    """A hundred replicates cannot tell how improbable a model is that is wrong by 0.2."""
    rng = np.random.default_rng(5)
    q = rng.uniform(0.25, 0.75, 4000)
    y = rng.random(4000) < q
    good, bad = cb.Pairs(y, q), cb.Pairs(y, q + 0.2)
    found = cb.compare(good, bad, cb.ECE(), interval=cb.Bootstrap(100))
    assert 0 < found.p_value < 1e-9
