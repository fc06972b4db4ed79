import json

import numpy as np
import pytest
from made_logs import option_row, text_row
from real_data import DATA

import calibrant as cb
from calibrant.errors import FileError, ParameterError

LOGS = DATA / "evals" / "lm-eval"
with_logs = pytest.mark.skipif(not LOGS.exists(), reason="the shared logs are not here")


def test_options(samples):
    path = samples(
        option_row(0, [-1.0, -0.5, -3.0], "1", acc=1.0),
        option_row(1, [-1.0, -2.0, -0.1], "three", acc=0.0),
        option_row(2, [-1.0, -2.0], "[0, 1]", acc=1.0),
    )
    evals = cb.read_evals(path)
    assert evals.frame["model"].unique().to_list() == ["org__m"]
    assert evals.frame["task"].unique().to_list() == ["toy"]
    assert evals.frame["answer"].to_list() == ["four", "five", "three"]
    assert evals.frame["gold"].to_list() == ["four", "three", "three; four"]
    assert evals.accuracy == pytest.approx(2 / 3)
    pairs = evals.pairs("choice", group=None)
    expected = [np.exp(-0.5), np.exp(-0.1), np.exp(-1)]
    total = [np.exp([-1, -0.5, -3]).sum(), np.exp([-1, -2, -0.1]).sum(), np.exp([-1, -2]).sum()]
    assert pairs.q == pytest.approx(np.divide(expected, total))
    assert pairs.y.tolist() == [1, 0, 1]
    assert cb.read_evals(path).pairs("choice").groups == 2
    every = evals.pairs("choice_all", group="question")
    assert (len(every), every.groups) == (8, 3)
    assert every.y.tolist() == [0, 1, 0, 1, 0, 0, 1, 1]


def test_normalised_by_length_may_choose_another_answer(samples):
    evals = cb.read_evals(samples(option_row(0, [-1.0, -0.9], "0", acc=0.0)))
    assert evals.frame["answer"].to_list() == ["four"]
    assert evals.pairs("choice").y.tolist() == [0]
    assert evals.pairs("choice_per_character").y.tolist() == [1]  # −1/5 > −0.9/4
    frame = evals.to_frame()
    assert frame["correct"].to_list() == [False]
    assert frame["correct_per_character"].to_list() == [True]


def test_mutual_information_is_not_an_answer(samples):
    row = option_row(0, [-1.0, -2.0], "0")
    row["arguments"] |= {f"gen_args_{2 + i}": {"arg_0": "", "arg_1": " x"} for i in range(2)}
    row["filtered_resps"] += [["-0.1", "False"], ["-0.2", "False"]]
    row["resps"] += [[each] for each in row["filtered_resps"][2:]]
    evals = cb.read_evals(samples(row))
    assert evals.frame["option_loglik"].to_list() == [[-1.0, -2.0]]


def test_what_cannot_be_scored_is_counted_and_never_wrong(samples):
    path = samples(
        option_row(0, [0.0, 0.0], "0", acc=1.0),
        option_row(1, [-1.0, -2.0, -3.0], "seventeen"),
        option_row(2, [-1.0, float("nan")], "0", acc=1.0),
        option_row(3, [-1.0, -2.0], "0", acc=1.0),
        text_row(4, ["[invalid]"], "4", exact_match=0.0),
        text_row(5, ["4"], "4", bleu=0.3),
    )
    evals = cb.read_evals(path)
    assert evals.set_aside() == {
        "all log-likelihoods are 0": 1,
        "gold is not an option": 1,
        "log-likelihood is not a number": 1,
        "unparsed": 1,
        "unscored": 1,
    }
    assert evals.accuracy == 1.0
    assert len(evals.pairs("choice")) == 1


def test_repeats_are_attempts(samples):
    evals = cb.read_evals(
        samples(text_row(0, ["4", " 4.0", "5", "6"], "4", exact_match=1.0, filter="take_first"))
    )
    assert evals.frame["correct"].to_list() == [True, True, False, False]
    pairs = evals.answers("agreement")
    assert pairs["yes"].to_list() == [1, 1, 0, 0]
    assert pairs["draws"].to_list() == [3, 3, 3, 3]


def test_repeats_with_scores_of_their_own(samples):
    """What the log says of a repeat counts, not whether its text equals the gold answer."""
    row = text_row(0, ["4", "four", "5"], "4", exact_match=1.0)
    scores = {"f1": [0.2, 0.3, 0.1], "exact_match": [1.0, 1.0, 0.0]}
    evals = cb.read_evals(samples(row | {"scores_per_repeat": scores}))
    assert evals.frame["correct"].to_list() == [True, True, False]
    evals = cb.read_evals(samples(row | {"scores_per_repeat": {"f1": [0.2, 0.3, 0.1]}}))
    assert evals.frame["correct"].to_list() == [True, False, False]


def test_stated_only_if_the_prompt_asks(samples):
    asked = text_row(0, ["4. Confidence: 90%"], "4", exact_match=1.0)
    asked["arguments"]["gen_args_0"]["arg_0"] = "Say how sure you are (confidence in %)."
    silent = text_row(1, ["The probability is 30%"], "30%", exact_match=0.0)
    evals = cb.read_evals(samples(asked, silent))
    assert evals.frame["stated"].to_list() == [0.9, None]


def test_filters(samples):
    rows = [text_row(0, ["x"], "x", exact_match=float(f == "b"), filter=f) for f in ("a", "b")]
    path = samples(*rows)
    assert cb.read_evals(path).accuracy == 0
    assert cb.read_evals(path, filter="b").accuracy == 1
    assert any("not read: b" in note for note in cb.read_evals(path).notes)
    with pytest.raises(ParameterError, match="Its filters: a, b"):
        cb.read_evals(path, filter="c")


def test_questions_with_the_same_text_stay_apart(samples):
    rows = [option_row(k, [-1.0, -2.0], "0", doc_hash="same") for k in range(2)]
    assert cb.read_evals(samples(*rows)).frame["question"].to_list() == ["same", "same#2"]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ('{"doc_id": 1}', "line 1: not a line of lm-eval samples"),
        ('{"doc_id": 1', "line 1: not JSON"),
        ("[1, 2]", "line 1: an object"),
        (json.dumps(option_row(0, ["much", -1.0], "0")), "'much' is not a log-likelihood"),
    ],
)
def test_bad_lines_are_named(tmp_path, row, message):
    path = tmp_path / "samples_toy_2026-01-02T03-04-05.jsonl"
    path.write_text(row + "\n")
    with pytest.raises(FileError, match=message):
        cb.read_evals(path)


@with_logs
def test_probabilities_are_those_of_the_harness_s_brier_score():
    path = LOGS / "samples_toy_mc_2026-11-16T17-25-19.422687.jsonl"
    evals = cb.read_evals(path)
    found = evals.pairs("choice_all").q.reshape(2, 3)
    for row, line in zip(found, path.read_text().splitlines(), strict=True):
        printed = json.loads(line)["brier_score"][1].strip("[]").split()
        assert row == pytest.approx([float(each) for each in printed], abs=5e-9)


@with_logs
def test_accuracy_is_the_log_s_own():
    for path in sorted(LOGS.glob("samples_*.jsonl")):
        rows = [json.loads(line) for line in path.read_text().splitlines()]
        kept = [row for row in rows if row["filter"] == rows[0]["filter"]]
        own = [row.get("acc", row.get("exact_match")) for row in kept]
        assert cb.read_evals(path).accuracy == pytest.approx(np.mean(own))


def test_a_line_that_is_there_twice_is_refused(samples):
    row = option_row(0, [-1.0, -0.5], "1", acc=1.0)
    with pytest.raises(FileError, match=r"line 2: question 0 \(doc_id\) is there twice"):
        cb.read_evals(samples(row, row))


def test_unknown_metrics_and_groups_are_refused(samples):
    path = samples(option_row(0, [-1.0, -0.5], "1", acc=1.0, acc_norm=0.0))
    with pytest.raises(
        ParameterError, match=r"metric=accc is not in the log. Its metrics: acc, acc_n"
    ):
        cb.read_evals(path, metric="accc")
    with pytest.raises(ParameterError, match=r"group=nothing: no question of .* has this field"):
        cb.read_evals(path, group="nothing")


def test_the_chosen_option_keeps_its_own_correctness(samples):
    """Another metric may choose another option; its score does not belong to this one."""
    row = option_row(0, [-2.0, -1.0], "0", acc=0.0, acc_norm=1.0)
    assert cb.read_evals(samples(row), metric="acc_norm").pairs("choice").y.tolist() == [0]


@pytest.mark.parametrize(
    "change",
    [
        {"filtered_resps": None},
        {"arguments": {"gen_args_0": "x"}},
        {"filtered_resps": [[10**400, "False"], ["-1", "False"]]},
        {"resps": [["a", 3]], "filtered_resps": {}},
    ],
)
def test_fields_that_are_not_as_expected(samples, change):
    row = option_row(0, [-1.0, -0.5], "1", acc=1.0) | change
    with pytest.raises(FileError, match="line 1"):
        cb.read_evals(samples(row))


def test_no_options_and_no_lines(samples, tmp_path):
    evals = cb.read_evals(samples(option_row(0, [], "1", acc=1.0) | {"resps": [[]]}))
    assert evals.set_aside() == {"no answer": 1}
    path = tmp_path / "samples_x_2026-01-01T00-00-00.jsonl"
    path.write_text("")
    with pytest.raises(FileError, match="is empty"):
        cb.read_evals(path)


def test_a_gold_answer_that_is_not_an_option_is_named(samples):
    rows = [option_row(k, [-1.0, -0.5, -2.0], target) for k, target in enumerate(("1", "7", "9"))]
    evals = cb.read_evals(samples(*rows))
    assert evals.set_aside() == {"gold is not an option": 2}
    (note,) = [each for each in evals.notes if "gold" in each]
    assert note.endswith(".jsonl, line 2, target: '7'")


def test_a_line_that_is_cut_off_is_named(samples):
    path = samples(*(option_row(k, [-1.0, -0.5], "1", acc=1.0) for k in range(3)))
    whole = path.read_bytes()
    last = whole[:-1].rindex(b"\n") + 1
    for end in range(last + 1, len(whole) - 2):
        path.write_bytes(whole[:end])
        with pytest.raises(FileError, match="line 3: not JSON"):
            cb.read_evals(path)
