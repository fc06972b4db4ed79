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
