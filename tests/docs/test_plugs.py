"""The examples that plug calibrant into evaluation frameworks, with the frameworks themselves."""

import gc
import importlib.util
import warnings
from pathlib import Path
from types import SimpleNamespace as Made

import numpy as np
import pytest

import calibrant as cb

pytestmark = pytest.mark.libraries

FOLDER = Path(__file__).parents[2] / "examples"


def loaded(name):
    """An example as a module; it must import without the framework."""
    spec = importlib.util.spec_from_file_location(name, FOLDER / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def library(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of what it imports
        return pytest.importorskip(name, reason=f"{name} is not installed")


def attempts(count=24, epochs=4):
    """Half of the attempts at every sample are right, and all are stated to be."""
    return [
        Made(sample_id=k, score=Made(value={"correct": (k + epoch) % 2, "confidence": 1.0}))
        for k in range(count)
        for epoch in range(epochs)
    ]


def test_attempts_are_pairs_and_samples_groups():
    """The trap: the average of a sample is ½, and rounding it to right or wrong hides the error."""
    pairs = loaded("inspect_metric").attempt_pairs(attempts())
    assert (len(pairs), pairs.groups) == (96, 24)
    assert cb.score(pairs, interval=None).value == pytest.approx(0.5)
    averaged = [
        np.mean([each.score.value["correct"] for each in attempts()[4 * k : 4 * k + 4]])
        for k in range(24)
    ]
    assert cb.score(cb.Pairs(np.array(averaged) >= 0.5, np.ones(24)), interval=None).value == 0


def test_attempts_without_a_number_are_left_out():
    made = attempts(2, 2)
    made[0].score.value["confidence"] = float("nan")
    made[3].score.value["correct"] = None
    assert len(loaded("inspect_metric").attempt_pairs(made)) == 2


@pytest.mark.filterwarnings("ignore")  # of streams that Inspect leaves open
def test_inspect_computes_the_metric_on_attempts(tmp_path):
    """With four epochs, whose average would be ½ for every sample."""
    inspect_ai = library("inspect_ai")
    from inspect_ai.dataset import Sample
    from inspect_ai.scorer import Score, scorer
    from inspect_ai.solver import solver

    @scorer(metrics=[loaded("inspect_metric").calib_score()])
    def stated():
        async def run(state, target):
            right = (int(state.sample_id) + state.epoch) % 2
            return Score(value={"correct": right, "confidence": 1.0})

        return run

    @solver
    def silent():
        async def run(state, generate):
            return state

        return run

    task = inspect_ai.Task(
        dataset=[Sample(input="?", target="!", id=k) for k in range(1, 13)],
        solver=silent(),
        scorer=stated(),
        epochs=4,
    )
    log = inspect_ai.eval(task, model="mockllm/model", display="none", log_dir=str(tmp_path))[0]
    assert log.status == "success", log.error
    values = [each.value for score in log.results.scores for each in score.metrics.values()]
    assert values == [pytest.approx(0.5)]
    gc.collect()  # here, where the warnings of those streams are ignored


def choices(count=400, seed=0):
    logs = np.random.default_rng(seed).normal(size=(count, 4)) * 2
    powers = np.exp(logs) / np.exp(logs).sum(axis=1, keepdims=True)
    return logs, powers


def test_choices_of_lm_eval():
    """The probability is that of the best choice, by an independent softmax."""
    plug = loaded("lm_eval_aggregation")
    logs, powers = choices()
    gold = np.arange(400) % 4
    items = [
        plug.process_results({"gold": right}, [(log, False) for log in row])["calib_score"]
        for right, row in zip(gold, logs, strict=True)
    ]
    expected = cb.ask(cb.Labels(powers), gold, cb.TopLabel())
    np.testing.assert_allclose([q for _, q in items], expected.q, rtol=1e-12)
    assert [y for y, _ in items] == expected.y.astype(int).tolist()
    assert plug.calib_score(items) == pytest.approx(cb.score(expected, interval=None).value)


def test_lm_eval_accepts_the_aggregation():
    library("lm_eval")
    from lm_eval.api.registry import get_aggregation, register_aggregation

    plug = loaded("lm_eval_aggregation")
    register_aggregation("calib_score_of_calibrant")(plug.calib_score)
    found = get_aggregation("calib_score_of_calibrant")
    assert found([(1, 0.5), (0, 0.5)]) == plug.calib_score([(1, 0.5), (0, 0.5)])


def test_numbers_of_the_module():
    pairs = cb.synthetic.sample(500, cb.synthetic.inward(0.1), seed=1)
    found = loaded("evaluate_module").compute(pairs.q, pairs.y)
    expected = cb.score(pairs)
    assert (found["score"], found["low"], found["high"]) == (
        expected.value,
        expected.low,
        expected.high,
    )
    with pytest.raises(cb.errors.InputError, match="The arguments look swapped"):
        loaded("evaluate_module").compute(pairs.y, pairs.q)


def test_evaluate_loads_the_module():
    evaluate = library("evaluate")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        module = evaluate.load(str(FOLDER / "evaluate_module.py"))
        pairs = cb.synthetic.sample(500, cb.synthetic.inward(0.1), seed=1)
        found = module.compute(predictions=pairs.q, references=pairs.y.astype(int))
    assert found["score"] == cb.score(pairs).value
    assert found["signature"] == cb.score(pairs).signature
