import numpy as np
import polars as pl
import pytest
from real_data import DATA

import calibrant as cb
from calibrant.errors import FileError, ParameterError

LOGS = DATA / "evals" / "mmlu-pro-confidence"


def write(tmp_path, rows, name="gpt.csv"):
    path = tmp_path / name
    pl.DataFrame(rows).write_csv(path)
    return path


def test_usual_names_are_recognised(tmp_path):
    path = write(
        tmp_path,
        {
            "category": ["x", "x", "y"],
            "correct_answer": ["A", "B", "C"],
            "extracted_answer": ["A", "C", ""],
            "verbal_numerical_confidence": ["0.9", "80%", "0.5"],
            "logit_perplexity_confidence": [0.7, 1.2, 0.3],
        },
    )
    evals = cb.read_evals(path)
    assert evals.frame["model"].unique().to_list() == ["gpt"]
    assert evals.frame["correct"].to_list() == [True, False, None]
    assert evals.frame["stated"].to_list() == [0.9, 0.8, 0.5]
    assert evals.frame["perplexity"].to_list() == [0.7, None, 0.3]  # 1.2 is not a probability
    assert evals.set_aside() == {"unparsed": 1}
    assert evals.kinds == ("perplexity", "stated")
    assert evals.without_confidence("perplexity") == 1
    assert evals.pairs("stated").groups == 1


def test_columns_can_be_named(tmp_path):
    path = write(
        tmp_path, {"ok": ["true", "false", "?"], "conf": [0.5, 0.25, 0.1], "m": list("aab")}
    )
    columns = {"correct": "ok", "token": "conf", "model": "m"}
    evals = cb.read_evals(path, columns=columns)
    assert evals.pairs("token").q.tolist() == [0.5, 0.25]
    assert [part.model for part in evals.parts()] == ["a", "b"]
    assert evals.set_aside() == {"unscored": 1}
    with pytest.raises(ParameterError, match="no role 'confidence'"):
        cb.read_evals(path, columns={"confidence": "conf"})
    with pytest.raises(
        FileError, match=r"has no column 'q' for token\. Its columns are: ok, conf, m"
    ):
        cb.read_evals(path, columns={"token": "q"})


def test_a_table_must_say_what_is_right(tmp_path):
    with pytest.raises(FileError, match="does not say which answers are right"):
        cb.read_evals(write(tmp_path, {"answer": ["A"], "stated": [0.5]}))


def test_answers_are_compared_after_normalising(tmp_path):
    path = write(tmp_path, {"answer": ["The Nile.", "1,000", "x"], "gold": ["nile", "1000", ""]})
    evals = cb.read_evals(path)
    assert evals.frame["correct"].to_list() == [True, True, None]
    assert evals.set_aside() == {"no gold answer": 1}


@pytest.mark.skipif(not LOGS.exists(), reason="the shared logs are not here")
def test_real_tables():
    """Accuracies over all questions, unparsed ones counted as wrong, are those of the source."""
    published = {"gpt-4.1_": 0.788, "gpt-4o": 0.722, "gemma": 0.469, "Qwen2.5": 0.505}
    for name, accuracy in published.items():
        (path,) = LOGS.glob(f"*{name}*")
        evals = cb.read_evals(path)
        assert len(evals) == 12_032
        assert evals.accuracy * len(evals.scored) / len(evals) == pytest.approx(accuracy, abs=6e-4)


def test_log_likelihoods_of_right_and_wrong_options(tmp_path):
    path = tmp_path / "model.csv"
    rows = {
        "id": ["a", "b", "c", "d", "e"],
        "true": ["-1.0, -2.0", "[-3; -1]", "-1", "none", "0.0, -2"],
        "false": ["-3.0", "-0.5", "nan", "-1", "-9"],
    }
    pl.DataFrame(rows).write_csv(path)
    evals = cb.read_evals(path, columns={"right": "true", "wrong": "false"})
    assert evals.scored["correct"].to_list() == [True, False]
    assert evals.set_aside() == {
        "log-likelihood is not a number": 2,
        "a log-likelihood is exactly 0": 1,
    }
    odds = np.exp([-1.0, -2.0, -3.0])
    other = np.exp([-3.0, -1.0, -0.5])
    assert evals.pairs("choice").q == pytest.approx(
        [odds.max() / odds.sum(), other[2] / other.sum()]
    )
    every = evals.pairs("choice_all")
    assert every.y.tolist() == [1, 1, 0, 1, 1, 0]
    assert every.groups == 2


def test_what_cannot_be_read_is_counted(tmp_path):
    stated = ["90%", "0,9", "very likely", "0.5", "1e-05", "x"]
    rows = {"correct": [1, 0, 1, 0, 1, 1], "stated": stated}
    evals = cb.read_evals(write(tmp_path, rows))
    assert evals.pairs("stated").q.tolist() == [0.9, 0.9, 0.5, 1e-05]
    assert "stated: 2 values of 6 cannot be read, such as '0,9' in row 2" in evals.notes


@pytest.mark.parametrize(
    ("kind", "values"), [("stated", [95, 90, 80, 1, 0, 1]), ("token", [-0.1, -2, -3, -0.4, -1, 0])]
)
def test_another_scale_is_refused(tmp_path, kind, values):
    rows = {"correct": [1, 0, 1, 0, 1, 1], kind: values}
    with pytest.raises(
        FileError, match=rf"gpt.csv, row 1: {kind} must be a probability, but it is"
    ):
        cb.read_evals(write(tmp_path, rows))


def test_the_group_may_be_named_by_the_option(tmp_path):
    rows = {"correct": [1, 0] * 6, "token": [0.5] * 12, "place": ["a", "b", "c"] * 4}
    path = write(tmp_path, rows)
    assert cb.read_evals(path, group="place").pairs("token").groups == 3
    with pytest.raises(FileError, match="no column 'plaec' for group"):
        cb.read_evals(path, group="plaec")
    for name in ("metric", "filter", "gold"):
        with pytest.raises(
            ParameterError, match=f"{name} is for the formats .*; these logs are: tab"
        ):
            cb.read_evals(path, **{name: "x"})


def test_empty_questions_are_not_those_of_other_rows(tmp_path):
    rows = {"question": ["5", "", "2"], "correct": [1, 0, 1], "token": [0.5, 0.4, 0.6]}
    frame = cb.read_evals(write(tmp_path, rows)).frame
    assert frame["question"].to_list() == ["5", "row 2", "2"]
    assert frame["epoch"].to_list() == [1, 1, 1]
