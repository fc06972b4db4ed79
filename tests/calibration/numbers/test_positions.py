"""Positions, and u drawn from their intervals."""

import numpy as np
import pytest
from scipy import stats

from calibrant.numbers import PIT


def test_randomised_ranks_are_uniform_under_ties():
    generator = np.random.default_rng(2)
    pit = PIT.from_samples(generator.integers(0, 3, 4000), generator.integers(0, 3, (4000, 9)))
    u = pit.randomised().low
    assert ((pit.low <= u) & (u <= pit.high)).all()
    assert stats.kstest(u, "uniform").pvalue > 0.01
    assert stats.kstest((pit.low + pit.high) / 2, "uniform").pvalue < 1e-10  # midpoints are not


def test_labels_of_groups_do_not_matter_to_randomised_ranks():
    rng = np.random.default_rng(3)
    y, draws, group = rng.normal(size=200), rng.normal(size=(200, 9)), np.arange(200) % 60
    one, other = (
        PIT.from_samples(y, draws, group=each).test("CookGelmanRubin").p_value
        for each in (group, 99 - group)
    )
    assert one == pytest.approx(other, rel=1e-9)
