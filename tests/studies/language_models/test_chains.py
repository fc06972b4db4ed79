from collections import Counter

import pytest
from made_evals import chains_log
from scipy.special import softmax

from calibrant.studies.language_models import chain_tables, chains
from calibrant.studies.language_models.judged import judge
from calibrant.studies.language_models.logs import read_chains
from calibrant.studies.progress import QUIET


@pytest.fixture(scope="module")
def evals(tmp_path_factory):
    path = tmp_path_factory.mktemp("chains") / "log.jsonl"
    chains_log(path, 1, questions=800, chains=6)
    return read_chains(path, "made")


def by_question(evals):
    return [part for _, part in evals.frame.group_by("question", maintain_order=True)]


def test_the_naive_majority_share(evals):
    found = chains.naive(evals).pairs
    for k, part in enumerate(by_question(evals)):
        votes = Counter(part["answer"])
        top = max(votes.values())
        first = next(each for each in part["answer"] if votes[each] == top)
        assert found.q[k] == top / 6
        assert found.y[k] == (first == part["gold"][0])


def test_averaged_probabilities(evals):
    found = chains.averaged(evals).pairs
    for k, part in enumerate(by_question(evals)):
        mean = softmax(part["option_loglik"].to_list(), axis=1).mean(axis=0)
        assert found.q[k] == pytest.approx(mean.max())
        assert found.y[k] == ("ABCD"[mean.argmax()] == part["gold"][0])


def test_a_calibrated_model_looks_overconfident_by_its_naive_share_alone(evals):
    """Chains are drawn from what it believes, and so is the truth."""
    naive = judge(*chains.naive(evals))
    assert naive.excess.low > 0.05
    assert naive.calibration.low > 0.05
    for kind in (chains.agreement, chains.majority):
        held_out = judge(*kind(evals))
        assert held_out.excess.low < 0 < held_out.excess.high
        assert held_out.calibration.low == 0


def test_means_of_shares_are_those_of_the_draws(evals):
    for kind in (chains.agreement, chains.majority):
        pairs, shares = kind(evals)
        assert pairs.mean(pairs.predicted) == pytest.approx(shares.mean(shares.q))
        assert pairs.n == shares.n


def test_kinds_need_some_chains(evals):
    rows = chain_tables.by_number({"made": evals}, (1, 3, 6), QUIET).rows
    kinds = {count: [row.kind for row in rows if row.chains == count] for count in (1, 3, 6)}
    assert kinds[1] == ["option"]
    assert kinds[3] == ["option", "averaged", "agreement", "naive majority"]
    assert kinds[6] == list(chains.KINDS)


def test_forecasts_are_compared_in_one_direction(evals):
    (row,) = chain_tables.forecasts({"made": evals}).rows
    assert row.difference.value == pytest.approx(row.agreement.value - row.option.value)
    assert row.difference.low <= row.difference.value <= row.difference.high
    assert (row.p < 0.05) == (row.difference.low > 0 or row.difference.high < 0)
    better = row.agreement.value < row.option.value
    assert row.words.startswith("made: agreement" if better else "made: the probability")


def test_repeated_chains_are_counted(tmp_path):
    chains_log(tmp_path / "log.jsonl", 2, questions=30, chains=4)
    found = read_chains(tmp_path / "log.jsonl", "made")
    (row,) = chain_tables.repeated({"made": found}).rows
    assert (row.chains, row.different, row.same) == (4, 4.0, 0.0)
    loglik = [[-1.0, -2.0, -3.0, -4.0]] * 3
    line = f'{{"doc": {{"id": 1, "Label": "A"}}, "preds": [0, 0, 0], "pred_logliks": {loglik}}}'
    (tmp_path / "same.jsonl").write_text(line)
    (row,) = chain_tables.repeated({"made": read_chains(tmp_path / "same.jsonl", "made")}).rows
    assert (row.chains, row.different, row.same) == (3, 1.0, 1.0)
