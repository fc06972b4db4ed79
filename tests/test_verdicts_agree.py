"""Verdicts never contradict each other, whatever the data are like."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
from scipy.special import expit, logit

import calibrant as cb
from calibrant.calibration.hypotheses import Consistency
from calibrant.errors import CalibrantError, CalibrantWarning
from calibrant.results.eval_scores import EvalScore

ERRORS = ("CalibScore", "CalibMSE", "ECE", "MCE", "SmoothECE", "SKCE", "ATB", "ECCE", "ICI", "E90")
LEVELS = (0.8, 0.9, 0.95, 0.99)
KINDS = ("plain", "rounded", "single", "certain", "one answer", "few values", "integer", "weighted")
TINY = 1e-9


@pytest.fixture(autouse=True)
def quietly():
    """Few effective groups and infinite losses bring warnings, which other tests look at."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CalibrantWarning)
        yield


def unkind(seed):
    """Random pairs: few, unequal or no groups, ties, exact 0 and 1, weights, one answer only."""
    rng = np.random.default_rng(seed)
    kind = KINDS[seed % len(KINDS)]
    n, many = int(rng.choice([15, 40, 150, 400])), int(rng.choice([0, 0, 5, 12, 30]))
    x = rng.choice([-4, -1, 0, 3]) + rng.choice([0.3, 1.5, 3]) * rng.standard_normal(n)
    p = expit(rng.choice([0.5, 1, 1.6]) * x + rng.choice([0, 0, -0.8]))
    q, group, weight = expit(x), None, None
    if many:
        share = rng.choice([np.ones(many), 1 / np.arange(1, many + 1.0)])
        group = rng.choice(many, n, p=share / share.sum())
        p = expit(logit(p) + rng.choice([0, 1]) * rng.standard_normal(many)[group])
    y = (rng.random(n) < p).astype(int)
    if kind == "rounded":
        q = q.round(1)
    elif kind == "single":
        q = np.full(n, q.mean().round(2))
    elif kind == "certain":
        q = np.where(rng.random(n) < 0.3, q.round(), q)
    elif kind == "one answer":
        y = np.full(n, y[0])
    elif kind == "few values":
        q = rng.choice([0.0, 0.5, 1.0], n)
    elif kind == "integer":
        weight = rng.integers(1, 4, n)
    elif kind == "weighted":
        weight = rng.exponential(1, n) + 0.01
    return cb.Pairs(y, q, group=group, weight=weight), rng


def or_none(verb, *given, **options):
    """What a verb returns; None if it refuses these pairs."""
    try:
        return verb(*given, **options)
    except CalibrantError:
        return None


@pytest.mark.parametrize("seed", range(32))
def test_intervals_start_at_0_exactly_if_their_test_does_not_reject(seed):
    pairs, rng = unkind(seed)
    level = float(rng.choice(LEVELS))
    for name in rng.choice(ERRORS, 3, replace=False):
        score = getattr(cb, name)()
        found = or_none(cb.score, pairs, score, level=level)
        verdict = or_none(cb.test, pairs, Consistency(score))
        if found is None or verdict is None:
            continue
        assert (found.low > 0) == (verdict.p_value <= (1 - level) / 2 + TINY), repr(found)
        assert found.low <= found.value <= found.high
        assert (found.text("low") in ("0.000", "0.0000")) <= (found.low == 0)


def test_certain_errors_exclude_0_even_if_no_noise_is_left_of_them():
    """One of 60 pairs that were given probability 0 happened: debiasing removes all of it."""
    pairs = cb.Pairs([1] + [0] * 59, [0.0] * 60)
    for name in ("CalibScore", "CalibMSE", "SKCE", "ATB"):
        found = cb.score(pairs, name)
        assert 0 < found.low <= found.value <= found.high
        assert cb.test(pairs, f"Consistency({name})").p_value < 0.01
    assert cb.score(pairs).interval.startswith("[> 0, ")


@pytest.mark.parametrize("seed", range(16))
def test_differences_exclude_0_exactly_if_p_is_small_and_show_it(seed):
    pairs, rng = unkind(seed)
    x = logit(np.clip(pairs.q.astype(float), 1e-6, 1 - 1e-6))
    q = expit(rng.choice([0.3, 1, 2]) * x + rng.choice([0, 0.2, -1]))
    own = bool(seed % 3 == 0)
    y = np.where(own & (rng.random(q.size) < 0.3), 1 - pairs.y, pairs.y).astype(int)
    other = cb.Pairs(y, q, group=pairs.group, weight=pairs.weight)
    level = float(rng.choice(LEVELS))
    for name in ("CalibScore", rng.choice(["ECE", "SmoothECE", "Brier", "LogLoss"])):
        found = or_none(cb.compare, {"a": pairs, "b": other}, name, level=level, own_answers=own)
        if found is None:
            continue
        each = found.difference
        excluded = each.low > 0 or each.high < 0
        assert excluded == (found.p_value < 1 - level)
        assert excluded == ("No difference" not in found.sentence)
        zero = {"0.000", "0.0000", "0.00000"}
        assert not excluded or not zero & {each.text("low"), each.text("high")}


@pytest.mark.parametrize("seed", range(16))
def test_terms_of_losses_agree_with_the_scores(seed):
    pairs, _ = unkind(seed)
    found = or_none(cb.decompose, pairs)
    if found is None:
        return
    score = cb.score(pairs, "CalibMSE")
    assert (found.calibration.low > 0) == (score.low > 0)
    for rule in ("Brier", "LogLoss"):
        terms = or_none(cb.decompose, pairs, rule)
        if terms is not None and terms.miscalibration.low is not None:
            assert terms.miscalibration.low <= terms.miscalibration.value


@pytest.mark.parametrize("seed", range(24))
def test_descriptions_claim_no_calibration(seed):
    """Whatever `test` finds, a description names errors or leaves others to `test`."""
    pairs, _ = unkind(seed)
    found = or_none(cb.describe, pairs)
    if found is not None:
        left = found.sentence.endswith("Ask test about other errors.")
        assert left != found.accuses


@pytest.mark.parametrize("seed", [3, 8, 9, 16])
def test_maps_are_recommended_exactly_if_the_gain_is_significant(seed):
    pairs, _ = unkind(seed)
    found = or_none(cb.recalibrate, pairs)
    if found is None:
        return
    excluded = found.change.low > 0 or found.change.high < 0
    assert excluded == (found.p_value < 0.05)
    assert (found.verdict == "use it") <= (found.change.high < 0)


@pytest.mark.parametrize("seed", [0, 8, 16, 24])
def test_slices_are_called_miscalibrated_exactly_by_their_adjusted_p_values(seed):
    pairs, rng = unkind(seed)
    kind = rng.choice(["a", "b"], len(pairs))
    found = or_none(cb.slices, pairs, by={"kind": kind})
    if found is None:
        return
    bad = [each for each in found if each.adjusted is not None and each.adjusted < 0.05]
    tested = any(each.tested for each in found)
    assert tested <= (("No miscalibration" in found.sentence) == (not bad))


def bad_slope_alone():
    """Pairs whose slope alone is clearly off: 14 groups, too few for `Joint` to be sure."""
    for seed in range(200):
        pairs = cb.synthetic.sample_groups(14, cb.synthetic.inward(0.1), seed=seed)
        if cb.describe(pairs).accuses and cb.test(pairs).p_value >= 0.05:
            return pairs
    raise AssertionError("no such pairs")


def test_a_page_says_on_what_grounds_it_names_an_error_that_the_test_does_not_see():
    text = cb.report(bad_slope_alone()).html
    assert "No evidence of miscalibration" in text
    assert "Each judged alone, by its own interval: Overall" in text


def test_rows_of_logs_name_the_test_if_the_interval_of_the_score_excludes_0():
    shown = cb.score(cb.synthetic.sample(2000, cb.synthetic.inward(0.1), seed=1))
    assert shown.low > 0
    row = EvalScore("m", "t", "stated", 10, 0.5, mean=0.6, estimate=shown, p_value=0.2)
    assert row.verdict == "no evidence by Joint"
    assert replace(row, p_value=0.001).verdict != row.verdict
    calibrated = cb.score(cb.synthetic.calibrated(500, seed=1))
    assert calibrated.low == 0
    assert replace(row, estimate=calibrated).verdict == "no evidence of miscalibration"
