import numpy as np
import pytest
from scipy import stats

import calibrant as cb
from calibrant.calibration import hypotheses
from calibrant.calibration.hypotheses.brownian import distance_beyond, range_beyond
from calibrant.errors import ParameterError, UnknownName, UnsupportedError
from calibrant.pairs import synthetic

A = cb.Pairs([0, 0, 1, 0, 1, 1, 0, 1], [0.1, 0.2, 0.3, 0.4, 0.6, 0.7, 0.8, 0.9])
TESTS = [
    hypotheses.Joint(replicates=399),
    hypotheses.Cumulative(replicates=399),
    hypotheses.Cumulative("max", replicates=399),
    hypotheses.Cox(),
    hypotheses.Spiegelhalter(),
    hypotheses.HosmerLemeshow(replicates=399),
    hypotheses.Consistency(replicates=199),
]


def set_b():
    rng = np.random.default_rng(20261115)
    q = np.round(rng.beta(0.5, 0.5, 1000), 1)
    return cb.Pairs((rng.random(1000) < 0.8 * q + 0.1).astype(int), q)


def set_c():
    rng = np.random.default_rng(7)
    q = rng.beta(0.3, 0.3, 5000)
    return cb.Pairs((rng.random(5000) < q**1.3).astype(int), q)


@pytest.mark.filterwarnings("ignore:All q are multiples")
def test_values_of_other_packages():
    """MAPIE, calzone, probcal and pycaleva on the sets A, B and C."""
    for pairs, z, p in ((A, 0.3553345273, 0.7223389920), (set_b(), 9.6865933310, 3.44e-22),
                        (set_c(), -1.8988335068, 0.0575863702)):  # fmt: skip
        found = cb.test(pairs, hypotheses.Spiegelhalter())
        assert found.statistic == pytest.approx(z, abs=1e-9)
        assert found.p_value == pytest.approx(p, rel=2e-3)
    for pairs, count, chi, p in ((A, 4, 3.5492350786, 0.4704316388),
                                 (set_c(), 10, 96.8508125049, 2.32e-16)):  # fmt: skip
        found = cb.test(pairs, hypotheses.HosmerLemeshow(count=count))
        assert found.statistic == pytest.approx(chi, abs=1e-8)
        assert found.p_value == pytest.approx(p, rel=5e-3)
    for pairs, largest, spread in ((A, 0.5916079922, 0.8451542689),
                                   (set_c(), 9.5342307414, 9.5342307414)):  # fmt: skip
        # MAPIE adds a little to its variance; on A exactly 0.7 / sqrt(1.4) and 1 / sqrt(1.4)
        assert cb.test(pairs, hypotheses.Cumulative("max")).statistic == pytest.approx(
            largest, rel=1e-7
        )
        assert cb.test(pairs, hypotheses.Cumulative()).statistic == pytest.approx(spread, rel=1e-7)
    assert cb.test(A, hypotheses.Cumulative("max")).statistic == pytest.approx(
        0.7 / np.sqrt(1.4), abs=1e-12
    )


def test_spiegelhalter_by_hand():
    y, q = A.y, A.q
    z = np.sum((y - q) * (1 - 2 * q)) / np.sqrt(np.sum((1 - 2 * q) ** 2 * q * (1 - q)))
    found = cb.test(A, hypotheses.Spiegelhalter())
    assert found.statistic == pytest.approx(z)
    assert found.p_value == pytest.approx(2 * stats.norm.sf(abs(z)))


def test_brownian_motion_by_simulation():
    rng = np.random.default_rng(0)
    walk = np.cumsum(rng.standard_normal((4000, 2000)), axis=1) / np.sqrt(2000)
    walk = np.concatenate([np.zeros((4000, 1)), walk], axis=1)
    furthest = np.abs(walk).max(axis=1)
    spread = walk.max(axis=1) - walk.min(axis=1)
    for x in (0.8, 1.2, 1.8, 2.5):
        assert distance_beyond(x) == pytest.approx(np.mean(furthest > x), abs=0.035)
        assert range_beyond(x) == pytest.approx(np.mean(spread > x), abs=0.035)


def test_brownian_motion_by_its_other_series():
    assert distance_beyond(2.999999) == pytest.approx(distance_beyond(3.000001), rel=1e-4)
    assert distance_beyond(2.241402728) == pytest.approx(0.05, abs=1e-6)
    assert range_beyond(0.400001) == pytest.approx(1, abs=1e-6)
    assert all(np.diff([range_beyond(x) for x in np.linspace(0.3, 6, 60)]) <= 1e-12)


def test_cox_is_a_likelihood_ratio():
    """Twice the gain of a logistic regression over the predictions themselves."""
    from scipy.optimize import minimize

    pairs = synthetic.sample(500, synthetic.inward(0.1), a=1, b=1, seed=1)
    x = np.log(pairs.q / (1 - pairs.q))

    def loss(beta):
        z = beta[0] + beta[1] * x
        return np.sum(np.logaddexp(0, z) - pairs.y * z)

    gain = 2 * (loss([0, 1]) - minimize(loss, [0, 1], tol=1e-10).fun)
    found = cb.test(pairs, hypotheses.Cox())
    assert found.statistic == pytest.approx(gain, abs=1e-5)
    assert found.p_value == pytest.approx(stats.chi2.sf(gain, 2), rel=1e-4)


@pytest.mark.parametrize("test", TESTS, ids=repr)
@pytest.mark.parametrize("groups", [False, True])
def test_calibrated_models_are_rejected_as_often_as_promised(test, groups):
    rejected = 0
    for seed in range(200):
        if groups:
            pairs = synthetic.sample_groups(100, seed=seed)
        else:
            pairs = synthetic.calibrated(600, a=1, b=1, seed=seed)
        rejected += cb.test(pairs, test).p_value < 0.05
    assert rejected <= 20  # 10 expected; 20 is beyond 99.9 %


@pytest.mark.parametrize("test", TESTS, ids=repr)
def test_wrong_models_are_found_out(test):
    for t in (synthetic.inward(0.1), synthetic.outward(0.1)):
        assert cb.test(synthetic.sample(5000, t, a=2, b=2, seed=1), test).p_value < 0.01
        assert cb.test(synthetic.sample_groups(500, t, seed=1), test).p_value < 0.05


def test_blind_to_groups_is_wrong():
    """Sentences of dependent tokens: taken for independent, they look wrong far too often."""
    rejected = 0
    for seed in range(100):
        pairs = synthetic.sample_groups(100, seed=seed)
        rejected += cb.test(cb.Pairs(pairs.y, pairs.q), hypotheses.Spiegelhalter()).p_value < 0.05
    assert rejected > 15


@pytest.mark.filterwarnings("ignore:All q are multiples")
def test_rows_and_labels_in_any_order():
    pairs = synthetic.sample_groups(60, synthetic.inward(0.05), seed=1)
    order = np.random.default_rng(0).permutation(len(pairs))
    renamed = np.random.default_rng(1).permutation(60)[pairs.group]
    for test in TESTS:
        wanted = cb.test(pairs, test)
        shuffled = cb.Pairs(pairs.y[order], pairs.q[order], group=renamed[order])
        assert cb.test(shuffled, test).p_value == pytest.approx(wanted.p_value, abs=1e-9)
        plain = cb.Pairs(pairs.y, pairs.q.round(1))
        mixed = cb.Pairs(pairs.y[order], pairs.q[order].round(1))
        assert cb.test(mixed, test).p_value == pytest.approx(cb.test(plain, test).p_value, abs=1e-9)


def test_weights_are_multiplicities():
    pairs = synthetic.sample(300, synthetic.inward(0.05), a=1, b=1, seed=1)
    weight = np.random.default_rng(0).integers(1, 4, 300)
    repeated = cb.Pairs(np.repeat(pairs.y, weight), np.repeat(pairs.q, weight))
    weighted = cb.Pairs(pairs.y, pairs.q, weight=weight)
    for test in (
        hypotheses.Cumulative(),
        hypotheses.Cox(),
        hypotheses.Spiegelhalter(),
        hypotheses.HosmerLemeshow(),
    ):
        assert cb.test(weighted, test).p_value == pytest.approx(cb.test(repeated, test).p_value)


def test_certainty():
    right, wrong = cb.Pairs([0, 1] * 20, [0.0, 1.0] * 20), cb.Pairs([0, 0] * 20, [0.0, 1.0] * 20)
    for test in TESTS:
        assert cb.test(right, test).p_value == 1
        assert cb.test(wrong, test).p_value <= 0.01


def test_any_score_can_be_resampled():
    pairs = synthetic.sample(1000, synthetic.inward(0.1), a=1, b=1, seed=1)
    for score in (cb.Brier(), cb.LogLoss(), cb.ECE(cb.UniformBins()), cb.CalibScore(cb.Isotonic())):
        assert cb.test(pairs, hypotheses.Consistency(score, replicates=99)).p_value < 0.05


def test_what_it_says():
    found = cb.test(synthetic.sample(2000, synthetic.inward(0.1), seed=1))
    assert "hardly" in found.sentence
    assert found.signature.startswith("Joint(replicates=1999, seed=0)|n=2000")
    assert float(found) == found.p_value
    assert "may be" in cb.test(synthetic.calibrated(500, seed=3)).sentence
    assert cb.test(A, "Cumulative(statistic='max')").test == "Cumulative(statistic='max')"


def test_what_cannot_be_tested():
    groups = synthetic.sample_groups(20, seed=1)
    with pytest.raises(UnsupportedError, match="can be drawn only where pairs are independent"):
        cb.test(groups, hypotheses.Consistency(cb.Brier()))
    with pytest.raises(UnsupportedError, match="only 3 groups, too few"):
        cb.test(synthetic.sample_groups(3, seed=1))
    with pytest.raises(UnsupportedError, match="Compressed pairs"):
        cb.test(groups.compress(8))
    with pytest.raises(UnknownName, match="Did you mean range"):
        hypotheses.Cumulative("rang")
    with pytest.raises(ParameterError, match="A test was expected"):
        cb.test(A, 0.05)
    with pytest.raises(ParameterError, match="A score was expected"):
        hypotheses.Consistency(3)
