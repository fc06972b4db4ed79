import numpy as np
import polars
import pytest

import calibrant as cb
from calibrant.errors import InputError, ParameterError


def table(folder, model, **columns):
    path = folder / f"{model}.csv"
    polars.DataFrame(columns).write_csv(path)
    return path


def drawn(folder, model, seed, shift, count=300):
    """A model whose stated confidence is off by `shift` on the logit scale."""
    generator = np.random.default_rng(seed)
    x = generator.normal(1, 1.5, count)
    right = generator.random(count) < 1 / (1 + np.exp(-x))
    order = generator.permutation(count)
    return table(
        folder,
        model,
        question=order,
        subject=order % 15,
        answer=np.where(right, "A", "B")[order],
        gold=["A"] * count,
        stated=(1 / (1 + np.exp(-x - shift)))[order].round(4),
    )


def test_models_are_compared_on_the_same_questions_in_any_order(tmp_path):
    paths = [drawn(tmp_path, "good", 1, 0.0), drawn(tmp_path, "bad", 2, 2.0)]
    evals = cb.read_evals(paths)
    found = cb.score_evals(evals, against="good")
    good, bad = found.rows
    assert good.against is None
    frames = [each.evals.answers("stated").sort("question") for each in evals.parts()]
    models = {
        name: cb.Pairs(frame["y"].to_numpy(), frame["q"].to_numpy(), group=frame["group"].to_list())
        for name, frame in zip(("good", "bad"), frames, strict=True)
    }
    direct = cb.compare(models, own_answers=True)
    difference = bad.against.difference
    assert bad.against.questions == 300
    assert difference.value == pytest.approx(-direct.difference.value)
    assert (difference.low, difference.high) == pytest.approx(
        (-direct.difference.high, -direct.difference.low)
    )
    assert difference.low > 0
    assert bad.against.p_value == pytest.approx(direct.p_value)
    right = [frame["y"].to_numpy().mean() for frame in frames]
    assert bad.against.accuracy.value == pytest.approx(right[1] - right[0])
    assert "accuracy difference" in found.table()[0]
    assert "differences: minus good" in found.note
    assert bad.to_dict()["difference_low"] == difference.low


@pytest.mark.filterwarnings("error")
def test_round_numbers_that_models_state_are_not_taken_for_shares(tmp_path):
    generator = np.random.default_rng(3)
    count = 200
    for model in ("one", "two"):
        right = generator.random(count) < 0.7
        table(
            tmp_path,
            model,
            question=np.arange(count),
            answer=np.where(right, "A", "B"),
            gold=["A"] * count,
            stated=generator.integers(10, 20, count) / 20,
        )
    evals = cb.read_evals([tmp_path / "one.csv", tmp_path / "two.csv"])
    assert len(cb.score_evals(evals, against="one").rows) == 2
    parts = evals.parts()
    cb.score(parts[0].evals.pairs("stated"))
    cb.report(evals, kind="stated")


def test_only_common_questions_count(tmp_path):
    shared = {"gold": ["A"] * 40, "stated": [0.9, 0.6] * 20}
    one = table(tmp_path, "one", question=range(40), answer=["A", "B"] * 20, **shared)
    other = table(tmp_path, "other", question=range(10, 50), answer=["A", "B"] * 20, **shared)
    found = cb.score_evals(cb.read_evals([one, other]), against="one")
    assert found.rows[1].attempts == 40
    assert found.rows[1].against.questions == 30


def test_attempts_that_count_others_are_not_compared(tmp_path):
    columns = {"question": [*range(8)] * 4, "gold": ["A"] * 32, "answer": ["A", "B"] * 16}
    paths = [table(tmp_path, name, **columns) for name in ("one", "other")]
    found = cb.score_evals(cb.read_evals(paths), kind="agreement", against="one")
    assert [row.against for row in found.rows] == [None, None]


def test_what_cannot_be_compared(tmp_path):
    shared = {"stated": [0.9, 0.6], "answer": ["A", "B"]}
    one = table(tmp_path, "one", question=["a", "b"], gold=["A", "A"], **shared)
    turned = table(tmp_path, "turned", question=["a", "b"], gold=["A", "B"], **shared)
    apart = table(tmp_path, "apart", question=["c", "d"], gold=["A", "A"], **shared)
    task = table(tmp_path, "task", question=["a", "b"], gold=["A", "A"], task=["t", "t"], **shared)
    for others, message in (
        (
            [turned],
            "question 'b': the correct answer is 'B' for turned, but 'A' for one. Are these",
        ),
        ([apart], "apart and one answered no question of table in common: their questions are 'c'"),
        ([task], "one answered table; the other models answered t. There is no task in common"),
        ([], "There is no other model to compare with one"),
    ):
        evals = cb.read_evals([one, *others])
        with pytest.raises(InputError, match=message):
            cb.score_evals(evals, against="one")
    with pytest.raises(InputError, match="'gpt' is not one of the models: one"):
        cb.score_evals(cb.read_evals(one), against="gpt")
    with pytest.raises(InputError, match="'t' matches several of the models: apart, turned"):
        cb.score_evals(cb.read_evals([one, turned, apart]), against="t")


def test_part_of_a_name_is_enough(tmp_path):
    paths = [drawn(tmp_path, "gpt_eval_all", 1, 0.0), drawn(tmp_path, "gemma_eval_all", 2, 2.0)]
    found = cb.score_evals(cb.read_evals(paths), against="gpt")
    assert found.rows[1].against.model == "gpt_eval_all"


def test_unparsed_answers_count_as_wrong_only_on_request(tmp_path):
    columns = {"gold": ["A", "A", "A"], "answer": ["A", "", "B"], "stated": [0.9, 0.8, 0.7]}
    path = table(tmp_path, "one", **columns)
    aside, wrong = cb.read_evals(path), cb.read_evals(path, unparsed="wrong")
    assert aside.set_aside() == {"unparsed": 1}
    assert wrong.set_aside() == {}
    assert aside.pairs("stated").y.tolist() == [1, 0]
    assert wrong.pairs("stated").y.tolist() == [1, 0, 0]
    assert wrong.pairs("stated").q.tolist() == [0.9, 0.8, 0.7]
    assert "|unparsed=wrong|calibrant=" in cb.score_evals(wrong).signature
    with pytest.raises(ParameterError, match="unparsed must be aside or wrong, but it is 'drop'"):
        cb.read_evals(path, unparsed="drop")


def test_signatures_say_whether_log_probabilities_are_raw(tmp_path):
    columns = {"gold": ["A"] * 3, "answer": ["A", "A", "B"], "token": [0.9, 0.8, 0.7]}
    path = table(tmp_path, "one", **columns)
    for logprobs, stated in ((None, "unstated"), ("raw", "raw"), ("processed", "processed")):
        found = cb.score_evals(cb.read_evals(path, logprobs=logprobs))
        assert f"|logprobs={stated}|calibrant=" in found.signature
    with pytest.raises(
        ParameterError, match="logprobs must be raw or processed, but it is 'rough'"
    ):
        cb.read_evals(path, logprobs="rough")


def test_rows_are_matched_only_if_gold_answers_can_be_checked(tmp_path):
    columns = {"correct": [1, 0] * 20, "token": [0.9, 0.6] * 20}
    one, other = (table(tmp_path, name, **columns) for name in ("one", "other"))
    with pytest.raises(
        InputError, match="one have no column for the question, so their rows cannot"
    ):
        cb.score_evals(cb.read_evals([one, other]), against="one")
    gold = {"gold": ["A"] * 40, "answer": ["A", "B"] * 20, "token": [0.9, 0.6] * 20}
    one, other = (table(tmp_path, name, **gold) for name in ("one", "other"))
    found = cb.score_evals(cb.read_evals([one, other]), against="one")
    assert found.rows[1].against.questions == 40
