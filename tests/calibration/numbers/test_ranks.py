"""Ranks of simulation-based calibration."""

import numpy as np

from calibrant.numbers import PIT, Ranks


def test_ranks_are_a_pit():
    generator = np.random.default_rng(5)
    y, draws = generator.normal(size=200), generator.normal(size=(200, 19))
    ranks = Ranks((draws < y[:, None]).sum(axis=1), 19)
    pit = PIT.from_samples(y, draws)
    np.testing.assert_array_equal(ranks.curve().share, pit.curve().share)
    assert ranks.test().p_value == pit.test().p_value
    share = [np.mean(ranks.rank < i) for i in range(1, 20)]
    np.testing.assert_allclose(ranks.curve().share, share, atol=1e-12)
