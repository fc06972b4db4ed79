"""Random signs of groups."""

import numpy as np
import pytest
from made_numbers import in_documents, p_values

from calibrant.calibration.numbers.flips import critical
from calibrant.results.verdict import share_beyond


def test_flipped_bands_and_p_values_agree():
    drawn = np.random.default_rng(1).random(1999)
    limit = critical(drawn, 0.95)
    assert share_beyond(drawn, limit) > 0.05
    assert share_beyond(drawn, limit * (1 + 1e-6)) <= 0.05
    for seed in range(20):
        pit = in_documents(300, 15, seed, sd=0.8)
        assert pit.curve().inside == (pit.test().p_value > 0.05)


@pytest.mark.parametrize("test", ["Uniform", "CookGelmanRubin"])
def test_groups_are_respected(test):
    """Documents lean together: taken for independent, the shares are rejected too often."""
    p = p_values(lambda s: in_documents(300, 60, s), test, 40)
    assert np.sum(p <= 0.05) <= 7  # 2 expected; more have a probability below 0.001
    wrong = p_values(lambda s: in_documents(600, 60, s, sd=0.7), test, 10)
    assert np.mean(wrong <= 0.05) > 0.6
