"""The objective by enumeration, and its gradient by differences."""

import itertools

import numpy as np
import pytest

from calibrant.structures.sequences.models.encoding import learn, observed_pairs
from calibrant.structures.sequences.models.features import Features
from calibrant.structures.sequences.models.objective import Objective, in_parts

WORDS, GOLD, TAGS = [["a", "b", "a"], ["b"]], np.array([0, 1, 0, 1]), 2


@pytest.fixture(scope="module")
def objective():
    _, encoded = learn(Features(("word", "context"), reach=1), WORDS)
    return Objective(encoded, GOLD, TAGS, *observed_pairs(encoded, GOLD, TAGS), l2=0.3)


def test_the_value_equals_enumeration(objective):
    values = np.random.default_rng(1).normal(size=objective.size)
    weights = objective.weights(values)
    score = weights.scores(objective.encoded)
    lost = 0.0
    for begin, end in itertools.pairwise(objective.encoded.start.tolist()):

        def total(tags, begin=begin):
            moves = sum(weights.move[a, b] for a, b in itertools.pairwise(tags))
            return moves + sum(score[begin + t, tag] for t, tag in enumerate(tags))

        every = [total(tags) for tags in itertools.product(range(TAGS), repeat=end - begin)]
        lost += np.logaddexp.reduce(every) - total(GOLD[begin:end].tolist())
    assert objective(values)[0] == pytest.approx(lost + 0.3 * (values @ values), rel=1e-12)


def test_the_gradient_equals_differences(objective):
    values = np.random.default_rng(2).normal(size=objective.size)
    gradient = objective(values)[1]
    step = 1e-5  # the error of central differences is of order step², that of rounding 1e-16/step
    for k in range(objective.size):
        ahead, behind = values.copy(), values.copy()
        ahead[k] += step
        behind[k] -= step
        slope = (objective(ahead)[0] - objective(behind)[0]) / (2 * step)
        assert gradient[k] == pytest.approx(slope, abs=1e-8)


def test_parts_cover_everything_once():
    seen = []
    in_parts(lambda part, begin, end: seen.append(range(begin, end)), 37)
    assert sorted(k for each in seen for k in each) == list(range(37))
