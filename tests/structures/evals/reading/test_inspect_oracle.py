"""What Inspect itself reads from its logs, attempt by attempt."""

import pytest
from real_data import DATA

import calibrant as cb

inspect_log = pytest.importorskip("inspect_ai.log", reason="inspect_ai is not installed")
LOGS = sorted((DATA / "evals" / "inspect").glob("*.eval"))
SCORES = {"C": True, "I": False, 1: True, 0: False}


def correct(value):
    """Whether a score says right or wrong; None if it says neither."""
    if isinstance(value, dict):
        value = value.get("correct")
    return SCORES.get(value) if isinstance(value, str | int | float) else None


@pytest.mark.skipif(not LOGS, reason="the shared logs are not here")
@pytest.mark.parametrize("path", LOGS, ids=[path.stem[:40] for path in LOGS])
def test_attempts_are_those_of_inspect(path):
    log = inspect_log.read_eval_log(str(path))
    expected = {}
    for sample in log.samples:
        scores = sample.scores or {}
        first = next(iter(scores.values()), None)
        expected[str(sample.id), sample.epoch] = None if first is None else correct(first.value)
    frame = cb.read_evals(path).frame
    found = {
        (question, epoch): right
        for question, epoch, right in frame.select("question", "epoch", "correct").iter_rows()
    }
    assert found == expected
    assert set(frame["model"]) == {log.eval.model}
    assert set(frame["task"]) == {log.eval.task}


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # of its streams
def test_a_log_that_inspect_writes_now(tmp_path):
    from inspect_ai import Task, eval
    from inspect_ai.dataset import Sample
    from inspect_ai.model import ModelOutput, get_model
    from inspect_ai.scorer import match

    answers = ["4", "five", "9", "9", "5", "10"]
    outputs = [ModelOutput.from_content("mockllm/model", each) for each in answers]
    questions = [("2 + 2", "4"), ("2 + 3", "5"), ("3 × 3", "9")]
    task = Task(
        dataset=[Sample(input=asked, target=gold, id=asked) for asked, gold in questions],
        scorer=match(location="exact"),
    )
    model = get_model("mockllm/model", custom_outputs=outputs)
    (log,) = eval(task, model=model, epochs=2, log_dir=str(tmp_path), display="none", max_samples=1)
    frame = cb.read_evals(log.location.removeprefix("file://")).frame.sort("question", "epoch")
    expected = {
        (str(sample.id), sample.epoch): correct(next(iter(sample.scores.values())).value)
        for sample in log.samples
    }
    rows = frame.select("question", "epoch", "correct").rows()
    assert {(question, epoch): right for question, epoch, right in rows} == expected
    assert sorted(frame["correct"].to_list()) == sorted(expected.values())
    assert 0 < sum(expected.values()) < 6
