import numpy as np
import pytest

from calibrant.calibration.groups.limits import (
    GroupMean,
    bounded_limits,
    difference_limits,
    loss_limits,
    rate_limits,
    skewed_reach,
)
from calibrant.calibration.groups.pooling import WORTH, Expected, Promise


def mean_of(total, weight, level=0.95):
    return GroupMean(np.asarray(total, float), np.asarray(weight, float), level)


@pytest.fixture
def rate():
    rng = np.random.default_rng(4)
    weight = rng.integers(5, 60, 12).astype(float)
    return mean_of(rng.binomial(weight.astype(int), rng.beta(1, 6, 12)), weight)


def turned(mean):
    return GroupMean(mean.weight - mean.total, mean.weight, mean.level)


def test_the_names_of_yes_and_no_do_not_matter(rate):
    for expected in (None, 0.4):
        low, high = rate_limits(rate, expected)
        other = rate_limits(turned(rate), None if expected is None else 1 - expected)
        assert other == pytest.approx((1 - high, 1 - low), abs=1e-14)


def test_limits_contain_the_value_and_stay_possible(rate):
    for limits in (rate_limits(rate), rate_limits(rate, 0.9), loss_limits(rate, None)):
        assert 0 < limits[0] < rate.value < limits[1]
    assert rate_limits(rate, 0.9)[1] < 1


def test_predictions_that_promise_more_raise_the_upper_limit_only(rate):
    low, high = loss_limits(rate, None)
    assert loss_limits(rate, rate.value / 2) == (low, high)
    assert loss_limits(rate, 2 * rate.value)[0] == low
    assert loss_limits(rate, 2 * rate.value)[1] > high


def test_a_promise_is_believed_no_further_than_the_data_allow(rate):
    """With many groups the limit does not matter, however wrong the predictions are."""
    many = mean_of(np.tile(rate.total, 2000), np.tile(rate.weight, 2000))
    assert loss_limits(many, 100.0)[1] == pytest.approx(loss_limits(many, None)[1], rel=0.02)


@pytest.mark.parametrize("expected", [0.02, 0.3])
def test_one_positive_in_many_groups_leaves_little_room(expected):
    """Even if the members of a group always agree, k of G equal groups are a binomial count."""
    from scipy.stats import beta

    groups = 400
    one = mean_of(np.eye(groups)[0], np.full(groups, 4.0))
    low, high = rate_limits(one, expected)
    assert low < one.value < high
    assert high < beta.ppf(0.975, 2, groups - 1)  # Clopper and Pearson's, for one of 400
    assert rate_limits(turned(one), 1 - expected) == pytest.approx((1 - high, 1 - low))


def test_many_equal_groups_have_the_limits_of_student():
    rng = np.random.default_rng(1)
    mean = mean_of(1 + 0.001 * rng.standard_normal(5000), np.ones(5000))
    assert loss_limits(mean, None) == pytest.approx(mean.symmetric(), abs=1e-7)


def test_a_bound_far_away_gives_the_limits_of_losses():
    mean = mean_of([1.0, 2.0, 3.0, 4.0, 5.0], np.ones(5))  # not skewed
    assert bounded_limits(mean, 1e9) == pytest.approx(loss_limits(mean, None), rel=1e-6)


def test_a_bound_holds_and_shortens_the_side_towards_it(rate):
    near = 1.1 * rate.value
    low, high = bounded_limits(rate, near)
    assert 0 < low < rate.value < high < near
    assert rate.value - low > high - rate.value
    units = GroupMean(7 * rate.total, rate.weight, rate.level)
    assert bounded_limits(units, 7 * near) == pytest.approx((7 * low, 7 * high), rel=1e-12)
    further = bounded_limits(rate, near, 1.5)
    assert further[0] < low
    assert high < further[1] < near


def test_no_spread_no_width():
    assert rate_limits(mean_of([1, 1, 1], [2, 2, 2])) == (0.5, 0.5)
    assert loss_limits(mean_of([0, 0], [2, 2]), 0.3) == (0, 0)
    assert skewed_reach(np.zeros(3), 1, 0.95) == 1


def test_a_difference_of_equal_means_has_no_width():
    rng = np.random.default_rng(2)
    one = mean_of(rng.random(20), np.ones(20))
    limits = rate_limits(one)
    low, high = difference_limits(one, one, limits, limits)
    assert abs(low) < limits[1] - limits[0]
    assert (low, high) == pytest.approx((-high, -low))


def test_few_groups_do_not_show_a_correlation():
    one, other = mean_of([0.1, 0.4], [1, 1]), mean_of([0.2, 0.5], [1, 1])
    of_one, of_other = rate_limits(one), rate_limits(other)
    low, _ = difference_limits(one, other, of_one, of_other)
    arms = np.hypot(one.value - of_one[0], of_other[1] - other.value)
    assert low == pytest.approx(one.value - other.value - arms)


SIZES = np.array([400.0, 90, 60, 60, 40, 30, 30, 25, 20, 20])


def promised(total, sizes=SIZES, alone=0.2):
    """Groups of pairs whose losses have this variance, and a mean of 0.3 by the predictions."""
    variance = Expected.of(alone * sizes, np.sqrt(alone) * sizes)
    return GroupMean(np.asarray(total), sizes, 0.95, Promise(0.3 * sizes, variance))


def test_pooled_limits_vary_less_from_sample_to_sample():
    """A large group that is like the others shows too little noise, or too much."""
    rng = np.random.default_rng(6)
    widths = {True: [], False: []}
    for _ in range(300):
        effect = np.clip(0.3 + 0.15 * rng.standard_normal(SIZES.size), 0, 1)
        total = rng.binomial(SIZES.astype(int), effect).astype(float)
        for pooled in (True, False):
            mean = promised(total) if pooled else mean_of(total, SIZES)
            low, high = loss_limits(mean, None)
            widths[pooled].append(high - low)
    assert np.quantile(widths[True], 0.9) < 0.8 * np.quantile(widths[False], 0.9)
    assert np.quantile(widths[True], 0.1) > np.quantile(widths[False], 0.1)


def test_what_predictions_explain_is_not_pooled():
    """Groups with larger losses than others, as predicted, show no noise."""
    rng = np.random.default_rng(7)
    noise = rng.standard_normal(SIZES.size)
    explained = SIZES * np.linspace(0.0, 0.6, SIZES.size)
    plain = promised(0.3 * SIZES + noise)
    variance = plain.promise.variance
    moved = GroupMean(explained + noise, SIZES, 0.95, Promise(explained, variance))
    corrections = [each.pooled_spread**2 - each.spread**2 for each in (plain, moved)]
    assert corrections[0] == pytest.approx(corrections[1])


def test_pooling_leaves_part_of_what_groups_show():
    total = 0.3 * SIZES
    total[0] += 200  # far more than by chance, and the promise says nothing of it
    mean = promised(total, alone=1e-9)
    assert 0.5 * mean.spread <= mean.pooled_spread < mean.spread


def test_without_a_promise_nothing_is_pooled(rate):
    assert rate.pooled_spread == rate.spread
    assert rate.pooled_halves() == (rate.half(), rate.half())
    single = GroupMean(rate.total, rate.weight, 0.95, Promise(rate.total, None))
    assert single.pooled_halves() == (rate.half(), rate.half())


def test_pooled_noise_counts_as_more_groups_above_only():
    from scipy.stats import t

    mean = promised(0.3 * SIZES + np.arange(10))
    below, above = mean.pooled_halves()
    worth = 1 / np.sum((SIZES / SIZES.sum()) ** 2)
    assert below == pytest.approx(t.ppf(0.975, worth - 1) * mean.pooled_spread)
    assert above == pytest.approx(t.ppf(0.975, SIZES.size - 1) * mean.pooled_spread)
    assert worth + WORTH > SIZES.size  # no more than there are groups
