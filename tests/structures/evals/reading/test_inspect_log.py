import json
import zipfile

import pytest
from real_data import DATA

import calibrant as cb
from calibrant.errors import FileError, ParameterError

LOGS = DATA / "evals" / "inspect"
with_logs = pytest.mark.skipif(not LOGS.exists(), reason="the shared logs are not here")


def sample(name, value, epoch=1, **more):
    found = {
        "id": name,
        "epoch": epoch,
        "input": "Question",
        "target": "A",
        "metadata": {"subject": "law"},
        "scores": {"choice": {"value": value, "answer": "A"}},
        "output": {"choices": [{"message": {"content": "ANSWER: A"}}]},
    }
    return found | more


def write(tmp_path, samples, name="log.eval", **header):
    head = {"version": 2, "status": "success"} | header
    head.setdefault("eval", {"model": "m", "task": "t", "task_id": name})
    path = tmp_path / name
    if path.suffix == ".json":
        path.write_text(json.dumps(head | {"samples": samples}))
        return path
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.json", json.dumps(head))
        for each in samples:
            archive.writestr(f"samples/{each.get('id')}_{each.get('epoch')}.json", json.dumps(each))
    return path


@pytest.mark.parametrize("name", ["log.eval", "log.json"])
def test_scores(tmp_path, name):
    path = write(
        tmp_path,
        [
            sample("a", "C"),
            sample("b", "I"),
            sample("c", "P"),
            sample("d", "N"),
            sample("e", {"correct": 1, "confidence": 0.8}),
            sample("f", float("nan")),
            sample("g", "C", error={"message": "time out"}),
            sample("h", True),
            sample("i", "C", scores={}),
        ],
        name,
    )
    evals = cb.read_evals(path)
    assert evals.frame["correct"].to_list() == [
        True,
        False,
        None,
        None,
        True,
        None,
        None,
        True,
        None,
    ]
    assert evals.set_aside() == {
        "unscored": 2,
        "partially correct": 1,
        "no answer": 1,
        "errored": 1,
    }
    assert evals.frame["stated"].drop_nulls().to_list() == [0.8]
    assert evals.frame["group"].unique().to_list() == ["law"]


def test_grades_of_a_scale_are_not_right_or_wrong(tmp_path):
    path = write(tmp_path, [sample("a", "0"), sample("b", "10"), sample("c", 1), sample("d", "C")])
    evals = cb.read_evals(path)
    assert evals.frame["correct"].to_list() == [None, None, None, True]
    assert evals.set_aside() == {"graded, not right or wrong": 3}
    assert cb.read_evals(write(tmp_path, [sample("a", "0"), sample("b", 1)])).accuracy == 0.5


def test_epochs_are_attempts(tmp_path):
    path = write(tmp_path, [sample("a", "C", epoch=k, scores=scored(k)) for k in range(1, 5)])
    evals = cb.read_evals(path)
    assert len(evals) == 4
    assert evals.kinds == ("agreement", "majority")
    assert evals.answers("agreement")["yes"].to_list() == [2, 2, 2, 0]


def scored(epoch):
    return {"match": {"value": "C" if epoch < 4 else "I", "answer": "A" if epoch < 4 else "B"}}


def test_a_retry_repeats_what_was_done_and_another_run_adds_attempts(tmp_path):
    run = {"model": "m", "task": "t", "task_id": "same"}
    first = write(tmp_path, [sample("a", "C"), sample("b", "C", scores={})], "1.eval", eval=run)
    retry = write(tmp_path, [sample("a", "C"), sample("b", "I")], "2.eval", eval=run)
    other = write(tmp_path, [sample("a", "I")], "3.eval")
    evals = cb.read_evals([first, retry, other])
    assert evals.set_aside() == {"unscored": 1, "in another log of the same run": 1}
    scored = evals.scored.sort("question", "epoch")
    assert scored.select("question", "epoch", "correct").rows() == [
        ("a", 1, True),
        ("a", 2, False),
        ("b", 1, False),
    ]


def test_log_probabilities(tmp_path):
    tokens = [{"token": "ANSWER", "logprob": -0.1}, {"token": " A", "logprob": -0.7}]
    output = {"choices": [{"message": {"content": "A"}, "logprobs": {"content": tokens}}]}
    evals = cb.read_evals(write(tmp_path, [sample("a", "C", output=output)]))
    assert evals.kinds == ("token", "sequence", "perplexity")


def test_scorers(tmp_path):
    scores = {"one": {"value": "C"}, "two": {"value": "I"}}
    path = write(tmp_path, [sample("a", "C", scores=scores)])
    assert cb.read_evals(path).accuracy == 1
    assert cb.read_evals(path, metric="two").accuracy == 0
    with pytest.raises(ParameterError, match="Its scorers: one, two"):
        cb.read_evals(path, metric="three")


def test_damaged_logs(tmp_path):
    path = write(tmp_path, [sample("a", "C")])
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2])
    with pytest.raises(FileError, match="not a complete zip archive"):
        cb.read_evals(path)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("other.json", "{}")
    with pytest.raises(FileError, match=r"has no header\.json"):
        cb.read_evals(path)
    with pytest.raises(FileError, match="version 3 of Inspect's format is not known"):
        cb.read_evals(write(tmp_path, [sample("a", "C")], version=3))
    with pytest.raises(FileError, match=r"not a sample of Inspect \(no id\)"):
        cb.read_evals(write(tmp_path, [{"epoch": 1}]))


@with_logs
def test_accuracies_are_those_in_the_headers():
    for path in sorted(LOGS.glob("*starsim*")) + sorted(LOGS.glob("*mmlu*")):
        with zipfile.ZipFile(path) as archive:
            results = json.loads(archive.read("header.json"))["results"]
        metrics = results["scores"][0]["metrics"]
        own = metrics.get("accuracy", metrics.get("mean"))["value"]
        assert cb.read_evals(path).accuracy == pytest.approx(own)


@with_logs
def test_members_compressed_by_zstandard():
    pytest.importorskip("zstandard")
    (path,) = LOGS.glob("*toy*")
    evals = cb.read_evals(path)
    assert len(evals.scored) == 4
    assert evals.accuracy == 0.5


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"epoch": "two"}, "epoch: a whole number was expected, not 'two'"),
        ({"scores": [1]}, r"scores: an object was expected, not \[1\]"),
        ({"output": 3}, "output: an object was expected, not 3"),
        ({"output": {"choices": {}}}, "output.choices: a list was expected"),
        ({"output": {"choices": [7]}}, r"output.choices\[0\]: an object was expected, not 7"),
        ({"output": {"choices": [{"logprobs": "x"}]}}, "logprobs: an object was expected"),
    ],
)
def test_fields_that_are_not_as_expected_are_named(tmp_path, change, message):
    path = write(tmp_path, [sample("a", "C"), sample("b", "C") | change], "log.json")
    with pytest.raises(FileError, match=rf"log.json, sample 2, .*{message}"):
        cb.read_evals(path)


def test_a_sample_that_is_there_twice_in_one_log_is_refused(tmp_path):
    path = write(tmp_path, [sample("a", "C"), sample("b", "C"), sample("a", "I")], "log.json")
    with pytest.raises(
        FileError, match="sample 3: id 'a', epoch 1 is there twice, first in sample 1"
    ):
        cb.read_evals(path)


def test_archives_that_are_not_complete(tmp_path):
    path = write(tmp_path, [sample("a", "C"), sample("b", "C")])
    whole = path.read_bytes()
    for end in range(len(whole)):
        path.write_bytes(whole[:end])
        with pytest.raises(FileError, match=r"log.eval is not a complete zip archive"):
            cb.read_evals(path)
