import json

import pytest

import calibrant as cb
from calibrant.errors import FileError

OPTIONS = {"prompt_0": "2 + 2 = 3", "prompt_1": "2 + 2 = 4", "truth": "1"}


def write(folder, records, task="arithmetic"):
    path = folder / f"{task}_write_out_info.json"
    path.write_text(json.dumps(records))
    return path


@pytest.mark.parametrize("form", [str, float, lambda x: [x, False], lambda x: f"({x}, True)"])
def test_log_likelihoods_of_options(tmp_path, form):
    first = {"doc_id": 0, **OPTIONS, "logit_0": form(-2.0), "logit_1": form(-1.0), "acc": "1.0"}
    other = {"doc_id": 1, **OPTIONS, "logit_0": form(-1e-1), "logit_1": form(-3.5), "acc": "0.0"}
    evals = cb.read_evals(write(tmp_path, [first, other]))
    assert evals.notes[0] == "1 file: files of old versions of lm-evaluation-harness"
    assert evals.frame["task"].to_list() == ["arithmetic"] * 2
    pairs = evals.pairs("choice")
    assert pairs.y.tolist() == [1, 0]
    assert pairs.q == pytest.approx([1 / (1 + 2.718281828**-1.0), 1 / (1 + 2.718281828**-3.4)])
    assert evals.pairs("choice_all").y.tolist() == [0, 1, 0, 1]


def test_records_by_number_and_without_a_score(tmp_path):
    row = {"doc_id": 0, **OPTIONS, "logit_0": "-2", "logit_1": "-1"}
    evals = cb.read_evals(write(tmp_path, {"0": row, "1": row | {"doc_id": 1, "truth": "7"}}))
    assert evals.scored["correct"].to_list() == [True]
    assert evals.set_aside() == {"gold is not an option": 1}


def test_written_answers(tmp_path):
    rows = [
        {"doc_id": 0, "prompt_0": "2 + 2", "logit_0": " four", "truth": "4", "em": "0.0"},
        {"doc_id": 1, "prompt_0": "2 + 2", "logit_0": "4", "truth": "4", "em": "1.0"},
        {"doc_id": 2, "prompt_0": "2 + 2", "logit_0": "", "truth": "4", "em": "0.0"},
    ]
    evals = cb.read_evals(write(tmp_path, rows))
    assert evals.scored["correct"].to_list() == [False, True]
    assert evals.set_aside() == {"unparsed": 1}
    assert evals.kinds == ()


def test_options_that_say_nothing(tmp_path):
    row = {"doc_id": 0, **OPTIONS, "logit_0": "0.0", "logit_1": "0.0", "acc": "1"}
    evals = cb.read_evals(write(tmp_path, [row]))
    assert evals.set_aside() == {"all log-likelihoods are 0": 1}


@pytest.mark.parametrize(("content", "message"), [("3", "a list of records"), ("[3]", "record 1")])
def test_bad_files(tmp_path, content, message):
    path = tmp_path / "x_write_out_info.json"
    path.write_text(content)
    with pytest.raises(FileError, match=message):
        cb.read_evals(path)
