import numpy as np
import pytest
from scipy import optimize, stats
from scipy.special import expit, logit, ndtri
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

import calibrant as cb
from calibrant.calibration.analyses.describing import cox_slope
from calibrant.errors import UnsupportedError
from calibrant.pairs import synthetic


def leaning(q):
    return expit(0.2 + 0.8 * logit(q))


def test_values_of_other_packages(a, c):
    """calzone and probcal agree on the slopes; the intercept at slope 1 is probcal's."""
    assert cb.describe(a).slope.value == pytest.approx(0.8048888155, abs=1e-9)
    assert cb.describe(a).intercept.value == pytest.approx(0, abs=1e-9)
    found = cb.describe(c)
    assert found.slope.value == pytest.approx(1.1037349, abs=1e-6)
    assert found.intercept.value == pytest.approx(-0.4753875, abs=1e-6)
    assert found.at_slope_1.value == pytest.approx(-0.4411656263, abs=1e-8)


def test_the_slope_alone_is_that_of_the_description():
    pairs = synthetic.sample(500, leaning, a=1, b=1, seed=4)
    grouped = cb.Pairs(pairs.y, pairs.q, group=np.arange(500) // 5)
    for each in (pairs, grouped, pairs.compress()):
        assert cox_slope(each) == cb.describe(each).slope


@pytest.mark.parametrize("digits", [1, 12])
def test_area_under_the_curve_and_line_of_scikit_learn(digits):
    pairs = synthetic.sample(3000, leaning, a=1, b=1, seed=3)
    pairs = cb.Pairs(pairs.y, np.clip(pairs.q.round(digits), 0.01, 0.99))
    found = cb.describe(pairs)
    assert found.auc.value == pytest.approx(roc_auc_score(pairs.y, pairs.q), abs=1e-12)
    x = logit(pairs.q)[:, None]
    line = LogisticRegression(C=np.inf, tol=1e-10, max_iter=1000).fit(x, pairs.y)
    assert found.slope.value == pytest.approx(line.coef_[0, 0], abs=1e-5)
    assert found.intercept.value == pytest.approx(line.intercept_[0], abs=1e-5)


def test_the_distributions_are_those_of_each_outcome():
    pairs = synthetic.sample(1000, seed=1)
    found = cb.describe(pairs)
    for shares, y in ((found.given_yes, 1), (found.given_no, 0)):
        q = pairs.q[pairs.y == y]
        wanted = np.histogram(q, 50, (0, 1))[0] / q.size
        np.testing.assert_allclose(shares, wanted, atol=1e-12)


@pytest.mark.parametrize("groups", [False, True])
def test_truth_is_covered(groups):
    covered = np.zeros(5)
    if groups:
        big = synthetic.sample_groups(10_000, leaning, seed=10_000)
    else:
        big = synthetic.sample(200_000, leaning, a=2, b=2, seed=10_000)
    names = ("base_rate", "excess", "auc", "intercept", "slope")
    truth = [getattr(cb.describe(big), name).value for name in names[:3]] + [0.2, 0.8]
    for seed in range(50):
        if groups:
            pairs = synthetic.sample_groups(60, leaning, seed=seed)
        else:
            pairs = synthetic.sample(600, leaning, a=2, b=2, seed=seed)
        found = cb.describe(pairs)
        for i, name in enumerate(names):
            estimate = getattr(found, name)
            covered[i] += estimate.low <= truth[i] <= estimate.high
    assert (covered >= 41).all(), covered  # 47.5 expected; fewer have a probability below 0.001


def test_words():
    q = np.random.default_rng(0).beta(1, 1, 20_000)
    words = {
        (0.0, 1.0): ("neither clearly over-forecast", "neither clearly"),
        (0.5, 1.0): ("under-forecast", "neither clearly"),
        (-0.5, 1.0): ("over-forecast", "neither clearly"),
        (0.0, 0.7): ("neither clearly over-forecast", "too extreme"),
        (0.0, 1.5): ("neither clearly over-forecast", "not extreme enough"),
        (0.0, -0.5): ("neither clearly", "reversed", "Check that q is the probability of y"),
    }
    for (level, slope), wanted in words.items():
        rng = np.random.default_rng(6)
        pairs = cb.Pairs(rng.random(q.size) < expit(level + slope * logit(q)), q)
        sentence = cb.describe(pairs).sentence
        assert all(each in sentence for each in wanted), sentence


def test_row_order_weights_and_compression_change_nothing():
    pairs = synthetic.sample_groups(40, seed=2)
    order = np.random.default_rng(0).permutation(len(pairs))
    again = cb.describe(pairs.take(order))
    found = cb.describe(pairs)
    for name in again.to_dict():
        for end in ("value", "low", "high"):
            assert getattr(getattr(again, name), end) == pytest.approx(
                getattr(getattr(found, name), end), rel=1e-12, abs=1e-12
            )
    plain = cb.Pairs(pairs.y, pairs.q.round(2))
    twice = cb.describe(cb.Pairs(plain.y, plain.q, weight=np.full(len(plain), 2)))
    repeated = cb.describe(cb.Pairs(np.tile(plain.y, 2), np.tile(plain.q, 2)))
    small = cb.describe(plain.compress())
    for name in twice.to_dict():
        one, other = getattr(twice, name), getattr(repeated, name)
        assert one.low == pytest.approx(other.low, abs=1e-9)
        same = getattr(cb.describe(plain), name)
        assert getattr(small, name).low == pytest.approx(same.low, abs=1e-9)


def test_what_cannot_be_known_is_not_made_up():
    found = cb.describe(cb.Pairs([1, 1, 1], [0.2, 0.3, 0.4]))
    assert np.isnan(found.auc.value)
    assert np.isnan(found.slope.value)
    assert found.base_rate.low == pytest.approx(0.4385, abs=1e-3)  # Wilson's, of 3 of 3
    apart = cb.describe(cb.Pairs([0, 0, 1, 1], [0.1, 0.2, 0.7, 0.8]))
    assert apart.auc.value == 1
    assert apart.auc.low is None
    assert np.isnan(apart.slope.value)  # the likelihood has no maximum
    assert "no slope can be fitted" in apart.sentence
    constant = cb.describe(cb.Pairs([0, 1, 1, 0, 1], [0.4] * 5))
    assert np.isnan(constant.slope.value)
    assert constant.at_slope_1.value == pytest.approx(logit(0.6) - logit(0.4))
    assert cb.describe(cb.Pairs([1], [0.3])).excess.low is None
    assert "leaves out 3 pairs" in str(cb.describe(cb.Pairs([1, 0, 1, 0], [1.0, 0.0, 1.0, 0.5])))
    ends = cb.describe(cb.Pairs([1, 0, 1, 0], [1.0, 0.0, 1.0, 0.5]))
    assert ends.certain == 3
    with pytest.raises(UnsupportedError, match="one group"):
        cb.describe(cb.Pairs([0, 1], [0.2, 0.6], group=["a", "a"]))


def test_picture(c):
    ax = cb.plot(cb.describe(c))
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["$y = 0$", "$y = 1$"]
    assert "AUC 0.954" in ax.get_xlabel()


def test_reversed_predictions_are_called_reversed():
    """Their AUC is below one half and their slope below 0: extreme is not what is wrong."""
    pairs = synthetic.sample(2000, lambda q: 1 - q, a=1, b=1, seed=1)
    found = cb.describe(pairs)
    assert found.auc.high < 0.5
    assert found.slope.high < 0
    assert "predictions are reversed (slope -" in found.sentence
    assert "high predictions go with low frequencies" in found.sentence
    assert "too extreme" not in found.sentence


def test_intervals_stay_within_what_is_possible():
    """Student's t of two groups reaches 12.7 standard errors."""
    pairs = cb.Pairs([1, 1, 0, 0], [0.0, 0.1, 1.0, 0.9], group=[0, 0, 1, 1])
    with pytest.warns(cb.CalibrantWarning, match="worth only 2.0 groups of equal size"):
        found = cb.describe(pairs)
    assert -1 <= found.excess.low < -0.9
    assert 0.9 < found.excess.high <= 1
    for each in (found.base_rate, found.mean, found.auc):
        assert each.low is None or 0 <= each.low <= each.value <= each.high <= 1
    assert found.mean.high - found.mean.low > 0.9


def unequal(seed):
    """Calibrated pairs in ten groups of very different size, which share an effect on y.

    The effect follows the bridge distribution, so that it leaves P(y = 1 | q) = q as it is.
    """
    rng = np.random.default_rng(seed)
    sizes = np.rint(100 * np.exp(ndtri((np.arange(10) + 0.5) / 10))).astype(int)
    group = np.repeat(np.arange(10), sizes)
    x = 1.3 * (rng.standard_normal(10)[group] + rng.standard_normal(group.size)) - 1
    u = rng.random(10)
    effect = np.log(np.sin(0.7 * np.pi * u) / np.sin(0.7 * np.pi * (1 - u))) / 0.7
    y = rng.random(group.size) < expit(x / 0.7 + effect[group])
    return cb.Pairs(y.astype(int), expit(x), group=group)


def test_few_and_unequal_groups_are_covered():
    """The slope is the hardest: 93 % of 1000 simulations; 250 here, four standard errors."""
    found = [cb.describe(unequal(seed)) for seed in range(250)]
    slope = np.mean([each.slope.low <= 1 <= each.slope.high for each in found])
    excess = np.mean([each.excess.low <= 0 <= each.excess.high for each in found])
    assert slope > 0.93 - 4 * np.sqrt(0.93 * 0.07 / 250)
    assert excess > 0.95 - 4 * np.sqrt(0.95 * 0.05 / 250)


def test_limits_of_a_mean_solve_the_equation_of_wilson():
    """(x − mean)² = (t · longer · standard error)² · x(1 − x) / (mean (1 − mean))."""
    pairs = unequal(1)
    found = cb.describe(pairs).mean
    shifts = np.array([found.value - pairs.q[pairs.codes != g].mean() for g in range(10)])
    spread = np.sqrt(np.sum(shifts**2))
    size, held = np.bincount(pairs.codes), np.bincount(pairs.codes, pairs.q)
    worth = [each.sum() ** 2 / np.sum(each**2) for each in (size, held, size - held)]
    far = stats.t.ppf(0.975, np.sqrt(worth[0] * min(worth)) - 1) * spread
    for side, x in ((-1, found.low), (1, found.high)):
        skewness = np.sum((shifts / spread) ** 3)
        longer = 1 + max(side * skewness, 0) * stats.norm.ppf(0.975) / 3
        ratio = (far * longer) ** 2 / (found.value * (1 - found.value))
        assert (x - found.value) ** 2 == pytest.approx(ratio * x * (1 - x))


def test_the_slope_s_limits_are_where_the_score_test_rejects():
    """The statistic at each limit is the quantile of Student's t, by a direct computation."""
    pairs = synthetic.sample_groups(30, seed=3)
    found = cb.describe(pairs).slope
    x, y = logit(pairs.q), pairs.y
    for slope in (found.low, found.high):
        intercept = optimize.brentq(lambda a, b: np.sum(y - expit(a + b * x)), -20, 20, (slope,))
        p = expit(intercept + slope * x)
        variance = p * (1 - p)
        away = x - np.sum(variance * x) / np.sum(variance)
        score = np.bincount(pairs.codes, away * (y - p))
        ratio = np.sum(variance * away**2) / np.sum((away * (y - p)) ** 2)
        spread = np.sqrt(np.sum(score**2) * max(ratio, 1) ** 1.5)
        assert abs(score.sum()) / spread == pytest.approx(stats.t.ppf(0.975, 29), rel=1e-3)


def test_a_group_that_dominates():
    """It has 90 % of the pairs, so little is known, and the description says so."""
    pairs = unequal(2)
    big = 9 * len(pairs)
    y = np.concatenate([np.arange(big) % 2, pairs.y])
    q = np.concatenate([np.tile(pairs.q, 9), pairs.q])
    group = np.concatenate([np.zeros(big, int), 1 + pairs.codes])
    with pytest.warns(cb.CalibrantWarning, match="worth only 1.2 groups"):
        found = cb.describe(cb.Pairs(y, q, group=group))
    assert found.base_rate.high - found.base_rate.low > 0.5


def test_extreme_weights_do_not_divide_by_zero():
    pairs = cb.Pairs([1, 0], [0.4, 0.5], weight=[1.0, 1e-75])
    found = cb.describe(pairs)
    assert found.base_rate.value == 1
    assert 0 < found.base_rate.low < 1
