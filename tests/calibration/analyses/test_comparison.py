import numpy as np
import pytest

import calibrant as cb
from calibrant.calibration.analyses.comparing import compare_models
from calibrant.calibration.analyses.comparison import Comparison
from calibrant.errors import InputError, ParameterError, UnsupportedError
from calibrant.pairs import synthetic
from calibrant.results.estimate import Estimate
from calibrant.results.wording import joined

SCORES = [
    cb.CalibScore(),
    cb.CalibMSE(),
    cb.ECE(),
    cb.Brier(),
    cb.LogLoss(clip=1e-3),
    cb.CalibScore(cb.LocalLikelihood(bandwidth=1.0)),
    cb.CalibScore(cb.Isotonic()),
    cb.ECCE(),
    cb.SmoothECE(),
    cb.SKCE(),
    cb.ATB(),
]


def draw(seed, n=1500, groups=False):
    """Outcomes and the probabilities they were drawn with."""
    if groups:
        pairs = synthetic.sample_groups(n // 20, seed=seed)
        return pairs.y, pairs.q, pairs.group
    rng = np.random.default_rng(seed)
    p = rng.uniform(0.1, 0.9, n)
    return rng.random(n) < p, p, None


def shifted(seed, shift, **options):
    y, p, group = draw(seed, **options)
    return cb.Pairs(y, np.clip(p + shift, 0, 1), group=group)


@pytest.mark.parametrize("score", SCORES, ids=repr)
@pytest.mark.parametrize("groups", [False, True])
def test_a_better_model_is_found(score, groups):
    good, bad = (shifted(1, shift, n=2000, groups=groups) for shift in (0.0, 0.2))
    found = cb.compare({"good": good, "bad": bad}, score, interval=cb.Bootstrap(200))
    assert list(found.scores) == ["good", "bad"]
    assert found.difference.high < 0
    assert found.p_value < 0.01
    assert found.sentence == "good is better than bad."


@pytest.mark.parametrize("groups", [False, True])
def test_equal_models_are_rarely_told_apart(groups):
    """One predicts too much, the other too little, by the same."""
    rejected = covered = 0
    for seed in range(40):
        a, b = (shifted(seed, shift, n=800, groups=groups) for shift in (0.08, -0.08))
        found = cb.compare(a, b, interval=cb.Bootstrap(200, seed=seed))
        rejected += found.p_value < 0.05
        covered += found.difference.low <= 0 <= found.difference.high
    assert rejected <= 7  # 2 expected; more have a probability below 0.001
    assert covered >= 33  # 38 expected


def test_differences_are_covered_where_one_model_is_calibrated():
    covered = 0
    for seed in range(40):
        good, bad = (shifted(seed, shift, n=800) for shift in (0.0, 0.08))
        difference = cb.compare(good, bad, interval=cb.Bootstrap(200, seed=seed)).difference
        covered += difference.low <= -0.08 <= difference.high
    assert covered >= 33  # 38 expected; fewer have a probability below 0.001


def test_pairing_helps():
    """Two models that err alike differ by less than their own intervals suggest."""
    a, b = (shifted(3, shift, n=4000) for shift in (0.15, 0.2))
    found = cb.compare(a, b)
    parts = [each.high - each.low for each in found.scores.values()]
    assert found.difference.high - found.difference.low < 0.6 * np.hypot(*parts)


def test_brier_is_the_paired_bootstrap():
    y, p, _ = draw(5)
    a, b = cb.Pairs(y, p), cb.Pairs(y, p**1.2)
    found = [
        cb.compare(a, b, cb.Brier(), interval=cb.Bootstrap(4000), seed=seed).difference
        for seed in range(6)  # one width varies by 5 % between seeds
    ]
    rows = (p - y) ** 2 - (p**1.2 - y) ** 2
    assert found[0].value == pytest.approx(rows.mean())
    width = 2 * 1.96 * rows.std() / np.sqrt(rows.size)
    assert np.mean([each.high - each.low for each in found]) == pytest.approx(width, rel=0.1)


def test_many_models():
    y, p, _ = draw(1, n=3000)
    shifts = {"c": 0.2, "a": 0.0, "b": 0.1, "b2": -0.1}
    models = {name: cb.Pairs(y, np.clip(p + k, 0, 1)) for name, k in shifts.items()}
    found = cb.compare(models)
    assert next(iter(found.scores)) == "a"
    assert list(found.scores)[-1] == "c"
    assert set(found.worse("a")) == {"b", "b2", "c"}
    assert found.worse("c") == []
    assert len(found.differences) == 6
    assert f"a is better than {joined(found.worse('a'))}" in str(found)
    assert "<table" in found._repr_html_()
    assert len(found.to_dicts()) == 10
    with pytest.raises(InputError, match="more than two models"):
        found.difference  # noqa: B018
    alone = cb.compare({name: models[name] for name in ("b", "c")})
    assert found.p_values["b", "c"] >= alone.p_value  # Holm's price for looking at six


def test_rows_are_joined_by_key():
    y, p, group = draw(2, groups=True)
    order = np.random.default_rng(1).permutation(len(y))
    keys = np.array([f"question {i}" for i in range(len(y))])
    a = cb.Pairs(y, p, group=group)
    b = cb.Pairs(y[order], p[order] ** 2, group=group[order])
    found = cb.compare(a, b, key=(keys, keys[order]))
    wanted = cb.compare(a, cb.Pairs(y, p**2, group=group))
    assert found.difference.value == wanted.difference.value
    assert found.p_value == wanted.p_value


def test_questions_that_differ():
    y, p, group = draw(2, groups=True)
    a = cb.Pairs(y, p, group=group)
    other = np.array(y)
    other[17] = not other[17]
    for b, message in (
        (cb.Pairs(other, p, group=group), r"y\[17\] is .* in a and .* in b"),
        (cb.Pairs(y, p, group=group + (np.arange(len(y)) == 3)), r"group\[3\] is"),
        (cb.Pairs(y, p), "a has a group, but b has none"),
        (cb.Pairs(y[1:], p[1:], group=group[1:]), "a has 1500 rows and b has 1499"),
    ):
        with pytest.raises(InputError, match=message):
            cb.compare(a, b)
    keys = np.arange(len(y))
    for wrong, message in (
        (np.where(keys == 5, 4, keys), "The key 4 occurs 2 times in b"),
        (np.where(keys == 5, -1, keys), "The key 5 is in a but not in b"),
        (keys[1:], "b has 1500 rows but 1499 keys"),
    ):
        with pytest.raises(InputError, match=message):
            cb.compare(a, a, key=(keys, wrong))


def test_what_cannot_be_compared():
    a = shifted(1, 0.0)
    with pytest.raises(ParameterError, match="at least two models"):
        cb.compare({"a": a})
    with pytest.raises(ParameterError, match="Two models were expected: pass two sets of pairs"):
        cb.compare(a, cb.Brier())
    with pytest.raises(ParameterError, match="one mapping, and one score"):
        cb.compare({"a": a, "b": a}, a)
    with pytest.raises(UnsupportedError, match="leave above and below out"):
        cb.compare(a, a, cb.CalibScore(above=0.1))
    with pytest.raises(ParameterError, match="by Bootstrap"):
        cb.compare(a, a, interval=cb.NormalSampling())
    certain = cb.Pairs(a.y, np.where(a.y, 0.0, 1.0))
    with (
        pytest.warns(cb.CalibrantWarning, match="infinite"),
        pytest.raises(UnsupportedError, match="LogLoss of b is infinite"),
    ):
        cb.compare(a, certain, cb.LogLoss())
    with pytest.raises(ParameterError, match="2 models but 1 array of keys"):
        cb.compare(a, a, key=[np.arange(len(a))])


def made(p_values, level=0.95):
    """A comparison of a, b and c with these p-values."""
    estimate = Estimate("Brier", 0.1, 0.05, 0.2, level, 100.0, 0, None, 0, "")
    differences = dict.fromkeys(p_values, estimate)
    return Comparison(dict.fromkeys("abc", estimate), differences, p_values, p_values)


def test_the_level_of_worse_is_a_confidence_level():
    found = made({("a", "b"): 0.03, ("a", "c"): 0.2, ("b", "c"): 0.6})
    assert found.worse("a") == ["b"]
    assert found.worse("a", level=0.95) == ["b"]
    assert found.worse("a", level=0.99) == []
    assert found.worse("a", level=0.75) == ["b", "c"]
    assert made({("a", "b"): 0.03, ("a", "c"): 0.2, ("b", "c"): 0.6}, level=0.99).worse("a") == []
    with pytest.raises(ParameterError, match=r"For 95 % write level=0\.95"):
        found.worse("a", level=95)


def test_p_values_in_tables_are_never_zero():
    found = made({("a", "b"): 0.0, ("a", "c"): 0.2, ("b", "c"): 0.0021})
    assert [row[-1] for row in found.pairs_table()[1]] == ["< 1e-9", "0.200", "0.0021"]
    nothing = made({("a", "b"): 0.5})
    assert nothing.sentence == "No difference is significant at the 95 % level."


def test_without_an_interval_differences_are_bare():
    y, p, _ = draw(1, n=300)
    models = {"a": cb.Pairs(y, p), "b": cb.Pairs(y, p**2)}
    score = cb.Brier()
    estimates = {name: cb.score(each, score, interval=None) for name, each in models.items()}
    found = compare_models(models, score, 0.95, None, estimates)
    assert found.difference.value == score(models["a"]) - score(models["b"])
    assert (found.difference.low, found.difference.high) == (None, None)
    assert "% interval" not in str(found)
    assert found.pairs_table()[0] == ["difference", "value"]
    assert found.sentence == "Without an interval, differences are not tested."
    assert found.to_dicts()[-1]["p_value"] is None
    assert "Bootstrap" not in found.difference.signature
    with pytest.raises(InputError, match="no p-values"):
        found.p_value  # noqa: B018


def test_limits_of_a_difference_stay_within_those_of_its_parts():
    """Rounding of almost equal arms must not widen them."""
    q = np.full(40, 1 - 1e-16)
    found = cb.compare(cb.Pairs(np.ones(40, int), q), cb.Pairs(np.ones(40, int), 1 - q), "Brier")
    assert found.difference.low >= -1
    assert found.p_value == 2.0**-39  # of forty coins that fall alike
    assert "< 1e-9" in str(found)


def test_three_pairs_prove_nothing():
    """Replicates of equal rows do not vary, so that any difference looked certain."""
    y = [0, 0, 0]
    for score in (cb.CalibScore(), cb.Brier()):
        found = cb.compare(cb.Pairs(y, [0.4] * 3), cb.Pairs(y, [0.5] * 3), score)
        assert found.p_value == 0.25  # of three coins that fall alike
        assert found.worse("a") == []
