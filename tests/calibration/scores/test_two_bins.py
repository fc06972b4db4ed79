"""The averaged two-bin calibration error."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import calibrant as cb
from calibrant.errors import ParameterError
from calibrant.pairs import synthetic

CHANCES = st.lists(st.floats(0, 1), min_size=5, max_size=5)


def mean_over_outcomes(q, p, score):
    """The exact mean of a score of 5 predictions q if y = 1 has probability p."""
    mean = 0.0
    for y in itertools.product([0, 1], repeat=5):
        mean += np.prod(np.where(y, p, 1 - p)) * score(cb.Pairs(list(y), q))
    return mean


def double_mean(pairs, same):
    """The mean over all pairs of rows that do not share a unit."""
    weight = np.ones(len(pairs)) if pairs.weight is None else pairs.weight
    mass = weight * (pairs.predicted - pairs.y)
    kernel = 1 - np.abs(pairs.q[:, None] - pairs.q)
    return mass @ (kernel * ~same) @ mass / (weight @ ~same @ weight)


def test_a_value_by_hand():
    """Errors 0.25, −0.125: below 0.5, between 0.5 and 0.75, above 0.75."""
    pairs = cb.Pairs([0, 1], [0.5, 0.75])
    wanted = 0.5 * 0.125**2 + 0.25 * (0.25**2 + 0.125**2) + 0.25 * 0.125**2
    assert cb.ATB()(pairs) == wanted
    assert cb.ATB(debiased=True)(pairs) == 0.75 * 0.5 * -0.25
    assert cb.ATB()(cb.Pairs([0, 1], [0.0, 1.0])) == 0
    assert cb.ATB()(cb.Pairs([1, 0], [0.0, 1.0])) == 0.5  # (½)² + (½)² for every threshold


@pytest.mark.parametrize("weighted", [False, True])
def test_the_integral_over_thresholds(weighted):
    """Predictions with two digits: 1000 thresholds between them give the exact integral."""
    rng = np.random.default_rng(0)
    q = np.concatenate([rng.random(200).round(2), [0.0, 0.0, 1.0, 1.0]])
    y = rng.integers(0, 2, q.size)
    weight = rng.integers(1, 4, q.size) if weighted else np.ones(q.size)
    mass = weight * (q - y) / weight.sum()
    t = (np.arange(1000)[:, None] + 0.5) / 1000
    below, above = ((mass * side).sum(axis=1) for side in (q < t, q >= t))
    wanted = np.mean(below**2 + above**2)
    pairs = cb.Pairs(y, q, weight=weight if weighted else None)
    assert cb.ATB()(pairs) == pytest.approx(wanted, rel=1e-12)


@pytest.mark.parametrize("units", ["pairs", "ties", "groups", "weights", "draws"])
def test_the_mean_over_two_pairs(units):
    rng = np.random.default_rng(1)
    pairs, same = synthetic.sample(400, synthetic.inward(0.1), seed=4), np.eye(400, dtype=bool)
    if units == "ties":
        pairs = cb.Pairs(pairs.y, pairs.q.round(1))
    elif units == "groups":
        group = np.arange(400) // 9
        pairs, same = cb.Pairs(pairs.y, pairs.q, group=group), group[:, None] == group
    elif units == "weights":
        pairs = cb.Pairs(pairs.y, pairs.q, weight=rng.random(400))
    elif units == "draws":
        pairs = cb.Pairs.from_draws(rng.integers(0, 2, 50), rng.binomial(8, 0.4, 50), 8)
        same = pairs.codes[:, None] == pairs.codes
    wanted, plain = double_mean(pairs, same), double_mean(pairs, np.zeros_like(same))
    assert cb.ATB(debiased=True)(pairs) == pytest.approx(wanted, rel=1e-10, abs=1e-15)
    assert cb.ATB()(pairs) == pytest.approx(plain, rel=1e-10)


@pytest.mark.parametrize("debiased", [False, True])
def test_yes_and_no_may_be_swapped(debiased):
    for pairs in (synthetic.sample(300, synthetic.inward(0.1), seed=1), synthetic.sample_groups(9)):
        swapped = cb.Pairs(1 - pairs.y, 1 - pairs.q, group=pairs.group)
        wanted = cb.ATB(debiased)(pairs)
        assert cb.ATB(debiased)(swapped) == pytest.approx(wanted, rel=1e-9, abs=1e-15)


def test_debiasing_removes_the_brier_score():
    pairs = synthetic.sample(300, synthetic.inward(0.1), seed=1)
    wanted = (300 * cb.ATB()(pairs) - cb.Brier()(pairs)) / 299
    assert cb.ATB(debiased=True)(pairs) == pytest.approx(wanted, rel=1e-12)


@given(CHANCES, CHANCES)
def test_no_report_is_better_than_the_truth(q, p):
    """Whatever is said, the mean exceeds that of the truth by the score against p itself."""
    q, p = np.array(q), np.array(p)
    truth, found = (mean_over_outcomes(each, p, cb.ATB()) for each in (p, q))
    assert truth == pytest.approx(np.sum(p * (1 - p)) / 25, abs=1e-12)
    mass = (q - p) / 5
    beyond = mass @ (1 - np.abs(q[:, None] - q)) @ mass
    assert found - truth == pytest.approx(beyond, abs=1e-12)
    assert found >= truth - 1e-12


def test_the_base_rate_gains_nothing():
    """It lowers ECE; ATB exceeds that of the truth by the variance of p, over n.

    The mean over samples is Σ p(1 − p)/n² for the truth, so 1/600 for even p, and ¼/n for ½.
    """
    rng = np.random.default_rng(5)
    p = rng.random((500, 100))
    y = (rng.random(p.shape) < p).astype(int)
    ece = cb.ECE(cb.UniformBins(count=10), debiased=False)
    found = {
        (name, repr(score)): np.array(
            [score(cb.Pairs(*each)) for each in zip(y, said, strict=True)]
        )
        for name, said in (("truth", p), ("rate", np.full_like(p, 0.5)))
        for score in (cb.ATB(), ece)
    }

    def error(values):
        return 4 * values.std() / np.sqrt(500)  # exceeded once in 16,000 times

    truth, rate = found["truth", "ATB"], found["rate", "ATB"]
    assert truth.mean() == pytest.approx(1 / 600, abs=error(truth))
    assert rate.mean() == pytest.approx(1 / 400, abs=error(rate))
    assert (rate - truth).mean() > error(rate - truth)
    gain = found["truth", repr(ece)] - found["rate", repr(ece)]
    assert gain.mean() > error(gain)


def test_debiased_errors_have_no_bias():
    score = cb.ATB(debiased=True)
    values = [score(synthetic.calibrated(200, seed=seed)) for seed in range(300)]
    assert abs(np.mean(values)) < 4 * np.std(values) / np.sqrt(300)
    groups = [score(synthetic.sample_groups(20, seed=seed)) for seed in range(300)]
    assert abs(np.mean(groups)) < 4 * np.std(groups) / np.sqrt(300)


@pytest.mark.parametrize("groups", [False, True])
def test_limits_stay_near_the_noise_if_gaps_balance(groups):
    """A calibrated model: even if all pairs of a unit agree, the mean is at most ¼ / units."""
    units = 15 if groups else 60
    draw = synthetic.sample_groups if groups else synthetic.sample
    highs = [
        cb.score(draw(units, seed=seed), cb.ATB(), interval=cb.Bootstrap(100)).high
        for seed in range(40)
    ]
    assert np.max(highs) < 10 * 0.25 / units


def test_options_and_single_pairs():
    with pytest.raises(ParameterError, match="debiased must be"):
        cb.ATB(debiased=1)
    one = cb.Pairs([1], [0.25])
    assert cb.ATB()(one) == 0.75**2
    with pytest.raises(ParameterError, match="ATB needs at least two pairs"):
        cb.ATB(debiased=True)(one)
