import json
from dataclasses import FrozenInstanceError

import numpy as np
import pytest

import calibrant as cb
from calibrant.errors import InputError, ParameterError, UnknownName
from calibrant.plots import Sweep
from calibrant.results.estimate import Estimate, Estimates
from calibrant.results.naming import parse


@pytest.fixture(scope="module")
def pairs():
    return cb.synthetic.sample_groups(100, cb.synthetic.outward(0.1), seed=1)


def test_an_estimate_prints_and_converts(pairs):
    estimate = cb.score(pairs)
    low, value, high = (f"{x:.3f}" for x in (estimate.low, estimate.value, estimate.high))
    assert str(estimate) == f"CalibScore {value} [{low}, {high}]"
    assert float(estimate) == estimate.value
    assert estimate.groups == 100
    assert estimate.plugin > estimate.value
    with pytest.raises(FrozenInstanceError):
        estimate.value = 0


def test_the_signature_reproduces(pairs):
    estimate = cb.score(pairs, cb.ECE(size=50), interval=cb.Bootstrap(200, seed=7), level=0.9)
    assert estimate.signature == (
        "ECE(size=50)|n=2000|groups=100|effective=100|Bootstrap(replicates=200, seed=7)|level=0.9|"
        f"calibrant={cb.__version__}"
    )
    score, _, _, _, interval, level, _ = estimate.signature.split("|")
    again = cb.score(
        pairs, score, interval=parse(interval, "interval"), level=float(level.split("=")[1])
    )
    assert again == estimate


def test_bare_values(pairs):
    estimate = cb.score(pairs, interval=None)
    assert (estimate.low, estimate.high) == (None, None)
    assert estimate.value == cb.score(pairs).value
    assert "[" not in str(estimate)
    assert "Bootstrap" not in estimate.signature


def test_small_values_show_two_digits():
    pairs = cb.synthetic.calibrated(100_000, seed=1)
    score = cb.CalibMSE(size=5000, debiased=False)
    shown = str(cb.score(pairs, score, interval=None)).split()[-1]
    assert float(shown) == pytest.approx(score(pairs), rel=0.05)
    assert len(shown.lstrip("0.")) == 2


def test_several_scores_are_a_table(pairs):
    estimates = cb.score(pairs, ["CalibScore(size=400)", cb.Brier(), "ECE"])
    assert [e.score for e in estimates] == ["CalibScore(size=400)", "Brier", "ECE"]
    header = "score value 95 % interval plug-in n groups effective"
    assert str(estimates).splitlines()[0].split() == header.split()
    assert "<table>" in estimates._repr_html_()
    assert "<caption>" in estimates[0]._repr_html_()
    assert estimates.to_frame().height == 3
    assert json.loads(json.dumps(estimates[0].to_dict()))["n"] == 2000


def test_a_generator_of_scores(pairs):
    assert len(cb.score(pairs, (s for s in ["Brier", "ECE"]), interval=None)) == 2


def test_everything_can_be_given_by_its_printed_form(pairs):
    by_name = cb.score(pairs, "ECE(size=50)", interval="Bootstrap(replicates=200)")
    assert by_name == cb.score(pairs, cb.ECE(size=50), interval=cb.Bootstrap(200))


def test_tables_of_different_levels(pairs):
    both = Estimates([cb.score(pairs, level=0.9), cb.score(pairs, level=0.5)])
    assert both.table()[0][2] == "interval"
    assert both.render("md").startswith("| score |")
    with pytest.raises(UnknownName, match="Did you mean latex"):
        both.render("latx")


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (
            lambda p: cb.score([0, 1]),
            InputError,
            r"Pairs, a data frame or a path was expected, not list: pass Pairs\(y, q",
        ),
        (
            lambda p: cb.score(p, cb.Brier),
            ParameterError,
            r"Brier is a class: .* such as Brier\(\)",
        ),
        (lambda p: cb.score(p, "Briar"), UnknownName, "Did you mean Brier"),
        (lambda p: cb.score(p, [3]), ParameterError, "A score was expected"),
        (lambda p: cb.score(p, 3), ParameterError, "A score was expected"),
        (lambda p: cb.score(p, level=95), ParameterError, r"For 95 % write level=0\.95"),
        (lambda p: cb.score(p, level=0), ParameterError, "level must lie between 0 and 1"),
        (lambda p: cb.score(p, interval=3), ParameterError, "An interval was expected"),
        (lambda p: cb.curve(np.zeros(3)), InputError, "was expected, not ndarray"),
        (lambda p: cb.plot(3), ParameterError, "There is no figure of int. Pass pairs"),
        (lambda p: cb.plot({}), InputError, "at least one result"),
        (lambda p: cb.plot({"a": p, "b": Sweep(p.q, p.q)}), ParameterError, "plot them apart"),
        (lambda p: cb.plot(p, xlabel="x"), ParameterError, "xlabel is for sweeps, not for pairs"),
    ],
)
def test_wrong_calls(pairs, call, error, message):
    with pytest.raises(error, match=message):
        call(pairs)


def estimate(value, low, high):
    return Estimate("CalibScore", value, low, high, 0.95, 100.0, 0, None, 0, "")


def test_narrow_intervals_keep_their_digits():
    assert str(estimate(0.03705, 0.0368, 0.0373)) == "CalibScore 0.0370 [0.0368, 0.0373]"
    assert str(estimate(0.042, 0.031, 0.053)) == "CalibScore 0.042 [0.031, 0.053]"
    assert str(estimate(0.5, 0.49999, 0.50001)) == "CalibScore 0.500000 [0.499990, 0.500010]"
