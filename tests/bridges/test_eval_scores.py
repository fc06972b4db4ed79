import numpy as np
import polars as pl
import pytest

import calibrant as cb
from calibrant.bridges.eval_scores import EvalScorer
from calibrant.errors import InputError, ParameterError


@pytest.fixture(scope="module")
def evals(tmp_path_factory):
    """Two models that answer the same 300 questions; one states too much."""
    rng = np.random.default_rng(3)
    folder = tmp_path_factory.mktemp("tables")
    belief = rng.uniform(0.2, 1, 300)
    for model, power in (("modest", 1), ("proud", 3)):
        rows = {
            "question": np.arange(300),
            "category": np.arange(300) % 30,
            "correct": rng.binomial(1, belief**power),
            "stated": belief,
        }
        pl.DataFrame(rows).write_csv(folder / f"{model}.csv")
    return cb.read_evals(sorted(folder.glob("*.csv")))


def test_rows_are_what_the_verbs_say_of_the_pairs(evals):
    found = EvalScorer(cb.CalibScore(), cb.Bootstrap(), 0.9)(evals, None, None)
    assert [row.model for row in found.rows] == ["modest", "proud"]
    for row, part in zip(found.rows, evals.parts(), strict=True):
        pairs = part.evals.pairs("stated")
        assert row.estimate == cb.score(pairs, level=0.9)
        assert row.p_value == cb.test(pairs).p_value
        assert row.accuracy == part.evals.accuracy


def test_differences_are_those_of_compare(evals):
    found = EvalScorer(cb.Brier(), cb.Bootstrap(), 0.95)(evals, {"stated"}, "modest")
    models = {part.model: part.evals.pairs("stated") for part in evals.parts()}
    both = cb.compare(models, "Brier", own_answers=True)
    ((first, _),) = both.differences
    assert first == "modest"  # so the difference is turned
    (one, other) = found.rows
    assert one.against is None
    assert other.against.difference.value == pytest.approx(-both.difference.value)
    assert other.against.p_value == pytest.approx(both.p_value)  # the order of models differs


def test_what_cannot_be_done_is_refused(evals):
    with pytest.raises(InputError, match=r"kind token\. These attempts have: stated"):
        EvalScorer(cb.Brier(), None, 0.95)(evals, {"token"}, None)
    other = EvalScorer(cb.CalibScore(), cb.NormalSampling(), 0.95)
    with pytest.raises(ParameterError, match="Models are compared by Bootstrap, not by Normal"):
        other(evals, None, "modest")
