import gzip
import json

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


def write_lines(tmp_path, *rows, name="gpt.jsonl"):
    path = tmp_path / name
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


CHAINS = [
    {
        "doc": {"id": 7, "Label": "B"},
        "preds": [1, 1, 0],
        "pred_logliks": [[-2.0, -1.0], [-3.0, -1.5], [-1.0, -3.0]],
    },
    {
        "doc": {"id": 8, "Label": "A"},
        "preds": [1, 0, 0],
        "pred_logliks": [[-2.0, -1.0], [-3.0, -4.0], [-1.0, -3.0]],
    },
]


def test_a_list_of_answers_is_several_attempts(tmp_path):
    evals = cb.read_evals(write_lines(tmp_path, *CHAINS))
    assert "columns question=doc.id, answer=preds, gold=doc.Label, logliks=pred_logliks" in str(
        evals.notes
    )
    frame = evals.frame
    assert frame["question"].to_list() == ["7"] * 3 + ["8"] * 3
    assert frame["epoch"].to_list() == [1, 2, 3] * 2
    assert frame["answer"].to_list() == list("BBABAA")
    assert frame["gold"].to_list() == list("BBBAAA")
    assert frame["correct"].to_list() == [True, True, False, False, True, True]
    odds = np.exp([1, 1.5, 2, 1, 1, 2])  # of the likelier option
    assert evals.pairs("choice").q == pytest.approx(odds / (1 + odds))
    assert evals.pairs("choice_all").y.tolist() == [0, 1] * 3 + [1, 0] * 3
    assert evals.pairs("agreement").groups == 2


def test_parquet_may_hold_lists_and_structures(tmp_path):
    path = tmp_path / "gpt.parquet"
    pl.DataFrame(CHAINS).write_parquet(path)
    expected = cb.read_evals(write_lines(tmp_path, *CHAINS)).frame
    assert cb.read_evals(path).frame.equals(expected)


def test_lists_and_single_values(tmp_path):
    rows = [
        {"question": "a", "answer": ["x", "y"], "stated": ["90%", "0.2"], "gold": ["X", "z"]},
        {"question": "b", "answer": "z", "stated": 0.5, "gold": "z"},
        {"question": "c", "answer": [], "stated": [], "gold": "z"},
    ]
    evals = cb.read_evals(write_lines(tmp_path, *rows))
    assert evals.frame["correct"].to_list() == [True, False, True, None]
    assert evals.frame["stated"].to_list() == [0.9, 0.2, 0.5, None]
    assert evals.frame["gold"].to_list() == ["X; z", "X; z", "z", "z"]
    assert evals.set_aside() == {"unparsed": 1}


def test_an_answer_that_is_not_the_most_likely_option_has_no_choice(tmp_path):
    rows = [
        {"answer": "A", "gold": "A", "logliks": [-2, -1]},
        {"answer": "B", "gold": "A", "logliks": [-2, -1]},
        {"answer": "", "gold": "A", "logliks": [-2, -1]},
        {"answer": "A", "gold": "", "logliks": [-2, -1]},
        {"answer": "A", "gold": "A", "logliks": ["much", -1]},
        {"answer": "A", "gold": "A", "logliks": [0, -1]},
    ]
    evals = cb.read_evals(write_lines(tmp_path, *rows))
    assert evals.frame["correct"].to_list() == [True, False, None, None, None, True]
    assert evals.without_confidence("choice") == 1
    assert "1 answer of 6 not the most likely option, so without a conf" in str(evals.notes)
    assert evals.set_aside() == {
        "unparsed": 1,
        "no gold answer": 1,
        "log-likelihood is not a number": 1,
        "a log-likelihood is exactly 0": 1,
    }


def test_without_an_answer_it_is_the_most_likely_option(tmp_path):
    rows = [{"gold": 0, "logliks": "-2, -1"}, {"gold": 1, "logliks": "[-2; -1]"}]
    evals = cb.read_evals(write_lines(tmp_path, *rows))
    assert evals.frame["answer"].to_list() == ["1", "1"]
    assert evals.frame["correct"].to_list() == [False, True]
    said = [row | {"correct": each} for row, each in zip(rows, ("yes", "?"), strict=True)]
    said_so = cb.read_evals(write_lines(tmp_path, *said))
    assert said_so.frame["correct"].to_list() == [True, None]
    assert said_so.set_aside() == {"unscored": 1}


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (
            {"answer": ["x", "y"], "stated": [1], "gold": "x"},
            "answer has 2 values, but stated has 1",
        ),
        ({"answer": "x", "gold": "x", "model": ["a"]}, "model must be a single value, not a list"),
        ({"answer": [["x"]], "gold": "x"}, "answer must be a single value, not a list"),
        ({"gold": "C", "logliks": [-1, -2]}, "gold: 'C' is none of the 2 options, which are lett"),
        ({"gold": 2, "logliks": [-1, -2]}, "gold: '2' is none of the 2 options"),
        ({"gold": "A", "answer": "D", "logliks": [-1, -2]}, "answer: 'D' is none of the 2 options"),
    ],
)
def test_rows_that_cannot_be_understood_are_named(tmp_path, row, message):
    good = dict.fromkeys(row, "A") | ({"logliks": [-1, -2]} if "logliks" in row else {})
    with pytest.raises(FileError, match=rf"gpt.jsonl, line 2[:,] {message}"):
        cb.read_evals(write_lines(tmp_path, good, row))


def test_objects_are_read_by_their_keys(tmp_path):
    rows = [{"said": {"best": "x"}, "truth": {"text": "x"}}]
    path = write_lines(tmp_path, *rows)
    columns = {"answer": "said.best", "gold": "truth.text"}
    assert cb.read_evals(path, columns=columns).accuracy == 1
    with pytest.raises(
        FileError, match=r"line 1, column truth: .* is not a single value. Name .* truth.text"
    ):
        cb.read_evals(path, columns=columns | {"gold": "truth"})


def test_columns_of_truthfulqa_are_recognised_by_their_ends(tmp_path):
    rows = {
        "Question": ["a", "b"],
        "org/m lprob scores-true": ["-1.0, -2.0", "-3"],
        "org/m lprob scores-false": ["-3.0", "-0.5"],
    }
    evals = cb.read_evals(write(tmp_path, rows))
    assert evals.frame["model"].unique().to_list() == ["org/m"]
    assert evals.frame["correct"].to_list() == [True, False]
    path = write(tmp_path, rows | {"n lprob scores-true": ["-1", "-2"]})
    with pytest.raises(
        FileError, match=r"several columns for right: .* Name one, as in .*right=org/m lprob sc"
    ):
        cb.read_evals(path)
    columns = {"right": "n lprob scores-true"}
    assert cb.read_evals(path, columns=columns).frame["model"].unique().to_list() == ["n"]


def test_options_of_truthfulqa_are_named_by_their_texts(tmp_path):
    rows = {
        "Question": ["a", "b", "c"],
        "Correct Answers": ["yes; it is", "sure;", "one"],
        "Incorrect Answers": ["no", "never", "two"],
        "m lprob scores-true": ["-1.0, -2.0", "-3", "-4, -5"],
        "m lprob scores-false": ["-3.0", "-0.5", "-1"],
    }
    evals = cb.read_evals(write(tmp_path, rows))
    assert evals.frame["correct"].to_list() == [True, False, False]
    # the third has two log-likelihoods, but one text
    assert evals.frame["answer"].to_list() == ["yes", "never", "3"]
    assert evals.frame["gold"].to_list() == ["yes; it is", "sure", "1; 2"]
    assert evals.frame["option_characters"].to_list() == [[5, 3, 2], [4, 5], None]


@pytest.mark.parametrize(
    "columns",
    [
        {"logliks": ["-1, -2", "0.3, 0.7"], "gold": ["A", "B"]},
        {"right_logliks": ["-1", "0.3"], "wrong_logliks": ["-2", "0.7"]},
    ],
)
def test_probabilities_are_no_log_likelihoods(tmp_path, columns):
    with pytest.raises(FileError, match=r"line 3, the log-likelihoods .* take their logarithms"):
        cb.read_evals(write(tmp_path, columns))


def test_log_likelihoods_count_beside_a_verdict(tmp_path):
    rows = {"right_logliks": ["-1", "-3"], "wrong_logliks": ["-2", "-1"], "correct": [1, 0]}
    evals = cb.read_evals(write(tmp_path, rows))
    assert "choice" in evals.kinds
    assert evals.frame["correct"].to_list() == [True, False]
    assert evals.without_confidence("choice") == 0


def test_rows_without_log_likelihoods_are_set_aside(tmp_path):
    rows = {"question": ["a", "b", "c"], "logliks": ["-1, -2", "", ""], "gold": ["A", "B", "?"]}
    evals = cb.read_evals(write(tmp_path, rows))
    assert evals.frame["correct"].to_list() == [True, None, None]
    assert evals.set_aside() == {"log-likelihood is not a number": 2}
    pairs = {"right_logliks": ["-1", "-1"], "wrong_logliks": ["-2", ""], "gold": ["x", "x"]}
    evals = cb.read_evals(write(tmp_path, pairs))
    assert evals.frame["correct"].to_list() == [True, None]
    assert evals.set_aside() == {"log-likelihood is not a number": 1}


def test_texts_of_options_may_be_lists(tmp_path):
    row = {"right_logliks": [-1, -2], "wrong_logliks": [-0.5], "id": 1}
    path = write_lines(tmp_path, row | {"right_texts": ["x;y", "z"], "wrong_texts": ["w"]})
    evals = cb.read_evals(path)
    assert evals.frame["answer"].to_list() == ["w"]
    assert evals.frame["gold"].to_list() == ["x;y; z"]


def test_columns_that_could_be_meant_are_named(tmp_path):
    path = write(tmp_path, {"a": ["x", "y"], "log_a": [-1.5, -2.0], "n": [1, 2]})
    with pytest.raises(
        FileError,
        match=r"Its columns are: a, log_a, n. Those that could be log-likelih\w+: log_a\.",
    ):
        cb.read_evals(path)


@pytest.mark.skipif(not LOGS.exists(), reason="the shared logs are not here")
def test_real_chains():
    for path in sorted((DATA / "evals" / "medqa-chains").glob("*.jsonl.gz")):
        with gzip.open(path, "rt") as file:
            rows = [json.loads(line) for line in file]
        right = [["ABCD"[each] == row["doc"]["Label"] for each in row["preds"]] for row in rows]
        evals = cb.read_evals(path)
        assert evals.accuracy == pytest.approx(np.mean(right))
        assert evals.kinds == ("choice", "choice_all", "averaged", "agreement", "majority")


@pytest.mark.parametrize(
    ("name", "text", "place"),
    [
        ("a.csv", "answer,gold,note\nx,x,\ncafé,x,\n", "line 3, column answer: not UTF-8"),
        ("b.csv", 'answer,gold,note\nx,x,\n"café",x,\n', "line 3, column answer: not UTF-8"),
        ("c.tsv", "answer\tgold\nx\tx\nx\tcafé\n", "line 3, column gold: not UTF-8"),
        ("d.jsonl", '{"answer": "x", "gold": "x"}\n{"answer": "é", "gold": ""}\n', "line 2: not"),
    ],
)
def test_text_that_is_not_utf_8_is_refused(tmp_path, name, text, place):
    path = tmp_path / name
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(FileError, match=f"{name}, {place}"):
        cb.read_evals(path)


def test_columns_that_are_not_read_may_be_in_any_encoding(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes("answer,gold,note\nx,x,café\n".encode("latin-1"))
    assert cb.read_evals(path).accuracy == 1
    path.write_text("answer,gold\nx\ufffd,x\ufffd\n")  # which some models do answer
    assert cb.read_evals(path).accuracy == 1
