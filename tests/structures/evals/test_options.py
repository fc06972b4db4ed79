import numpy as np
import pytest
from scipy.special import softmax

from calibrant.structures.evals.options import Options


def ragged(generator, questions=50):
    counts = generator.integers(2, 7, questions)
    start = np.concatenate([[0], np.cumsum(counts)])
    loglik = -50 * generator.random(start[-1])
    correct = generator.random(start[-1]) < 0.4
    return Options(start, loglik, correct)


@pytest.mark.parametrize("scaled", [False, True])
def test_probabilities_are_scipy_s_softmax_question_by_question(scaled):
    generator = np.random.default_rng(1)
    options = ragged(generator)
    length = generator.integers(1, 30, options.loglik.size).astype(float) if scaled else None
    found = options.probabilities(length)
    score = options.loglik if length is None else options.loglik / length
    for a, b in zip(options.start[:-1], options.start[1:], strict=True):
        np.testing.assert_allclose(found[a:b], softmax(score[a:b]), rtol=1e-12)


def test_the_chosen_option_is_the_most_probable():
    options = ragged(np.random.default_rng(2))
    chosen = options.chosen()
    q = options.probabilities()
    for i, (a, b) in enumerate(zip(options.start[:-1], options.start[1:], strict=True)):
        assert chosen.option[i] == np.argmax(q[a:b])
        assert chosen.q[i] == q[a:b].max()
        assert chosen.correct[i] == options.correct[a + chosen.option[i]]


def test_extremes():
    """Options without any probability, and log-likelihoods far below what a float can hold."""
    start = np.array([0, 2, 4, 6])
    loglik = np.array([-np.inf, -1.0, -np.inf, -np.inf, -5000.0, -5001.0])
    options = Options(start, loglik, np.array([True, False] * 3))
    assert options.probabilities()[:4].tolist() == [0, 1, 0.5, 0.5]
    assert options.probabilities()[4] == pytest.approx(1 / (1 + np.exp(-1)))
    assert options.chosen().option.tolist() == [1, 0, 0]
