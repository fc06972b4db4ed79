import re

import numpy as np
import pytest
from made_pairs import set_a, set_b, set_c

import calibrant as cb
from calibrant.calibration import hypotheses
from calibrant.errors import ParameterError, UnsupportedError
from calibrant.pairs import synthetic

A, B, C = (cb.Pairs(*made()) for made in (set_a, set_b, set_c))
TESTS = [
    hypotheses.Joint(replicates=199),
    hypotheses.Cumulative(replicates=199),
    hypotheses.Cumulative("max", replicates=199),
    hypotheses.Cox(replicates=199),
    hypotheses.Spiegelhalter(replicates=199),
    hypotheses.HosmerLemeshow(replicates=199),
    hypotheses.Consistency(replicates=199),
]


@pytest.mark.filterwarnings("ignore:All q are multiples")
def test_values_of_other_packages():
    """MAPIE, calzone, probcal and pycaleva on the sets A, B and C."""
    spiegelhalter = (
        (A, 0.3553345273, 0.7223389920),
        (B, 9.6865933310, 3.44e-22),
        (C, -1.8988335068, 0.0575863702),
    )
    for pairs, z, p in spiegelhalter:
        found = cb.test(pairs, hypotheses.Spiegelhalter())
        assert found.statistic == pytest.approx(z, abs=1e-9)
        assert found.p_value == pytest.approx(p, rel=2e-3)
    for pairs, count, chi in ((A, 4, 3.5492350786), (C, 10, 96.8508125049)):
        found = cb.test(pairs, hypotheses.HosmerLemeshow(count=count))
        assert found.statistic == pytest.approx(chi, abs=1e-8)
    assert found.p_value == found.least  # they say 2.3e-16, by chi-squared
    for pairs, largest, spread in (
        (A, 0.5916079922, 0.8451542689),
        (C, 9.5342307414, 9.5342307414),
    ):
        # MAPIE adds a little to its variance; on A exactly 0.7 / sqrt(1.4) and 1 / sqrt(1.4)
        assert cb.test(pairs, hypotheses.Cumulative("max")).statistic == pytest.approx(
            largest, rel=1e-7
        )
        assert cb.test(pairs, hypotheses.Cumulative()).statistic == pytest.approx(spread, rel=1e-7)
    assert cb.test(A, hypotheses.Cumulative("max")).statistic == pytest.approx(
        0.7 / np.sqrt(1.4), abs=1e-12
    )


@pytest.mark.parametrize("test", TESTS, ids=repr)
@pytest.mark.parametrize("groups", [False, True])
def test_calibrated_models_are_rejected_as_often_as_promised(test, groups):
    rejected = 0
    for seed in range(60):
        if groups:
            pairs = synthetic.sample_groups(60, size=10, seed=seed)
        else:
            pairs = synthetic.calibrated(300, a=1, b=1, seed=seed)
        rejected += cb.test(pairs, test).p_value < 0.05
    assert rejected <= 10  # 3 expected; more have a probability below 0.0003


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


def test_what_it_says():
    found = cb.test(synthetic.sample(2000, synthetic.inward(0.1), seed=1))
    assert found.sentence == (
        "Strong evidence of miscalibration: a calibrated model would look this wrong in less than "
        "0.05 % of samples."
    )
    assert found.signature.startswith("Joint(replicates=1999, seed=0)|n=2000")
    assert float(found) == found.p_value
    assert cb.test(synthetic.calibrated(500, seed=3)).sentence.startswith("No evidence")
    assert cb.test(A, "Cumulative(statistic='max')").test == "Cumulative(statistic='max')"


DEGENERATE = {
    "all certain": ([0, 1] * 10, [0.0, 1.0] * 10),
    "all certain but one": ([0, 1] * 10, [0.0, 1.0] * 9 + [0.0, 0.5]),
    "all one half": ([0, 1] * 10, [0.5] * 20),
    "one value of q": ([0, 1] * 10, [0.3] * 20),
    "next to 0": ([0] * 20, [1e-320] * 20),
    "next to 0, and wrong": ([0, 1] * 10, [1e-30] * 20),
    "next to 1": ([1] * 20, [1 - 1e-16] * 20),
    "never": ([0] * 20, [0.4] * 20),
}
COLUMNS = {
    "plain": {},
    "groups": {"group": np.arange(20) // 2},
    "importance weights": {"weight": np.linspace(0.1, 1.5, 20)},
    "extreme weights": {"weight": 10.0 ** np.linspace(-150, 150, 20)},
    "large counts": {"weight": np.full(20, 2**40)},
}


@pytest.mark.parametrize("columns", COLUMNS)
@pytest.mark.parametrize("name", DEGENERATE)
def test_p_values_are_numbers(name, columns):
    pairs = cb.Pairs(*DEGENERATE[name], **COLUMNS[columns])
    for test in TESTS:
        found = cb.test(pairs, test)
        assert 0 <= found.p_value <= 1
        assert not np.isnan(found.statistic)
        assert re.search(
            r": p (= [\d.]*[1-9][\de.-]*|= 1\.000|≤ 0\.005|≤ 0\.01|< 1e-9)", str(found)
        )


def test_too_few_rows_with_importance_weights():
    """Their F statistic would have no degrees of freedom, and NaN for a p-value."""
    pairs = cb.Pairs([0, 1], [0.2, 0.6], weight=[0.5, 1.5])
    with pytest.raises(UnsupportedError, match=r"at least 10 rows .*, but there are only 2 rows"):
        cb.test(pairs, hypotheses.Cox())


def test_what_cannot_be_tested():
    with pytest.raises(UnsupportedError, match="only 3 groups, too few"):
        cb.test(synthetic.sample_groups(3, seed=1))
    with pytest.raises(ParameterError, match="A test was expected"):
        cb.test(A, 0.05)
