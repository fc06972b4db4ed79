import numpy as np
import polars as pl
import pytest
from made_logs import option_row, text_row

import calibrant as cb
from calibrant.errors import InputError, ParameterError, UnknownName
from calibrant.structures.evals.agreement import agreement, majority


@pytest.fixture
def evals(samples):
    return cb.read_evals(
        samples(
            option_row(0, [-1.0, -0.5, -3.0], "1", acc=1.0),
            option_row(1, [-1.0, -2.0], "1", acc=0.0),
            option_row(2, [-0.1, -2.0], "0", acc=1.0),
            option_row(3, [0.0, 0.0], "0", acc=1.0),
        )
    )


def test_written_pairs_are_the_pairs(evals, tmp_path):
    for kind in evals.kinds:
        for suffix in ("parquet", "csv", "jsonl"):
            path = tmp_path / f"{kind}.{suffix}"
            evals.save(path, kind)
            assert cb.read(path) == evals.pairs(kind)


def test_all_attempts_are_written(evals, tmp_path):
    evals.save(tmp_path / "all.parquet")
    back = pl.read_parquet(tmp_path / "all.parquet")
    assert back.height == 4
    assert back["aside"].null_count() == 3
    assert back["choice"].to_list()[:3] == evals.pairs("choice", group=None).q.tolist()
    evals.save(tmp_path / "all.csv")
    assert "option_loglik" not in (tmp_path / "all.csv").read_text()


def test_wrong_kinds_and_groups(evals):
    with pytest.raises(UnknownName, match="Did you mean stated"):
        evals.pairs("state")
    with pytest.raises(InputError, match="No attempt has a confidence of the kind stated"):
        evals.pairs("stated")
    with pytest.raises(ParameterError, match="group must be"):
        evals.pairs("choice", group="document")


@pytest.mark.filterwarnings("ignore:The groups are worth only")
def test_scores(evals):
    found = cb.score_evals(evals, kind=["choice", "choice_all"])
    assert [row.kind for row in found.rows] == ["choice", "choice_all"]
    row = found.rows[0]
    assert (row.attempts, row.accuracy) == (3, pytest.approx(2 / 3))
    assert row.estimate.value == cb.score(evals.pairs("choice")).value
    assert found.set_aside == {"all log-likelihoods are 0": 1}
    assert "set aside: 1 all log-likelihoods are 0" in found.note
    assert found.to_frame().height == 2
    assert "choice_all" in str(found)


def test_logs_without_confidence(samples):
    found = cb.score_evals(samples(text_row(0, ["x"], "x", exact_match=1.0)))
    assert [row.verdict for row in found.rows] == ["no confidence in the log"]
    assert found.rows[0].accuracy == 1


def test_verdicts(tmp_path):
    rng = np.random.default_rng(0)
    rows = []
    for task, shift in (("right", 0.0), ("bold", 0.3), ("shy", -0.2)):
        q = rng.uniform(0.4, 0.9, 400)
        right = rng.random(400) < np.clip(q - shift, 0, 1)
        rows.append(pl.DataFrame({"task": task, "correct": right, "token": q}))
    frame = pl.concat(rows).with_columns(correct=pl.col("correct").cast(pl.Int8))
    path = tmp_path / "t.parquet"
    frame.write_parquet(path)
    verdicts = {row.task: row.verdict for row in cb.score_evals(path).rows}
    assert verdicts["right"] == "no evidence of miscalibration"
    assert verdicts["bold"].startswith("overconfident by 0.")
    assert verdicts["shy"].startswith("underconfident by 0.")


def test_agreement_counts_the_others():
    question = ["a", "a", "a", "b", "b", "c", "c", "c", "c"]
    answer = ["1", "1", "2", "1", "1", "x", None, "x", "X"]
    found = agreement(question, answer, str.lower)
    assert found.row.tolist() == [0, 1, 2, 5, 7, 8]
    assert found.same.tolist() == [1, 1, 0, 2, 2, 2]
    assert found.others.tolist() == [2] * 6


def test_the_majority_is_chosen_by_others():
    question = ["a"] * 6 + ["b"] * 3
    epoch = [3, 1, 2, 4, 5, 6, 1, 2, 3]
    answer = ["x", "x", "y", "x", "y", "x", "z", "z", "z"]
    found = majority(question, epoch, answer, str)
    # epochs 1, 3, 5 choose: x, x, y; epochs 2, 4, 6 are counted: y, x, x
    assert (found.row.tolist(), found.same.tolist(), found.others.tolist()) == ([1], [2], [3])


@pytest.mark.parametrize("draws", [5, 11])
def test_agreement_of_a_calibrated_model_is_calibrated(draws):
    """Answers are drawn from the model's own belief, and so is the truth.

    The share of the others that agree is then a calibrated probability of each answer. The share
    among all attempts, which counts the attempt itself, is too high by (1 − share)/draws.
    """
    rng = np.random.default_rng(draws)
    belief = rng.dirichlet([0.6, 0.6, 0.6], 3000)
    truth = (belief.cumsum(axis=1) < rng.random((3000, 1))).sum(axis=1)
    u = rng.random((3000, draws, 1))
    given = (belief.cumsum(axis=1)[:, None, :] < u).sum(axis=2)
    question = np.repeat(np.arange(3000), draws).tolist()
    found = agreement(question, [str(each) for each in given.ravel()], str)
    y = (given == truth[:, None]).ravel()
    pairs = cb.Pairs.from_draws(y, found.same, found.others, group=question)
    excess = found.same / found.others - y
    by_question = excess.reshape(3000, draws).mean(axis=1)
    assert abs(by_question.mean()) < 4 * by_question.std() / np.sqrt(3000)
    naive = (found.same + 1) / draws - y
    assert naive.mean() > 4 * by_question.std() / np.sqrt(3000)
    assert cb.score(pairs).low == 0
    _check_majority(question, given, truth)


def _check_majority(question, given, truth):
    """The share of the others is right on average; the share of all attempts is too large."""
    answers = [str(each) for each in given.ravel()]
    epoch = np.tile(np.arange(given.shape[1]), len(given)).tolist()
    found = majority(question, epoch, answers, str)
    right = given.ravel()[found.row] == truth
    excess = found.same / found.others - right
    error = 4 * excess.std() / np.sqrt(len(given))
    assert abs(excess.mean()) < error
    modes = np.array([np.bincount(row, minlength=3) for row in given])
    naive = modes.max(axis=1) / given.shape[1] - (modes.argmax(axis=1) == truth)
    assert naive.mean() > error
