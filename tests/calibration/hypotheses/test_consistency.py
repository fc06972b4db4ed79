"""Consistency resampling."""

import numpy as np
import pytest

import calibrant as cb
from calibrant.calibration import hypotheses
from calibrant.errors import ParameterError, UnsupportedError
from calibrant.pairs import synthetic


def test_any_score_can_be_resampled():
    pairs = synthetic.sample(1000, synthetic.inward(0.1), a=1, b=1, seed=1)
    for score in (cb.Brier(), cb.LogLoss(), cb.ECE(cb.UniformBins()), cb.CalibScore(cb.Isotonic())):
        assert cb.test(pairs, hypotheses.Consistency(score, replicates=99)).p_value < 0.05


def test_whole_weights_in_floats_are_counts():
    pairs = synthetic.sample(60, synthetic.inward(0.1), a=1, b=1, seed=1)
    weight = np.random.default_rng(0).integers(1, 4, 60)
    for score in (cb.Brier(), cb.CalibScore()):
        test = hypotheses.Consistency(score, replicates=99)
        found, wanted = (
            cb.test(cb.Pairs(pairs.y, pairs.q, weight=each), test).p_value
            for each in (weight.astype(float), weight)
        )
        assert found == wanted


def test_what_cannot_be_drawn():
    with pytest.raises(UnsupportedError, match="can be drawn only if pairs are independent"):
        cb.test(synthetic.sample_groups(20, seed=1), hypotheses.Consistency(cb.Brier()))
    many = cb.Pairs([0, 1], [0.2, 0.6], weight=[10**9, 10**9])
    with pytest.raises(UnsupportedError, match="at most 10000000 pairs, but there are 2000000000"):
        cb.test(many, hypotheses.Consistency(cb.Brier()))
    with pytest.raises(ParameterError, match="A score was expected"):
        hypotheses.Consistency(3)


@pytest.mark.parametrize("q", [1e-170, 1e-320])
@pytest.mark.parametrize("score", [cb.Brier(), cb.LogLoss(), cb.CalibScore()], ids=repr)
def test_predictions_next_to_0(q, score):
    calibrated = cb.Pairs([0, 1, 0] * 20, [q, 0.5, 0.5] * 20)
    with np.errstate(divide="raise", over="raise", invalid="raise"):
        found = cb.test(calibrated, hypotheses.Consistency(score, replicates=99))
    assert 0.05 < found.p_value <= 1
