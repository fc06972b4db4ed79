import numpy as np
import polars
import pytest
from scipy.special import expit, softmax

import calibrant as cb
from calibrant.calibration.recalibration import Recalibrator
from calibrant.structures.evals.attempts import Asked, Attempts, Listed
from calibrant.structures.evals.evals import Evals


def stated(path, questions=400, seed=0):
    """A table of stated confidences that take five values and are too high."""
    rng = np.random.default_rng(seed)
    q = rng.choice([0.5, 0.8, 0.9, 0.95, 1.0], questions)
    right = rng.random(questions) < 0.3 + 0.3 * q
    frame = {
        "question": [f"q{k}" for k in range(questions)],
        "answer": ["a"] * questions,
        "gold": np.where(right, "a", "b"),
        "conf": q,
    }
    polars.DataFrame(frame).write_csv(path)
    return cb.read_evals(path, columns={"stated": "conf"})


def chains(questions=150, epochs=6, first=False, seed=0):
    """Attempts with log-likelihoods of three or four options, twice too bold."""
    rng = np.random.default_rng(seed)
    attempts = Attempts()
    for question in range(questions):
        count = 3 + question % 2
        for epoch in range(epochs):
            z = rng.normal(0, 1, count)
            gold = rng.choice(count, p=softmax(z))
            if first:  # the right option is listed first
                z[[0, gold]], gold = z[[gold, 0]], 0
            right = [place == gold for place in range(count)]
            attempts.add(
                Asked("m", "t", str(question)),
                epoch=epoch,
                answer=str(int(z.argmax())),
                gold=str(gold),
                correct=bool(right[int(z.argmax())]),
                listed=Listed((2 * z).tolist(), right),
            )
    return Evals.of(attempts)


def test_stated_confidences_of_few_values(tmp_path):
    found = cb.recalibrate_evals(stated(tmp_path / "log.csv"))
    told = found["stated"]
    assert told.verdict == "use it"
    at = np.array([0.5, 0.8, 0.9, 0.95, 1.0])
    np.testing.assert_allclose(told.map(at), 0.3 + 0.3 * at, atol=0.12)
    (row,) = found.to_dicts()
    assert row["verdict"] == "use it"
    assert row["groups"] == 0  # every attempt is a question of its own


@pytest.mark.parametrize("first", [False, True])
def test_options_have_one_temperature(first):
    """Wherever the right option is listed."""
    found = cb.recalibrate_evals(chains(first=first), kind="choice")["choice"]
    assert found.method == "Temperature"
    np.testing.assert_allclose(1 / found.map.slopes[0], 2, atol=0.3)
    assert found.change.groups == 150


def test_shares_of_attempts_become_probabilities():
    evals = chains()
    pairs = evals.shares("agreement")
    assert pairs.q.min() == 0.5 / 6
    found = cb.recalibrate_evals(evals, kind=["agreement", "majority"])
    assert [row.kind for row in found] == ["agreement", "majority"]
    assert found["agreement"].change.groups == 150


def test_other_methods_and_kinds():
    evals = chains()
    assert cb.recalibrate_evals(evals, "Platt", kind="choice")["choice"].method == "Platt"
    found = cb.recalibrate_evals(evals, "VectorScaling")
    assert found["choice"].method == "VectorScaling"
    with pytest.raises(cb.errors.InputError, match="VectorScaling is not a method for pairs"):
        found["agreement"]
    assert "is not a method for pairs" in str(found)


def test_saved(tmp_path):
    found = cb.recalibrate_evals(chains(), kind=["choice", "agreement"], interval=None)
    written = found.save(tmp_path / "maps")
    assert [path.name for path in written] == ["m-t-choice.json", "m-t-agreement.json"]
    again = Recalibrator.load(written[1])
    np.testing.assert_array_equal(again.map([0.3]), found["agreement"].map([0.3]))


def test_bad_input(tmp_path):
    evals = stated(tmp_path / "log.csv")
    with pytest.raises(cb.errors.InputError, match="These attempts have: stated"):
        cb.recalibrate_evals(evals, kind="token")
    with pytest.raises(cb.errors.UnknownName, match="kind of confidence"):
        cb.recalibrate_evals(evals, kind="stted")
    with pytest.raises(cb.errors.ParameterError, match="not a proper scoring rule"):
        cb.recalibrate_evals(evals, score="ECE")
    with pytest.raises(cb.errors.InputError, match="at least 8 are needed"):
        cb.recalibrate_evals(stated(tmp_path / "few.csv", questions=5))


def test_agreement_of_a_calibrated_model_is_left():
    """Each attempt is right with the probability that others are."""
    rng = np.random.default_rng(1)
    attempts = Attempts()
    for question in range(300):
        p = expit(rng.normal(0, 1.5))
        for epoch in range(20):
            right = bool(rng.random() < p)
            attempts.add(
                Asked("m", "t", str(question)),
                epoch=epoch,
                answer="a" if right else f"wrong {epoch}",
                gold="a",
                correct=right,
            )
    found = cb.recalibrate_evals(Evals.of(attempts), kind="agreement")["agreement"]
    low, high = found.map([0.05, 0.95])
    assert low < 0.15
    assert high > 0.9
