import json

import numpy as np
import pytest

import calibrant as cb
from calibrant.structures.evals.averaging import averaged
from calibrant.structures.evals.options import Options


def write_attempts(path, questions):
    """Questions with a gold option, and a list of log-likelihoods for each attempt."""
    lines = [
        json.dumps({"id": k, "gold": gold, "preds": best(logliks), "pred_logliks": logliks})
        for k, (gold, logliks) in enumerate(questions)
    ]
    path.write_text("\n".join(lines) + "\n")
    return path


def best(logliks):
    return ["ABC"[int(np.argmax(each))] for each in logliks]


def drawn_questions(seed, count, attempts):
    """Three options; attempts share what they believe, and differ by noise."""
    generator = np.random.default_rng(seed)
    shared = generator.normal(0, 1, (count, 1, 3))
    scores = 2 * (shared + generator.normal(0, 1.5, (count, attempts, 3)))
    chance = np.exp(shared[:, 0]) / np.exp(shared[:, 0]).sum(axis=1, keepdims=True)
    gold = [generator.choice(["A", "B", "C"], p=row) for row in chance]
    return [(gold[k], scores[k].tolist()) for k in range(count)]


def softmax(rows):
    mass = np.exp(np.array(rows) - np.max(rows, axis=1, keepdims=True))
    return mass / mass.sum(axis=1, keepdims=True)


def test_means_over_attempts(tmp_path):
    questions = drawn_questions(0, 40, 5)
    evals = cb.read_evals(write_attempts(tmp_path / "chains.jsonl", questions))
    means = np.array([softmax(logliks).mean(axis=0) for _, logliks in questions])
    pairs = evals.pairs("averaged")
    assert pairs.q == pytest.approx(means.max(axis=1))
    right = [gold == "ABC"[k] for (gold, _), k in zip(questions, means.argmax(axis=1), strict=True)]
    assert pairs.y.tolist() == [int(each) for each in right]
    assert evals.without_confidence("averaged") == 0
    frame = evals.answers("averaged")
    assert frame["q"].to_numpy() == pytest.approx(means.max(axis=1))
    # the row is that of an attempt that chose the option, where there is one
    chosen = ["ABC"[k] for k in means.argmax(axis=1)]
    given = zip(frame["answer"], chosen, (best(each) for _, each in questions), strict=True)
    assert all(answer == wanted or wanted not in several for answer, wanted, several in given)


def test_a_question_with_a_single_attempt_has_no_mean(tmp_path):
    questions = [("A", [[-1.0, -2.0, -3.0]]), ("B", [[-1.0, -2.0, -3.0], [-3.0, -1.0, -2.0]])]
    evals = cb.read_evals(write_attempts(tmp_path / "chains.jsonl", questions))
    assert len(evals.pairs("averaged")) == 1
    assert evals.without_confidence("averaged") == 1
    alone = cb.read_evals(write_attempts(tmp_path / "alone.jsonl", questions[:1]))
    assert "averaged" not in alone.kinds


def test_attempts_with_options_in_another_order_are_not_averaged():
    correct = np.array([1, 0, 0, 1, 1, 0, 1, 0], bool)
    options = Options(np.arange(0, 9, 2), np.log(np.tile([0.8, 0.2], 4)), correct)
    found = averaged(["x", "x", "y", "y"], options)
    assert found.row.tolist() == [2]
    longer = Options(np.array([0, 2, 5]), np.zeros(5), np.array([1, 0, 1, 0, 0], bool))
    assert averaged(["x", "x"], longer).row.size == 0


def test_an_impossible_option_stays_impossible():
    loglik = np.array([0.0, -np.inf, 0.0, -np.inf])
    options = Options(np.array([0, 2, 4]), loglik, np.array([1, 0, 1, 0], bool))
    assert averaged(["x", "x"], options).options.probabilities().tolist() == [1.0, 0.0]


def test_pooled_attempts_are_mapped_by_held_out_answers(tmp_path):
    """The mean of bold attempts is bold; one temperature for all options mends it."""
    evals = cb.read_evals(write_attempts(tmp_path / "c.jsonl", drawn_questions(1, 500, 3)))
    found = cb.recalibrate_evals(evals, kind="averaged")["averaged"]
    assert found.method == "Temperature"
    assert found.verdict == "use it"
    assert found.told.startswith("temperature ")
    assert found.change.n == 500


def test_an_option_that_no_attempt_chose_has_no_answer(tmp_path):
    logliks = [[-0.69, -0.8, -3.0], [-3.0, -0.8, -0.69]]
    evals = cb.read_evals(write_attempts(tmp_path / "pool.jsonl", [("B", logliks), ("A", logliks)]))
    frame = evals.answers("averaged")
    assert frame["answer"].to_list() == [None, None]
    assert frame["y"].to_list() == [True, False]


def test_attempts_may_list_options_with_texts_in_another_order(tmp_path):
    row = {"id": 1, "right_texts": ["a", "b"], "wrong_texts": ["c", "d"]}
    first = row | {"right_logliks": [-0.1, -5.0], "wrong_logliks": [-3.0, -6.0]}
    other = {"id": 1, "right_texts": ["b", "a"], "wrong_texts": ["d", "c"]}
    other |= {"right_logliks": [-5.0, -0.1], "wrong_logliks": [-6.0, -3.0]}
    path = tmp_path / "shuffled.jsonl"
    path.write_text(json.dumps(first) + "\n" + json.dumps(other) + "\n")
    evals = cb.read_evals(path)
    assert evals.frame["answer"].to_list() == ["a", "a"]
    assert evals.pairs("averaged").q[0] == pytest.approx(evals.pairs("choice").q[0])
