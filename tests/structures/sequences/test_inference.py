"""Every sum and every search against all tag sequences, one by one."""

import numpy as np
import pytest
from enumeration import all_sequences, random_chain

from calibrant.structures.sequences import inference
from calibrant.structures.sequences.inference import Scores

LENGTHS = (3, 0, 1)


@pytest.fixture(scope="module")
def chain():
    return random_chain(LENGTHS, ["A", "B", "C"], seed=4, forbidden=[("A", "C")])


@pytest.fixture(scope="module")
def scores(chain):
    return Scores(chain.start, chain.score, chain.move, chain.first, chain.last)


def test_sentences(scores):
    assert [each.shape for each in scores.sentences()] == [(size, 3) for size in LENGTHS]


def test_sums(chain, scores):
    sums = inference.sum_up(scores)
    wanted = np.zeros_like(scores.score)
    for k in range(len(LENGTHS)):
        for path, mass in zip(*all_sequences(chain, k), strict=True):
            wanted[chain.start[k] + np.arange(path.size), path] += mass
    np.testing.assert_allclose(sums.single, wanted, atol=1e-14)
    assert sums.pair.sum() == pytest.approx(2)  # moves of the sentence of three words
    assert sums.pair[0, 2] == 0
    assert sums.total[1] == 0


def test_messages_add_up_to_the_whole(scores):
    ahead, behind, whole = inference.pass_messages(scores)
    np.testing.assert_allclose(np.logaddexp.reduce(ahead + behind, axis=1), whole)
    np.testing.assert_allclose(whole, np.repeat(inference.sum_up(scores).total, LENGTHS))


def test_entropy(chain, scores):
    for k, found in enumerate(inference.entropy(scores)):
        p = all_sequences(chain, k)[1]
        assert found == pytest.approx(-np.sum(p[p > 0] * np.log(p[p > 0])), abs=1e-12)


def test_the_best_few_begin_with_the_best(chain, scores):
    total = inference.sum_up(scores).total
    few = inference.best_few(scores, 4)
    found = inference.best(scores)
    for k, best in enumerate(np.split(found.path, scores.start[1:-1])):
        paths, p = all_sequences(chain, k)
        order = np.argsort(-p)[:4]
        np.testing.assert_array_equal(best, paths[order[0]])
        assert np.exp(found.value[k] - total[k]) == pytest.approx(p[order[0]], rel=1e-13)
        np.testing.assert_array_equal(few[k].path, paths[order][p[order] > 0])
        np.testing.assert_allclose(np.exp(few[k].value - total[k]), p[order][p[order] > 0])


def test_draws(scores):
    drawn = inference.draw(scores, 5, seed=1)
    assert [each.shape for each in drawn] == [(5, size) for size in LENGTHS]
    for one, other in zip(drawn, inference.draw(scores, 5, seed=1), strict=True):
        np.testing.assert_array_equal(one, other)


def test_the_sum_over_sequences_with_a_fixed_tag(chain, scores):
    (score, *_), total = scores.sentences(), inference.sum_up(scores).total[0]
    fixed = score.copy()
    fixed[1, [0, 2]] = -np.inf
    share = np.exp(inference.log_sum(scores, fixed) - total)
    assert share == pytest.approx(chain.marginals[1, 1])
    assert inference.log_sum(scores, score[:0]) == 0
