import numpy as np
import pytest
from sklearn.isotonic import IsotonicRegression

import calibrant as cb
from calibrant.errors import ParameterError, UnsupportedError
from calibrant.pairs import synthetic


def sklearn_curve(pairs):
    model = IsotonicRegression(y_min=0, y_max=1, out_of_bounds="clip")
    weight = None if pairs.weight is None else pairs.weight.astype(float)
    return model.fit(pairs.q, pairs.y.astype(float), sample_weight=weight)


@pytest.mark.filterwarnings("ignore:All q are multiples")
@pytest.mark.parametrize("digits", [1, 2, 12])
@pytest.mark.parametrize("weighted", [False, True])
def test_it_is_that_of_scikit_learn(digits, weighted):
    pairs = synthetic.sample(3000, synthetic.inward(0.1), seed=1)
    weight = np.random.default_rng(0).integers(1, 5, 3000) if weighted else None
    pairs = cb.Pairs(pairs.y, pairs.q.round(digits), weight=weight)
    at = np.linspace(0, 1, 501)
    curve = cb.curve(pairs, cb.Isotonic())
    np.testing.assert_allclose(curve(at), sklearn_curve(pairs).predict(at), atol=1e-12)
    assert (np.diff(curve.p) > 0).all()
    assert curve.n.sum() == pairs.n


def test_by_brute_force():
    """min over ends, max over starts, of the mean in between (the min-max formula)."""
    pairs = synthetic.sample(40, synthetic.inward(0.2), a=1, b=1, seed=3)
    y = pairs.y[np.argsort(pairs.q)].astype(float)
    means = np.array(
        [[y[a : b + 1].mean() if a <= b else np.nan for b in range(40)] for a in range(40)]
    )
    wanted = [means[: i + 1, i:].min(axis=1).max() for i in range(40)]
    np.testing.assert_allclose(cb.curve(pairs, cb.Isotonic())(np.sort(pairs.q)), wanted, atol=1e-12)


def test_row_order_cannot_matter():
    pairs = synthetic.sample(2000, synthetic.outward(0.1), seed=1)
    q = pairs.q.round(2)
    order = np.random.default_rng(1).permutation(2000)
    one = cb.curve(cb.Pairs(pairs.y, q), cb.Isotonic())
    other = cb.curve(cb.Pairs(pairs.y[order], q[order]), cb.Isotonic())
    np.testing.assert_array_equal(one.p, other.p)
    np.testing.assert_array_equal(one.low, other.low)


def test_the_consistency_band_holds_calibrated_curves():
    inside = []  # the share of each curve, whose points depend on each other
    for seed in range(20):
        pairs = synthetic.calibrated(1000, a=1, b=1, seed=seed)
        curve = cb.curve(pairs, cb.Isotonic(), band="consistency")
        inside.append(np.mean((curve.low <= curve.p) & (curve.p <= curve.high)))
    assert np.mean(inside) == pytest.approx(0.95, abs=3 * np.std(inside) / np.sqrt(20))
    wrong = synthetic.sample(2000, synthetic.inward(0.2), a=1, b=1, seed=1)
    curve = cb.curve(wrong, cb.Isotonic(), band="consistency")
    assert np.mean((curve.low <= curve.p) & (curve.p <= curve.high)) < 0.5


def test_the_confidence_band_holds_the_truth():
    t = lambda q: 0.1 + 0.8 * q  # noqa: E731
    at, inside = np.linspace(0.1, 0.9, 9), []
    for seed in range(20):
        curve = cb.curve(synthetic.sample(1000, t, a=1, b=1, seed=seed), cb.Isotonic())
        low, high = (np.interp(at, curve.q, each) for each in (curve.low, curve.high))
        inside.append(np.mean((low <= t(at)) & (t(at) <= high)))
    assert np.mean(inside) >= 0.95 - 3 * np.std(inside) / np.sqrt(20)


def test_the_confidence_band_has_a_width_at_the_ends():
    """21 pairs that are all positive do not show that the frequency is 1."""
    q = np.concatenate([np.linspace(0.1, 0.5, 30), np.linspace(0.8, 0.9, 21)])
    curve = cb.curve(cb.Pairs(np.repeat([0, 1], [30, 21]), q), cb.Isotonic())
    assert curve.p.tolist() == [0, 1]
    assert (curve.low[0], curve.high[1]) == (0, 1)
    # blocks of at most 30 and 21 pairs that all agree: Clopper and Pearson's limits for them
    assert curve.high[0] >= 1 - 0.025 ** (1 / 30)
    assert curve.low[1] <= 0.025 ** (1 / 21)


@pytest.mark.parametrize("grouped", [False, True])
def test_the_confidence_band_holds_at_the_ends(grouped):
    """80 limits at the first and the last step miss at most 5 %, plus 3 standard errors."""
    t = lambda q: 0.14 + 0.72 * q  # noqa: E731
    inside = []
    for seed in range(40):
        if grouped:
            pairs = synthetic.sample_groups(30, t, seed=seed)
        else:
            pairs = synthetic.sample(300, t, a=0.5, b=0.5, seed=seed)
        curve = cb.curve(pairs, cb.Isotonic())
        assert (np.diff(curve.low) >= 0).all()
        assert (np.diff(curve.high) >= 0).all()
        inside.append(((curve.low <= t(curve.q)) & (t(curve.q) <= curve.high))[[0, -1]])
    assert np.mean(inside) >= 0.95 - 3 * np.sqrt(0.05 * 0.95 / 80)


def test_limits_of_blocks_by_hand():
    """The lower limit uses pairs up to a prediction, the upper one those from it on."""
    from scipy.stats import binomtest

    from calibrant.calibration.curves.monotone_bands import Blocks, Counts, exact

    y = np.array([0, 1, 0, 1, 1, 1.0])
    cells = Counts(np.arange(6) / 6, np.ones(6), y, np.ones(6))
    low, high = exact(cells, Blocks(np.array([0, 2, 5]), np.array([6, 6, 5])), 0.9)
    wanted = [binomtest(k, n).proportion_ci(0.9) for k, n in ((4, 6), (3, 4))]
    np.testing.assert_allclose(low, [*(each.low for each in wanted), 0], atol=1e-12)
    np.testing.assert_allclose(high, [*(each.high for each in wanted), 1], atol=1e-12)


def test_groups_widen_the_band_and_refuse_consistency():
    pairs = synthetic.sample_groups(100, seed=1)
    widths = [
        np.interp(0.5, curve.q, curve.high - curve.low)
        for curve in (
            cb.curve(pairs, cb.Isotonic()),
            cb.curve(cb.Pairs(pairs.y, pairs.q), cb.Isotonic()),
        )
    ]
    assert widths[0] > widths[1]
    with pytest.raises(UnsupportedError, match="band='confidence'"):
        cb.curve(pairs, cb.Isotonic(), band="consistency")


def test_scores_are_plugins_with_honest_intervals():
    score = cb.CalibScore(cb.Isotonic())
    pairs = synthetic.sample(3000, synthetic.inward(0.1), a=0.5, b=0.5, seed=2)
    fitted = sklearn_curve(pairs).predict(pairs.q)
    assert score(pairs) == pytest.approx(np.sqrt(np.mean((pairs.q - fitted) ** 2)), abs=1e-12)
    estimate = cb.score(pairs, score)
    assert 0.07 < estimate.low < 0.1 < estimate.high < 0.13
    calibrated = [
        cb.score(synthetic.calibrated(300, a=1, b=1, seed=s), score, interval=cb.Bootstrap(100))
        for s in range(20)
    ]
    # 2.5 % lie beyond the lower limit: more than 3 of 20 once in 500 times
    assert sum(each.low > 0 for each in calibrated) <= 3
    with pytest.raises(ParameterError, match="Isotonic has no debiased form"):
        cb.CalibScore(cb.Isotonic(), debiased=True)
