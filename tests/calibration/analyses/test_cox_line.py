import numpy as np
import pytest

import calibrant as cb
from calibrant.calibration.analyses.cox_line import RowLogits, SlopeTest, fitted


def pairs_in_groups(seed=0):
    generator = np.random.default_rng(seed)
    group = np.repeat(np.arange(12), 40)
    x = generator.normal(size=480) + generator.normal(size=12)[group]
    y = generator.random(480) < 1 / (1 + np.exp(-0.6 * x))
    return cb.Pairs(y.astype(int), 1 / (1 + np.exp(-x)), group=group)


def test_limits_are_the_slopes_at_which_the_test_begins_to_reject():
    pairs = pairs_in_groups()

    def sums(values):
        return np.bincount(pairs.group, values(RowLogits.of(pairs, slice(None))))

    test = SlopeTest(fitted(pairs, sloped=True), sums, 0.95)
    slope = cb.describe(pairs).slope
    assert slope.low < 0.6 < slope.high
    for limit, inward in ((slope.low, 0.01), (slope.high, -0.01)):
        assert test.beyond(limit) == pytest.approx(0, abs=1e-3)
        assert test.beyond(limit + inward) < 0 < test.beyond(limit - inward)


def test_yes_and_no_may_be_swapped():
    pairs = pairs_in_groups(1)
    other = cb.Pairs(1 - pairs.y, 1 - pairs.q, group=pairs.group)
    slope, turned = cb.describe(pairs).slope, cb.describe(other).slope
    assert [turned.low, turned.high] == pytest.approx([slope.low, slope.high], rel=1e-6)


@pytest.mark.filterwarnings("ignore:The groups are worth")
def test_steep_slopes_leave_no_variance():
    """Two values of q, both close to 1: doubling the slope soon makes all probabilities 0 or 1."""
    pairs = cb.Pairs([1, 0, 1, 0], [0.95, 0.98, 0.98, 0.95], group=[0, 0, 1, 1])
    found = cb.describe(pairs)
    assert found.slope.low <= found.slope.value <= found.slope.high
