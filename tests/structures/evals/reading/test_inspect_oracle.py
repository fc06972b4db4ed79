"""What Inspect itself reads from its logs, attempt by attempt."""

import pytest
from real_data import DATA

import calibrant as cb

pytestmark = pytest.mark.libraries

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


def test_a_log_that_inspect_writes_now(tmp_path):
    from inspect_ai.model import ChatCompletionChoice, ChatMessageAssistant, ModelOutput
    from inspect_ai.scorer import Score

    def sample(name, epoch, value):
        choice = ChatCompletionChoice(message=ChatMessageAssistant(content="an answer"))
        return inspect_log.EvalSample(
            id=name,
            epoch=epoch,
            input=name,
            target="4",
            output=ModelOutput(model="m", choices=[choice]),
            scores={} if value is None else {"match": Score(value=value, answer="4")},
        )

    values = {("a", 1): "C", ("a", 2): "I", ("b", 1): 1, ("b", 2): 0.0, ("c", 1): None}
    spec = inspect_log.EvalSpec(
        created="2026-01-01T00:00:00+00:00",
        task="sums",
        dataset=inspect_log.EvalDataset(),
        model="org/m",
        config=inspect_log.EvalConfig(),
    )
    samples = [sample(*key, value) for key, value in values.items()]
    path = tmp_path / "log.eval"
    inspect_log.write_eval_log(
        inspect_log.EvalLog(status="success", eval=spec, samples=samples), str(path)
    )
    frame = cb.read_evals(path).frame
    rows = frame.select("question", "epoch", "correct").rows()
    assert {(name, epoch): right for name, epoch, right in rows} == {
        key: correct(value) for key, value in values.items()
    }
    assert frame["aside"].to_list().count("unscored") == 1
