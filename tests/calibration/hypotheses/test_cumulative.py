"""The test of cumulative differences."""

import numpy as np
import pytest

import calibrant as cb
from calibrant.calibration import hypotheses
from calibrant.errors import UnknownName
from calibrant.pairs import synthetic


def test_the_walk_by_hand():
    pairs = synthetic.sample(200, a=1, b=1, seed=4)
    order = np.argsort(pairs.q)
    walk = np.concatenate([[0], np.cumsum((pairs.y - pairs.q)[order])])
    noise = np.sqrt(np.sum(pairs.q * (1 - pairs.q)))
    spread, largest = (np.ptp(walk) / noise, np.abs(walk).max() / noise)
    assert cb.test(pairs, hypotheses.Cumulative()).statistic == pytest.approx(spread)
    assert cb.test(pairs, hypotheses.Cumulative("max")).statistic == pytest.approx(largest)


def test_a_resampled_p_value_at_its_floor_is_a_bound():
    pairs = synthetic.sample_groups(200, synthetic.inward(0.2), seed=1)
    found = cb.test(pairs, hypotheses.Cumulative(replicates=199))
    assert found.p_value == found.least == 1 / 200
    assert str(found).startswith("Cumulative(replicates=199): p ≤ 0.005. Strong evidence")
    assert "in at most 0.5 % of samples" in found.sentence
    both = cb.test(pairs, hypotheses.Joint(replicates=199))
    assert both.least == 1 / 200


def test_predictions_next_to_0_do_not_overflow():
    assert cb.test(cb.Pairs(np.zeros(40, int), np.full(40, 1e-320)), "Cumulative").p_value == 1


def test_an_unknown_statistic():
    with pytest.raises(UnknownName, match="Did you mean range"):
        hypotheses.Cumulative("rang")
