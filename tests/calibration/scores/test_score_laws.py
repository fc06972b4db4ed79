"""Laws that hold for every score."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_pairs import KINDS, predictions, thesis_mse

import calibrant as cb
from calibrant.errors import InputError, ParameterError
from calibrant.results.naming import REGISTRY

VARIANTS = [
    cb.CalibScore(size=30),
    cb.CalibScore(cb.UniformBins(), debiased=False),
    cb.ECE(count=10, debiased=False),
    cb.LogLoss(clip=1e-12),
    cb.CalibScore(above=0.1, below=0.9),
    cb.ATB(debiased=True),
    cb.Rule(lambda x: -((1 - x) ** 2), lambda x: -(x**2), name="my Brier"),
]
NEED_ARGUMENTS = {"LogLoss", "Rule"}  # infinite where q is wrong for certain; a function of yours
NO_LOCAL_FIT = ("tiny", "near one")  # almost all y are equal: no logistic line fits them
SCORES = VARIANTS + [
    make() for name, make in sorted(REGISTRY["score"].items()) if name not in NEED_ARGUMENTS
]


def pairs_of(kind, n=1500, **options):
    q = predictions(kind, n)
    q[:2] = 0.2, 0.8  # so that every range holds something
    return cb.Pairs((np.random.default_rng(1).random(n) < q).astype(int), q, **options)


def groups_of(n=1500):
    return np.random.default_rng(2).integers(0, 60, n)


@pytest.mark.filterwarnings("ignore:The groups are worth only")
@pytest.mark.parametrize("score", SCORES, ids=repr)
@pytest.mark.parametrize("kind", KINDS)
def test_row_order_never_matters(score, kind):
    for group in (None, groups_of()):
        pairs = pairs_of(kind, group=group)
        order = np.random.default_rng(3).permutation(len(pairs))
        again = cb.Pairs(
            pairs.y[order], pairs.q[order], group=None if group is None else group[order]
        )
        if kind in NO_LOCAL_FIT and repr(score) in ("ICI", "E50", "E90", "Emax"):
            for each in (pairs, again):
                with pytest.raises(InputError, match=r"no maximum|too few pairs for a local fit"):
                    score(each)
            continue
        assert score(again) == score(pairs)  # to the last bit
        one, other = (cb.score(each, score, interval=cb.Bootstrap(100)) for each in (pairs, again))
        assert (one.low, one.high) == (other.low, other.high)


@pytest.mark.parametrize("score", SCORES, ids=repr)
def test_a_weight_of_two_is_a_row_twice(score):
    pairs = pairs_of("rounded")
    weight = np.random.default_rng(4).integers(1, 4, len(pairs))
    for group in (None, groups_of()):
        weighted = cb.Pairs(pairs.y, pairs.q, weight=weight, group=group)
        repeated = cb.Pairs(
            np.repeat(pairs.y, weight),
            np.repeat(pairs.q, weight),
            group=None if group is None else np.repeat(group, weight),
        )
        one, other = (
            cb.score(each, score, interval=cb.Bootstrap(100)) for each in (weighted, repeated)
        )
        for name in ("value", "low", "high", "n"):
            assert getattr(one, name) == pytest.approx(getattr(other, name), abs=1e-9)


@pytest.mark.parametrize("score", SCORES, ids=repr)
def test_the_value_lies_within_its_interval(score):
    for kind in ("skewed", "mass", "rounded", "constant"):
        for group in (None, groups_of()):
            estimate = cb.score(pairs_of(kind, group=group), score, interval=cb.Bootstrap(100))
            assert estimate.low <= estimate.value <= estimate.high


@given(st.integers(1, 40), st.integers(1, 6), st.integers(0, 2**32 - 1))
def test_a_multiple_of_the_bin_size_never_raises_the_plug_in(size, times, seed):
    rng = np.random.default_rng(seed)
    pairs = cb.Pairs((rng.random(300) < 0.4).astype(int), rng.random(300))
    small = cb.CalibMSE(size=size, debiased=False)(pairs)
    large = cb.CalibMSE(size=size * times, debiased=False)(pairs)
    assert large <= small + 1e-12


def test_the_score_is_the_root_of_the_mean_square(c):
    for debiased in (True, False):
        mse = cb.CalibMSE(size=100, debiased=debiased)(c)
        assert cb.CalibScore(size=100, debiased=debiased)(c) == pytest.approx(np.sqrt(max(mse, 0)))


def test_plug_in_is_the_thesis_transcribed(c):
    for size in (50, 400):
        assert cb.CalibMSE(size=size, debiased=False)(c) == pytest.approx(
            thesis_mse(c.y, c.q, size), abs=1e-14
        )


def test_debiasing_subtracts_what_the_page_says(c):
    gaps = cb.CalibMSE(size=100).evidence(c)
    bins = gaps.bins
    wanted = np.sum(bins.n / 5000 * ((bins.q - bins.p) ** 2 - bins.p * (1 - bins.p) / (bins.n - 1)))
    assert cb.CalibMSE(size=100)(c) == pytest.approx(wanted, abs=1e-14)


def test_debiasing_with_groups_multiplies_errors_of_different_groups():
    pairs = cb.synthetic.sample_groups(50, seed=3)
    size = 40
    order = np.argsort(pairs.q)
    label = np.empty(1000, int)
    label[order] = np.minimum(np.arange(1000) // size, 1000 // size - 1)
    error = pairs.q - pairs.y
    wanted = 0.0
    for i in range(label.max() + 1):
        inside = label == i
        members = pairs.group[inside]
        apart = members[:, None] != members
        products = np.outer(error[inside], error[inside])
        wanted += inside.sum() / 1000 * products[apart].mean()
    assert cb.CalibMSE(size=size)(pairs) == pytest.approx(wanted, abs=1e-10)


def test_debiased_is_unbiased_for_a_calibrated_forecaster():
    values = [cb.CalibMSE(size=30)(cb.synthetic.calibrated(900, seed=s)) for s in range(400)]
    plugin = [
        cb.CalibMSE(size=30, debiased=False)(cb.synthetic.calibrated(900, seed=s))
        for s in range(50)
    ]
    assert abs(np.mean(values)) < 4 * np.std(values) / np.sqrt(400)
    assert np.mean(plugin) > 10 * abs(np.mean(values))


@pytest.mark.filterwarnings("ignore:The groups are worth only")
def test_bins_too_small_to_debias_are_counted():
    estimate = cb.score(cb.Pairs([0, 1, 1], [0.1, 0.5, 0.9]), cb.CalibMSE(size=1))
    assert estimate.too_small == 3
    assert estimate.value == pytest.approx(estimate.plugin)
    one_group = cb.Pairs([0, 1, 1, 0], [0.1, 0.2, 0.8, 0.9], group=["a", "a", "b", "b"])
    assert cb.score(one_group, cb.CalibMSE(size=2)).too_small == 2


def test_restriction_is_selection(c):
    score = cb.CalibScore(size=50, above=0.1, below=0.8)
    assert score(c) == cb.CalibScore(size=50)(c.select(0.1, 0.8))
    assert cb.score(c, score).n == ((c.q > 0.1) & (c.q <= 0.8)).sum()


def test_one_outcome_only():
    for y in (0, 1):
        pairs = cb.Pairs(np.full(100, y), np.linspace(0.01, 0.99, 100))
        estimate = cb.score(pairs)
        assert 0.4 < estimate.low < estimate.value < estimate.high < 0.7


def test_perfect_certainty():
    pairs = cb.Pairs([0, 1] * 50, [0.0, 1.0] * 50)
    for score in (cb.CalibScore(), cb.ECE(), cb.MCE(), cb.Brier(), cb.LogLoss()):
        estimate = cb.score(pairs, score)
        assert (estimate.low, estimate.value) == (0, 0)
        if isinstance(score, cb.CalibScore | cb.ECE):
            assert 0 < estimate.high < 0.25  # 100 right answers do not prove certainty


def test_a_single_pair():
    estimate = cb.score(cb.Pairs([1], [0.25]), [cb.CalibScore(debiased=False), cb.Brier()])
    assert estimate[0].value == pytest.approx(0.75)
    assert estimate[1].value == pytest.approx(0.5625)


def test_infinite_log_loss_is_explained():
    pairs = cb.Pairs([0, 1, 1], [0.2, 0.0, 0.9])
    with pytest.warns(cb.CalibrantWarning, match=r"1 of 3 pairs .* q = 0, y = 1"):
        estimate = cb.score(pairs, "LogLoss")
    assert estimate.value == float("inf")
    assert str(estimate) == "LogLoss inf [inf, inf]"
    assert np.isfinite(cb.LogLoss(clip=1e-9)(pairs))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: cb.MCE(debiased=True), "MCE has no debiased form"),
        (lambda: cb.CalibScore(400), r"For a bin size write CalibScore\(size=400\)"),
        (lambda: cb.CalibScore(cb.UniformBins(), size=3), "not both"),
        (lambda: cb.CalibScore(size=-1), "size must be at least 1"),
        (lambda: cb.ECE(above=0.5, below=0.5), "above must be less than below"),
        (lambda: cb.Brier(above=2), r"above must lie in \[0, 1\]"),
        (lambda: cb.LogLoss(clip=0.5), r"clip must lie in \[0, 0.5\)"),
    ],
)
def test_impossible_scores(make, message):
    with pytest.raises(ParameterError, match=message):
        make()


def test_misspelt_arguments_are_refused():
    with pytest.raises(TypeError, match="sise"):
        cb.CalibScore(sise=3)
