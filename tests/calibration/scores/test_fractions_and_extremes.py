"""Importance weights in any order, and predictions at the edge of what numbers can say."""

import warnings
from contextlib import suppress

import numpy as np
import pytest

import calibrant as cb
from calibrant.errors import CalibrantWarning, InputError, ParameterError

SCORES = [
    "CalibScore()",
    "ECE()",
    "MCE()",
    "CalibScore(UniformBins())",
    "CalibScore(Isotonic())",
    "CalibScore(Kernel(bandwidth=0.1))",
    "E50(Kernel(bandwidth=0.1))",
    "ECCE()",
    "SmoothECE()",
    "SKCE()",
    "ATB()",
    "ATB(debiased=True)",
    "Brier()",
    "LogLoss(clip=1e-9)",
]
CURVES = ["AdaptiveBins()", "UniformBins()", "Isotonic()", "Kernel(bandwidth=0.1)"]


def weighted(seed, *, grouped):
    """Pairs, as columns, with weights that are fractions and q with ties."""
    rng = np.random.default_rng(seed)
    q = rng.random(64).round(2 - seed % 2)
    y = (rng.random(64) < q).astype(int)
    weight = [rng.random(64) + 0.1, rng.integers(1, 6, 64) * 0.1][seed // 2 % 2]
    return y, q, weight, rng.integers(0, 12, 64) if grouped else None


def made(columns, rows, names=None):
    y, q, weight, group = columns
    if group is not None:
        group = (group if names is None else names[group])[rows]
    return cb.Pairs(y[rows], q[rows], weight=weight[rows], group=group)


def limits(pairs, score):
    found = cb.score(pairs, score, interval=cb.Bootstrap(100))
    return found.value, found.low, found.high


@pytest.mark.filterwarnings("ignore:All q are multiples")
@pytest.mark.parametrize("score", SCORES)
@pytest.mark.parametrize("grouped", [False, True])
def test_no_order_of_weighted_rows_moves_an_interval(score, grouped):
    for seed in range(4):
        columns = weighted(seed, grouped=grouped)
        rng = np.random.default_rng(seed)
        wanted = limits(made(columns, slice(None)), score)
        assert limits(made(columns, rng.permutation(64)), score) == wanted
        assert limits(made(columns, rng.permutation(64), rng.permutation(12)), score) == wanted


@pytest.mark.filterwarnings("ignore:All q are multiples")
@pytest.mark.parametrize("curve", CURVES)
@pytest.mark.parametrize("grouped", [False, True])
def test_no_order_of_weighted_rows_moves_a_curve(curve, grouped):
    for seed in range(4):
        columns = weighted(seed, grouped=grouped)
        rng = np.random.default_rng(seed)
        one = cb.curve(made(columns, slice(None)), curve)
        other = cb.curve(made(columns, rng.permutation(64), rng.permutation(12)), curve)
        for name in ("q", "p", "n", "se", "low", "high", "distribution"):
            np.testing.assert_array_equal(getattr(one, name), getattr(other, name))


@pytest.mark.parametrize("curve", [*CURVES, "LocalLikelihood(bandwidth=0.5)"])
@pytest.mark.parametrize("grouped", [False, True])
@pytest.mark.parametrize("small", [1e-9, 1e-20])
@pytest.mark.parametrize("below", [False, True])
def test_small_weights_have_bands(curve, grouped, small, below):
    """They are lost if they are rounded to, or subtracted from, sums that include large ones."""
    y, q, weight, group = weighted(0, grouped=grouped)
    weight = np.where((q < 0.5) == below, small, 1.0) * weight
    found = cb.curve(cb.Pairs(y, q, weight=weight, group=group), curve)
    assert np.isfinite([found.p, found.se]).all()
    assert (found.low >= 0).all()
    assert (found.low <= found.p).all()
    assert (found.p <= found.high).all()
    assert (found.high <= 1).all()


@pytest.mark.parametrize("score", ["CalibScore()", "ECCE()", "Brier()"])
def test_no_order_of_draws_moves_an_interval(score):
    rng = np.random.default_rng(0)
    yes, y = rng.binomial(8, 0.4, 60), rng.integers(0, 2, 60)
    order = rng.permutation(60)
    one, other = (cb.Pairs.from_draws(y[rows], yes[rows], 8) for rows in (slice(None), order))
    assert limits(one, score) == limits(other, score)


@pytest.mark.parametrize("weight", [[0.5, 1.7, 0.3, 2.1], [1, 2, 1, 3]])
def test_a_kernel_error_needs_two_groups(weight):
    pairs = cb.Pairs([0, 1, 1, 0], [0.3, 0.6, 0.8, 0.1], weight=weight, group=["a"] * 4)
    with pytest.raises(ParameterError, match="at least two pairs, from different groups"):
        cb.SKCE()(pairs)
    assert cb.SKCE(debiased=False)(pairs) > 0


EXTREME = {
    "equal": np.full(40, 1e-170),
    "two": np.repeat([1e-170, 3e-170], 20),
    "subnormal": np.repeat([5e-324, 1e-310], 20),
    "wide": np.repeat([1e-170, 0.5], 20),
    "below a half": np.full(40, 0.5 - 2e-12),
    "next to 1": np.repeat([1 - 2.0**-53, 1.0], 20),
}
MORE = [
    "CalibMSE()",
    "CalibScore(Kernel())",
    "ECE(LocalLikelihood())",
    "ICI(Kernel())",
    "SKCE(width=1e-320)",
    "SmoothECE('whole')",
    "Spherical()",
]


def check_score(pairs, score):
    """A result, or a refusal that says why."""
    with suppress(InputError):
        value, low, high = limits(pairs, score)
        assert low <= value <= high
        assert np.isfinite([low, high]).all()


@pytest.mark.parametrize("kind", EXTREME)
@pytest.mark.parametrize("units", ["pairs", "groups", "weights"])
def test_extreme_predictions_have_scores_and_curves(kind, units):
    """Without a traceback, and without a warning of numpy's."""
    group = np.arange(40) // 4 if units == "groups" else None
    weight = 0.5 + np.arange(40) % 7 if units == "weights" else None
    for y in (np.zeros(40, int), np.arange(40) % 2):
        pairs = cb.Pairs(y, EXTREME[kind], group=group, weight=weight)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", CalibrantWarning)
            for score in SCORES + MORE:
                check_score(pairs, score)
            for curve in CURVES:
                p = cb.curve(pairs, curve).p
                assert ((p >= 0) & (p <= 1)).all()
