import numpy as np
import pytest
from scipy.stats import binom

import calibrant as cb
from calibrant.errors import ParameterError, UnsupportedError
from calibrant.pairs import synthetic

SIMULATIONS = 60
# intervals that hold the truth in 95 % of samples hold it in fewer of 60 once in 1000 times;
# benchmarks/coverage.py measures the coverage closely, over a grid of data and scores
FEWEST = binom.ppf(0.001, SIMULATIONS, 0.95)


def times_covered(truth, draw, score=None):
    hits = 0
    for seed in range(SIMULATIONS):
        estimate = cb.score(draw(seed), score, interval=cb.Bootstrap(200, seed=seed))
        hits += estimate.low <= truth <= estimate.high
    return hits


def test_calibrated_forecasters_are_believed():
    """The interval of a calibrated model must contain 0; other packages' never do."""
    draw = lambda s: synthetic.calibrated(1000, a=1, b=1, seed=s)  # noqa: E731
    assert times_covered(0, draw) >= FEWEST


def test_true_scores_are_covered():
    t = synthetic.inward(0.1)
    draw = lambda s: synthetic.sample(2000, t, seed=s)  # noqa: E731
    assert times_covered(synthetic.true_score(t), draw) >= FEWEST


def test_dependent_groups_are_covered_only_if_known():
    t = synthetic.outward(0.1)
    truth = np.sqrt(synthetic.true_mse_groups(t, jumps=(0.1, 0.9)))
    draw = lambda s: synthetic.sample_groups(250, t, seed=s)  # noqa: E731
    assert times_covered(truth, draw) >= FEWEST
    assert times_covered(truth, lambda s: cb.Pairs(draw(s).y, draw(s).q)) < FEWEST


@pytest.mark.parametrize("score", [cb.Brier(), cb.ECE(size=40)], ids=repr)
def test_other_scores_are_covered_too(score):
    t = synthetic.inward(0.1)
    big = synthetic.sample(400_000, t, seed=999)
    truth = 0.1 if isinstance(score, cb.ECE) else cb.Brier()(big)
    draw = lambda s: synthetic.sample(2000, t, seed=s)  # noqa: E731
    assert times_covered(truth, draw, score) >= FEWEST


@pytest.mark.parametrize("score", [cb.ECE(), cb.MCE()], ids=repr)
@pytest.mark.parametrize("wrong", ["few bins", "all bins"])
def test_where_few_or_all_bins_are_wrong(score, wrong):
    """Noise adds most to ECE where few bins are wrong, and most to MCE where all are."""
    t = synthetic.inward(0.05)
    if wrong == "few bins":
        t = lambda q: np.where(q > 0.9, q - 0.15, q)  # noqa: E731
    misses = 0
    for seed in range(30):
        pairs = synthetic.sample(3000, t, a=1, b=1, seed=seed)
        curve = cb.curve(pairs)
        at = np.searchsorted(curve.upper, pairs.q)
        gap = np.abs(np.bincount(at, pairs.q - t(pairs.q)) / curve.n)
        truth = curve.n @ gap / curve.n.sum() if isinstance(score, cb.ECE) else gap.max()
        estimate = cb.score(pairs, score, interval=cb.Bootstrap(200, seed=seed))
        misses += not estimate.low <= truth <= estimate.high
    assert misses <= 4  # 2 % are missed, more than 4 once in 3000; without extremes 9 to 29 %


@pytest.mark.parametrize("score", [cb.CalibScore(cb.Kernel(bandwidth=0.1)), cb.ECCE()], ids=repr)
def test_the_thesis_has_no_interval_without_bins(score):
    with pytest.raises(UnsupportedError, match="is for scores over bins"):
        cb.score(synthetic.calibrated(500, a=1, b=1), score, interval=cb.NormalSampling())


def test_brier_of_groups_is_covered():
    big = synthetic.sample_groups(30_000, seed=999)
    truth = cb.Brier()(big)
    draw = lambda s: synthetic.sample_groups(100, seed=s)  # noqa: E731
    assert times_covered(truth, draw, cb.Brier()) >= FEWEST


def test_levels_nest():
    pairs = synthetic.sample(3000, synthetic.inward(0.1), seed=1)
    for score in (cb.CalibScore(), cb.ECE(), cb.Brier()):
        wide, narrow = (cb.score(pairs, score, level=level) for level in (0.99, 0.8))
        assert wide.low < narrow.low < narrow.value < narrow.high < wide.high


def test_seeds_decide_everything():
    pairs = synthetic.sample(2000, synthetic.inward(0.1), seed=1)
    groups = synthetic.sample_groups(100, seed=1)
    for data in (pairs, groups):
        for score in (cb.CalibScore(), cb.ECE(), cb.MCE(), cb.Brier()):
            one = cb.score(data, score, interval=cb.Bootstrap(200, seed=1))
            same = cb.score(data, score, interval=cb.Bootstrap(200, seed=1))
            other = cb.score(data, score, interval=cb.Bootstrap(200, seed=2))
            assert (one.low, one.high) == (same.low, same.high)
            drawn = data is pairs or not isinstance(score, cb.Brier)  # else Student's t
            if drawn and not isinstance(score, cb.MCE):  # whose limits may be 0 and the value
                assert (one.low, one.high) != (other.low, other.high)


def test_groups_of_one_pair_agree_with_no_groups():
    """The robust path and the binomial path estimate the same variance from the same data."""
    pairs = synthetic.sample(4000, synthetic.inward(0.1), a=2, b=2, seed=5)
    single = cb.Pairs(pairs.y, pairs.q, group=np.arange(4000))
    many = cb.Bootstrap(20_000)  # limits of 1000 replicates vary by 0.001 with the seed
    one, other = (cb.score(each, interval=many) for each in (pairs, single))
    assert one.value == pytest.approx(other.value, abs=2e-4)
    assert one.low == pytest.approx(other.low, abs=2e-3)
    assert one.high == pytest.approx(other.high, abs=2e-3)


def test_labels_of_groups_cannot_matter():
    pairs = synthetic.sample_groups(150, seed=2)
    shuffled = np.random.default_rng(0).permutation(150)[pairs.group]
    for score in (cb.CalibScore(), cb.ECE(), cb.Brier()):
        wanted = cb.score(pairs, score)
        for labels in (pairs.group.astype(str), shuffled, -pairs.group):
            again = cb.score(cb.Pairs(pairs.y, pairs.q, group=labels), score)
            assert (again.low, again.high) == (wanted.low, wanted.high)


def test_a_few_pairs_of_one_outcome_prove_little():
    """Ten zeros at q = 0.3 happen to a calibrated model in 2.8 % of cases, thirty never."""
    assert cb.score(cb.Pairs([0] * 10, [0.3] * 10)).low == 0
    thirty = cb.score(cb.Pairs([0] * 30, [0.3] * 30))
    assert 0.15 < thirty.low < 0.28  # the 97.5 % bound on p is 0.116 (Clopper and Pearson)
    assert thirty.high == pytest.approx(0.3)
    groups = cb.Pairs([0] * 30, [0.3] * 30, group=np.repeat(np.arange(10), 3))
    assert cb.score(groups).low == 0  # ten groups are worth ten pairs


@pytest.mark.parametrize("positives", [0, 1, 2, 5, 20])
def test_predictions_of_exactly_0_still_leave_doubt(positives):
    """100 pairs at q = 0: the limits must hold the frequencies that could have given this."""
    from scipy.stats import binomtest

    y = np.repeat([1, 0], [positives, 100 - positives])
    for score in (cb.CalibScore(), cb.ECE()):
        estimate = cb.score(cb.Pairs(y, np.zeros(100)), score)
        wanted = binomtest(positives, 100).proportion_ci(0.95)
        assert estimate.high == pytest.approx(wanted.high, rel=0.25, abs=0.02)
        assert estimate.low == pytest.approx(wanted.low, rel=0.5, abs=0.01)


def test_no_limit_is_beyond_what_can_be():
    for y, q in (([0, 1, 1], [0.2, 0.5, 0.9]), ([1, 0], [0.5, 0.5]), ([1], [0.25])):
        for score in (cb.CalibScore(), cb.ECE(), cb.MCE(), cb.CalibMSE()):
            assert cb.score(cb.Pairs(y, q), score).high <= 1
    rng = np.random.default_rng(4)
    heavy = cb.Pairs([0, 1] * 50, rng.random(100), weight=rng.pareto(1, 100) + 0.01)
    assert cb.score(heavy).high <= 1


def test_errors_of_groups_that_cancel_by_chance():
    """400 groups of 5 pairs that agree: sure to about 2.5 standard errors, of 0.023 each."""
    y = np.repeat(np.arange(400) % 10 < 3, 5)
    pairs = cb.Pairs(y, np.full(2000, 0.3001), group=np.repeat(np.arange(400), 5))
    assert 0.04 < cb.score(pairs).high < 0.09


def test_one_group_has_no_interval():
    pairs = cb.Pairs([0, 1] * 50, np.linspace(0, 1, 100), group=["a"] * 100)
    for score in (cb.CalibScore(), cb.Brier()):
        with pytest.raises(UnsupportedError, match="All pairs belong to one group"):
            cb.score(pairs, score)
    assert cb.score(pairs, interval=None).low is None


def test_compressing_does_not_change_the_interval_of_a_mean():
    pairs = cb.Pairs(np.repeat([1, 0], [13, 18]), np.full(31, 0.3))
    one, other = (cb.score(each, cb.Brier()) for each in (pairs, pairs.compress()))
    assert (one.low, one.high) == pytest.approx((other.low, other.high), abs=1e-12)


def test_the_unit_of_importance_weights_does_not_matter():
    pairs = synthetic.sample(2000, synthetic.inward(0.1), seed=6)
    weight = np.random.default_rng(0).lognormal(0, 1, 2000)
    one, other = (
        cb.score(cb.Pairs(pairs.y, pairs.q, weight=scale * weight)) for scale in (1.0, 1e-6)
    )
    assert one.value == pytest.approx(other.value, rel=1e-9)
    assert one.low == pytest.approx(other.low, rel=1e-6)


def test_importance_weights_have_wider_intervals():
    pairs = synthetic.sample(3000, synthetic.inward(0.1), seed=6)
    weight = np.random.default_rng(0).lognormal(0, 1, 3000)
    weighted = cb.score(cb.Pairs(pairs.y, pairs.q, weight=weight))
    plain = cb.score(pairs)
    assert weighted.high - weighted.low > plain.high - plain.low


def test_normal_sampling_is_the_thesis(c):
    """mean ± 1.96 sd of scores of curves drawn from N(p̂, se²), clipped."""
    curve = cb.curve(c, cb.AdaptiveBins(size=400))
    rng = np.random.default_rng(3)
    se = np.sqrt(curve.p * (1 - curve.p) / curve.n)
    drawn = np.clip(rng.normal(curve.p, se, (1000, se.size)), 0, 1)
    scores = np.sqrt((curve.q - drawn) ** 2 @ curve.n / curve.n.sum())
    estimate = cb.score(
        c, cb.CalibScore(size=400, debiased=False), interval=cb.NormalSampling(seed=3)
    )
    half = 1.959963984540054 * scores.std(ddof=1)
    assert estimate.low == pytest.approx(scores.mean() - half, abs=1e-12)
    assert estimate.high == pytest.approx(scores.mean() + half, abs=1e-12)


def test_normal_sampling_misses_a_calibrated_forecaster():
    estimate = cb.score(
        synthetic.calibrated(20_000), cb.CalibScore(debiased=False), interval=cb.NormalSampling()
    )
    assert estimate.low > 0


def test_what_does_not_go_together():
    pairs = synthetic.sample(100, seed=0)
    with pytest.raises(UnsupportedError, match="Brier has none: use Bootstrap"):
        cb.score(pairs, cb.Brier(), interval=cb.NormalSampling())
    weighted = cb.Pairs(pairs.y, pairs.q, weight=pairs.q + 0.5)
    with pytest.raises(UnsupportedError, match="Importance weights need Bootstrap"):
        cb.score(weighted, interval=cb.NormalSampling())


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: cb.Bootstrap(50),
            "replicates must be a whole number from 100 to 100000, but it is 50",
        ),
        (lambda: cb.Bootstrap(1000.5), "whole number"),
        (lambda: cb.Bootstrap(10**7), "from 100 to 100000"),
        (lambda: cb.Bootstrap(seed=-1), "seed must be a whole number from 0"),
        (lambda: cb.NormalSampling(samples=1), "samples must be a whole number from 2"),
    ],
)
def test_impossible_intervals(make, message):
    with pytest.raises(ParameterError, match=message):
        make()


def test_data_without_any_gap():
    """All gaps exactly 0, but outcomes vary: 0 is the value, and the interval is not empty."""
    pairs = cb.Pairs([0, 1] * 50, np.full(100, 0.5))
    estimate = cb.score(pairs)
    assert (estimate.low, estimate.value) == (0, 0)
    assert 0 < estimate.high < 0.2


@pytest.mark.parametrize("units", ["few groups", "weights"])
def test_isotonic_scores_of_few_units_have_intervals(units):
    """Most cells then hold one unit, whose noise shows only beside the curve."""
    believed = 0
    for seed in range(20):
        if units == "few groups":
            pairs = synthetic.sample_groups(30, seed=seed)
        else:
            plain = synthetic.sample(300, a=1, b=1, seed=seed)
            weight = np.random.default_rng(seed).random(300) + 0.5
            pairs = cb.Pairs(plain.y, plain.q, weight=weight)
        found = cb.score(pairs, cb.CalibScore(cb.Isotonic()), interval=cb.Bootstrap(100))
        assert found.high - found.low > 0.02
        believed += found.low <= 1e-9
    assert believed >= 15  # of 20; 19.5 expected


def test_groups_of_perfect_predictions_are_not_proof():
    """400 items without an error bound it no better than 400 pairs do."""
    matrix = np.eye(3)[np.random.default_rng(0).integers(0, 3, 400)]
    pooled = cb.ask(cb.Labels(matrix), matrix.argmax(axis=1), cb.EveryLabel())
    assert 0.002 < cb.score(pooled).high < 0.02


@pytest.mark.parametrize("curve", [cb.AdaptiveBins(), cb.Kernel(), cb.LocalLikelihood()], ids=repr)
def test_importance_weights_have_no_unit(curve):
    plain = synthetic.sample(300, seed=1)
    weight = np.random.default_rng(1).random(300) + 0.5
    score = cb.CalibScore(curve)
    values = [
        score(cb.Pairs(plain.y, plain.q, weight=weight * unit)) for unit in (1.0, 1 / 77, 1e-300)
    ]
    assert values == pytest.approx([values[0]] * 3, rel=1e-9)
