import numpy as np
import pytest

import calibrant as cb
from calibrant.calibration.gaps import losses as module
from calibrant.pairs import synthetic

PAIRS = synthetic.sample(500, seed=1)
BRIER = cb.Brier()


def test_units_are_kinds_of_pairs():
    few = cb.Pairs([0, 1, 1, 0], [0.2, 0.5, 0.5, 0.5])
    found = BRIER.evidence(few)
    assert found.groups is None
    np.testing.assert_allclose(found.total, [0.04, 0.75])
    np.testing.assert_array_equal(found.weight, [1, 3])


def test_units_are_groups():
    pairs = cb.Pairs(PAIRS.y, PAIRS.q, group=np.arange(500) % 7)
    found = BRIER.evidence(pairs)
    rows = (PAIRS.q - PAIRS.y) ** 2
    wanted = sorted(rows[np.arange(500) % 7 == g].sum() for g in range(7))
    np.testing.assert_allclose(found.total, wanted, rtol=1e-12)
    assert found.groups == 7


def test_many_kinds_are_pooled(monkeypatch):
    exact = BRIER.evidence(PAIRS)
    monkeypatch.setattr(module, "KINDS", 50)
    pooled = BRIER.evidence(PAIRS)
    assert pooled.total.size <= 50 < exact.total.size
    assert pooled.value == exact.value
    assert pooled.total.sum() == pytest.approx(exact.total.sum(), rel=1e-12)
    assert pooled.weight.sum() == 500


def test_infinite_losses_are_one_unit():
    with pytest.warns(cb.errors.CalibrantWarning, match="infinite"):
        found = cb.LogLoss().evidence(cb.Pairs([1, 0], [0.0, 0.2]))
    assert found.value == np.inf
    assert found.groups is None


@pytest.mark.filterwarnings("ignore:The groups are worth only")
@pytest.mark.parametrize("grouped", [False, True])
def test_no_limit_leaves_the_range_of_the_losses(grouped):
    """Sums of very unequal weights are rounded: means of the light rows alone exceeded 1."""
    rng = np.random.default_rng(0)
    for _ in range(20):
        y, weight = rng.integers(0, 2, 30), 10.0 ** rng.uniform(-15, 15, 30)
        group = rng.integers(0, 5, 30) if grouped else None
        wrong = cb.Pairs(y, 1 - y, weight=weight, group=group)
        found = cb.score(wrong, BRIER, interval=cb.Bootstrap(100))
        assert (found.low, found.value, found.high) == (1, 1, 1)


def test_compressed_rows_lose_more_than_their_means():
    small = cb.Pairs([1, 1], [0.4, 0.6]).compress(1)
    found = cb.score(small, BRIER)
    assert found.low <= found.value <= found.high
    assert found.value == pytest.approx((0.6**2 + 0.4**2) / 2)


def grouped_pairs(weight=None):
    group = np.arange(500) % 7
    return cb.Pairs(PAIRS.y, PAIRS.q, group=group, weight=weight)


@pytest.mark.parametrize("score", [cb.Brier(), cb.LogLoss(), cb.Spherical()], ids=repr)
def test_predictions_say_how_losses_should_vary(score):
    """Expectations and variances by counting both outcomes of every pair."""
    pairs = grouped_pairs()
    found = score.evidence(pairs)
    yes, no = score.loss(pairs.q, 1), score.loss(pairs.q, 0)
    mean = pairs.q * yes + (1 - pairs.q) * no
    variance = pairs.q * (yes - mean) ** 2 + (1 - pairs.q) * (no - mean) ** 2
    surprise = (np.where(pairs.y == 1, yes, no) - mean) ** 2
    seen = surprise.sum() / variance.sum()
    order = np.argsort(np.bincount(pairs.codes, np.where(pairs.y == 1, yes, no)))
    promise = found.promise
    np.testing.assert_allclose(promise.total, np.bincount(pairs.codes, mean)[order])
    alone = seen * np.bincount(pairs.codes, variance)[order]
    together = seen * np.bincount(pairs.codes, np.sqrt(variance))[order] ** 2
    np.testing.assert_allclose(promise.variance.alone, alone)
    np.testing.assert_allclose(promise.variance.shared, together - alone)
    assert found.expected == pytest.approx(mean.mean())


def test_a_weight_of_two_is_a_row_twice_for_promises_too():
    weight = 1 + np.arange(500) % 3
    times = np.repeat(np.arange(500), weight)
    one = BRIER.evidence(grouped_pairs(weight)).promise
    all_rows = cb.Pairs(PAIRS.y[times], PAIRS.q[times], group=(np.arange(500) % 7)[times])
    other = BRIER.evidence(all_rows).promise
    np.testing.assert_allclose(one.total, other.total)
    np.testing.assert_allclose(one.variance, other.variance)


def test_compressed_pairs_promise_the_same():
    pairs = grouped_pairs()
    one, other = (BRIER.evidence(each).promise for each in (pairs, pairs.compress()))
    np.testing.assert_allclose(one.total, other.total, rtol=1e-6)
    np.testing.assert_allclose(one.variance, other.variance, rtol=1e-6)


def test_importance_weights_promise_a_mean_alone():
    """Rows with weights depend on no other rows."""
    pairs = cb.Pairs(PAIRS.y, PAIRS.q, weight=np.linspace(0.5, 1.5, 500))
    found = BRIER.evidence(pairs)
    assert found.promise.variance is None
    q, w = pairs.q, pairs.weight
    assert found.expected == pytest.approx(np.sum(w * q * (1 - q)) / w.sum())


def test_certain_predictions_promise_no_variance():
    certain = cb.Pairs([0, 1, 1, 1], [0.0, 1.0, 1.0, 1.0], group=[0, 0, 1, 1])
    assert BRIER.evidence(certain).promise.variance is None
    assert cb.LogLoss().evidence(certain).expected == 0
