import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_pairs import KINDS, predictions, thesis_steps, walk_ties

import calibrant as cb
from calibrant.calibration.curves import binned
from calibrant.errors import ParameterError, UnknownName


def pairs_of(kind, n=2000, seed=0):
    q = predictions(kind, n, seed)
    return cb.Pairs((np.random.default_rng(seed).random(n) < q).astype(int), q)


@given(
    st.lists(
        st.tuples(st.integers(0, 1), st.sampled_from([0, 0.1, 0.25, 0.5, 0.9, 1])), min_size=1
    ),
    st.integers(1, 12),
)
def test_adaptive_bins_follow_the_tie_rule(rows, size):
    y, q = np.array(rows).T
    bins = cb.AdaptiveBins(size=size).bins(cb.Pairs(y, q))
    np.testing.assert_allclose(bins[:3], walk_ties(y, q, size), rtol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_small_and_large_data_take_the_same_bins(kind, monkeypatch):
    pairs = pairs_of(kind)
    for bins in (cb.AdaptiveBins(), cb.AdaptiveBins(count=7), cb.UniformBins(count=9)):
        small = bins.make_bins(pairs)
        monkeypatch.setattr(binned, "LARGE", 0)
        monkeypatch.setattr("calibrant.calibration.curves.adaptive.LARGE", 0)
        large = bins.make_bins(pairs)
        counts = binned.distribution_of(pairs)
        monkeypatch.undo()
        np.testing.assert_allclose(small[:3], large[:3], rtol=1e-9, atol=1e-15)
        np.testing.assert_array_equal(counts, binned.distribution_of(pairs))


def test_distinct_predictions_give_the_steps_of_the_thesis(c):
    for size in (1, 7, 400, 4999, 5000, 9000):
        bins = cb.AdaptiveBins(size=size).bins(c)
        np.testing.assert_allclose(bins[:3], thesis_steps(c.y, c.q, size), rtol=1e-12)


def test_ties_are_never_ordered_by_y():
    """A constant forecaster: sorting pairs as tuples would show an error of 0.248."""
    y = np.repeat([0, 1], [475, 525])
    pairs = cb.Pairs(y, np.full(1000, 0.475))
    assert cb.CalibMSE(size=10, debiased=False)(pairs) == pytest.approx(0.0025)


def test_default_size_and_count():
    pairs = pairs_of("skewed", 2025)
    assert len(cb.curve(pairs)) == 25
    assert (cb.curve(pairs).n == 81).all()
    assert len(cb.curve(pairs, cb.AdaptiveBins(count=15))) == 15
    assert len(cb.curve(pairs, cb.AdaptiveBins(count=44))) == 44


def test_weights_are_rows():
    pairs = pairs_of("rounded")
    weight = np.random.default_rng(1).integers(1, 4, len(pairs))
    weighted = cb.Pairs(pairs.y, pairs.q, weight=weight)
    repeated = cb.Pairs(np.repeat(pairs.y, weight), np.repeat(pairs.q, weight))
    for bins in (cb.AdaptiveBins(), cb.AdaptiveBins(size=100), cb.UniformBins()):
        one, other = cb.curve(weighted, bins), cb.curve(repeated, bins)
        for name in ("q", "p", "n", "se", "low", "high"):
            np.testing.assert_allclose(getattr(one, name), getattr(other, name), rtol=1e-10)


def test_fractional_weights_fill_bins():
    weight = np.where(np.arange(20) % 2, 0.1, 0.3)
    for unit in (1.0, 1e-300, 1e300):  # importance weights have none
        pairs = cb.Pairs([0, 1] * 10, np.linspace(0.1, 0.9, 20), weight=weight * unit)
        np.testing.assert_allclose(cb.AdaptiveBins(size=10).bins(pairs).n, [10, 10])


def test_uniform_edges_are_those_of_linspace():
    edges = np.linspace(0, 1, 11)
    curve = cb.curve(cb.Pairs(np.zeros(11, int), edges), cb.UniformBins(count=10))
    assert curve.n.tolist() == [1] * 9 + [2]  # every edge begins its bin; 1.0 joins the last
    assert cb.curve(cb.Pairs([0, 1], [0.95, 1.0]), cb.UniformBins(count=10)).n.tolist() == [2]
    assert curve(edges[:-2]).size == 9


def test_wilson_band_is_that_of_scipy(c):
    from scipy.stats import binomtest

    curve = cb.curve(c, cb.AdaptiveBins(count=20), level=0.9)
    for k in range(len(curve)):
        test = binomtest(round(curve.p[k] * curve.n[k]), int(curve.n[k]))
        wanted = test.proportion_ci(0.9, method="wilson")
        assert (curve.low[k], curve.high[k]) == pytest.approx((wanted.low, wanted.high), abs=1e-12)


def test_wald_band_is_the_thesis(c):
    curve = cb.curve(c, band="wald")
    np.testing.assert_allclose(curve.se, np.sqrt(curve.p * (1 - curve.p) / curve.n))
    inside = (curve.p > 0.3) & (curve.p < 0.7)
    np.testing.assert_allclose(
        (curve.high - curve.p)[inside], 1.959964 * curve.se[inside], rtol=1e-6
    )
    pure = curve.p == 0
    assert pure.any()
    assert (curve.high[pure] == 0).all()
    assert (cb.curve(c).high[pure] > 0).all()  # Wilson's has a width there


def test_bands_widen_with_groups_and_cover():
    """95 % bands of dependent tokens must cover about 95 %; taken as independent they do not."""
    inside = {True: [], False: []}
    for seed in range(60):
        pairs = cb.synthetic.sample_groups(100, seed=seed)
        plain = cb.Pairs(pairs.y, pairs.q)
        for grouped, data in ((True, pairs), (False, plain)):
            curve = cb.curve(data, cb.AdaptiveBins(size=200))
            inside[grouped] += ((curve.low <= curve.q) & (curve.q <= curve.high)).tolist()
    assert np.mean(inside[True]) > 0.92
    assert np.mean(inside[False]) < 0.90


def test_curve_lies_in_the_unit_square():
    for kind in KINDS:
        curve = cb.curve(pairs_of(kind))
        for values in (curve.q, curve.p, curve.low, curve.high):
            assert (values >= 0).all()
            assert (values <= 1).all()
        assert (curve.low <= curve.p).all()
        assert (curve.p <= curve.high).all()
        assert curve.distribution.sum() == 2000


def test_numbers_of_numpy_are_numbers():
    assert repr(cb.CalibScore(size=np.int64(10), above=np.float64(0.1))) == (
        "CalibScore(size=10, above=0.1)"
    )
    assert cb.UniformBins(count=np.int32(3)) == cb.UniformBins(count=3)


def test_weights_that_swallow_the_size_end():
    pairs = cb.Pairs([0, 1, 1], [0.1, 0.2, 0.3], weight=[1e20, 1.0, 1.0])
    assert cb.AdaptiveBins(size=1).bins(pairs).n.sum() == pytest.approx(3)  # they count nothing


def test_the_unit_of_importance_weights_does_not_change_the_band():
    pairs = pairs_of("skewed", 1000)
    weight = np.random.default_rng(0).random(1000)
    one, other = (
        cb.curve(cb.Pairs(pairs.y, pairs.q, weight=k * weight), cb.AdaptiveBins(count=4))
        for k in (1.0, 1e-3)
    )
    np.testing.assert_allclose(one.se, other.se)


def test_only_probabilities_have_an_answer(c):
    assert np.isnan(cb.curve(c)([-0.1, 1.1, np.nan])).all()


def test_evaluation_gives_each_bin_its_frequency(c):
    for bins in (cb.AdaptiveBins(), cb.UniformBins()):
        curve = cb.curve(c, bins)
        np.testing.assert_allclose(curve(curve.q), curve.p)
        assert np.mean(curve(c.q)) == pytest.approx(np.mean(c.y))


def test_tables(a):
    curve = cb.curve(a, cb.AdaptiveBins(size=4))
    assert curve.to_frame().columns == ["q", "p", "n", "se", "low", "high"]
    assert "0.2500" in str(curve)
    assert "<table>" in curve._repr_html_()
    assert (
        repr(curve)
        == f"Curve(2 points, AdaptiveBins(size=4)|n=8|wilson|level=0.95|calibrant={cb.__version__})"
    )


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: cb.AdaptiveBins(size=0), "size must be at least 1, but it is 0"),
        (lambda: cb.AdaptiveBins(size=float("nan")), "size must be a number, but it is nan"),
        (lambda: cb.AdaptiveBins(size="9"), "size must be a number, but it is '9'"),
        (lambda: cb.AdaptiveBins(size=True), "size must be a number"),
        (lambda: cb.AdaptiveBins(count=2.5), "whole number"),
        (lambda: cb.AdaptiveBins(size=3, count=4), "not both"),
        (lambda: cb.UniformBins(count=0), "count must be a whole number from 1 to"),
    ],
)
def test_impossible_bins(make, message):
    with pytest.raises(ParameterError, match=message):
        make()


def test_impossible_curves(a):
    with pytest.raises(ParameterError, match=r"For 95 % write level=0.95"):
        cb.curve(a, level=95)
    with pytest.raises(
        UnknownName, match=r"no band of AdaptiveBins 'wilso'. Did you mean wilson\?"
    ):
        cb.curve(a, band="wilso")
    with pytest.raises(ParameterError, match="A curve was expected"):
        cb.curve(a, 400)
