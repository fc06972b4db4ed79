"""Values on which other packages agree (release versions of November 2026)."""

import numpy as np
import pytest
from made_pairs import set_a, set_c
from scipy.special import expit

import calibrant as cb


def plug(score, bins):
    return score(bins, debiased=False)


EQUAL_COUNT = {
    # score: values on A (4 bins) and C (10 bins); uncertainty-calibration, calibre, probcal agree
    cb.ECE: (0.25, 0.0409734323),
    cb.CalibScore: (0.2692582404, 0.0577298229),
}
EQUAL_WIDTH = {
    # A (4 bins), B and C (10 bins); calibre, probcal, relplot, torchmetrics in float64 agree
    cb.ECE: (0.25, 0.0752, 0.0408246671),
    cb.CalibScore: (0.2692582404, 0.0786273214, 0.0595885021),
}


@pytest.mark.parametrize("score", EQUAL_COUNT)
def test_equal_count(score, a, c):
    wanted = EQUAL_COUNT[score]
    assert plug(score, cb.AdaptiveBins(count=4))(a) == pytest.approx(wanted[0], abs=1e-10)
    assert plug(score, cb.AdaptiveBins(count=10))(c) == pytest.approx(wanted[1], abs=1e-10)


@pytest.mark.parametrize("score", EQUAL_WIDTH)
def test_equal_width(score, a, b, c):
    wanted = EQUAL_WIDTH[score]
    assert plug(score, cb.UniformBins(count=4))(a) == pytest.approx(wanted[0], abs=1e-10)
    assert plug(score, cb.UniformBins(count=10))(b) == pytest.approx(wanted[1], abs=1e-10)
    assert plug(score, cb.UniformBins(count=10))(c) == pytest.approx(wanted[2], abs=1e-10)


def test_largest_gaps(a, b, c):
    assert cb.MCE(count=4)(a) == pytest.approx(0.35)
    assert cb.MCE(count=10)(c) == pytest.approx(0.1111081101, abs=1e-10)  # probcal, netcal
    assert cb.MCE(cb.UniformBins(count=10))(b) == pytest.approx(0.1092436975, abs=1e-10)
    assert cb.MCE(cb.UniformBins(count=10))(c) == pytest.approx(0.1564655316, abs=1e-10)


def test_debiased_squared_error(a, c):
    """uncertainty-calibration and calibre, equal count."""
    assert cb.CalibMSE(count=4)(a) == pytest.approx(-0.0525)
    assert cb.CalibScore(count=4)(a) == 0
    assert cb.CalibMSE(count=10)(c) == pytest.approx(0.0031582042, abs=1e-10)
    assert cb.CalibScore(count=10)(c) == pytest.approx(0.0561979021, abs=1e-10)


@pytest.mark.filterwarnings("ignore:All q are multiples")
def test_our_tie_rule_on_b(b):
    """B has 11 distinct predictions; packages differ on which of them share one of 10 bins.

    Ours goes by middle ranks, so the counts 119 115 78 76 74 71 56 79 83 113 136 of 0.0, 0.1, ...
    1.0 decide: only 0.4 and 0.5 share a bin. No bin mixes over- with under-forecasts, so ECE is
    0.0752, as with one bin per distinct value (and in probcal, MAPIE and netcal);
    uncertainty-calibration and calibre part B by rank and get 0.0688. The root mean square depends
    on the bins: 0.0792 here, 0.0769 there.
    """
    curve = cb.curve(b, cb.AdaptiveBins(count=10))
    assert curve.n.tolist() == [119, 115, 78, 76, 74 + 71, 56, 79, 83, 113, 136]
    assert cb.ECE(count=10, debiased=False)(b) == pytest.approx(0.0752, abs=1e-12)
    assert cb.ECE(size=1, debiased=False)(b) == pytest.approx(0.0752, abs=1e-12)
    assert cb.CalibScore(count=10, debiased=False)(b) == pytest.approx(0.0792268567, abs=1e-10)
    assert cb.MCE(count=10)(b) == pytest.approx(0.1092436975, abs=1e-10)


def test_proper_scores(a, b, c):
    """All packages agree on Brier; log loss is scikit-learn's, whose clip is the machine's."""
    assert [cb.Brier()(each) for each in (a, b, c)] == pytest.approx([0.2, 0.17982, 0.0885829194])
    assert cb.LogLoss()(a) == pytest.approx(0.5782001864, abs=1e-10)
    assert cb.LogLoss()(c) == pytest.approx(0.2796874217, abs=1e-10)
    clip = float(np.finfo(float).eps)
    assert cb.LogLoss(clip=clip)(b) == pytest.approx(1.3898627407, abs=1e-10)


def test_order_of_tied_rows():
    """0.0087 exactly, for every permutation; several packages give as many values as orders."""
    rng = np.random.default_rng(7)
    q = rng.choice([0.05, 0.5, 0.95], size=3000, p=[0.4, 0.3, 0.3])
    y = (rng.random(3000) < q).astype(int)
    score = cb.ECE(size=1, debiased=False)
    values = set()
    for _ in range(20):
        order = rng.permutation(3000)
        values.add(score(cb.Pairs(y[order], q[order])))
    assert len(values) == 1
    assert values.pop() == pytest.approx(0.0087, abs=1e-12)


@pytest.mark.parametrize("make", [set_a, set_c])
def test_against_other_packages(make):
    probcal = pytest.importorskip("probcal.metrics")
    from sklearn.calibration import calibration_curve
    from sklearn.metrics import brier_score_loss, log_loss

    y, q = make()
    pairs, count = cb.Pairs(y, q), 4 if q.size == 8 else 10
    bins = cb.AdaptiveBins(count=count)
    assert plug(cb.ECE, bins)(pairs) == pytest.approx(probcal.ece(y, q, n_bins=count), abs=1e-12)
    curve = cb.curve(pairs, bins)
    p, mean = calibration_curve(y, q, n_bins=count, strategy="quantile")
    np.testing.assert_allclose(curve.p, p, atol=1e-12)
    np.testing.assert_allclose(curve.q, mean, atol=1e-12)
    assert cb.Brier()(pairs) == pytest.approx(brier_score_loss(y, q), abs=1e-12)
    assert cb.LogLoss()(pairs) == pytest.approx(log_loss(y, q), abs=1e-12)


def test_debiased_ece_is_that_of_kumar_liang_and_ma(c):
    """Twice the plug-in minus the mean over normal resamples; ours is their limit."""
    gaps = cb.ECE(count=50).evidence(c)
    bins = gaps.bins
    rng = np.random.default_rng(0)
    se = np.sqrt(bins.p * (1 - bins.p) / bins.n)
    drawn = np.abs(bins.q - rng.normal(bins.p, se, (200_000, se.size))) @ gaps.share
    plugin = cb.ECE(count=50, debiased=False)(c)
    error = 4 * drawn.std() / np.sqrt(drawn.size)
    assert cb.ECE(count=50)(c) == pytest.approx(2 * plugin - drawn.mean(), abs=error)


def test_logits_pass_through_expit():
    z = np.random.default_rng(1).normal(0, 3, 500)
    y = (np.random.default_rng(2).random(500) < expit(z)).astype(int)
    with pytest.raises(cb.errors.InputError, match="expit"):
        cb.Pairs(y, z)
    assert cb.CalibScore()(cb.Pairs(y, expit(z))) < 0.1
