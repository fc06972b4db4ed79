"""The quantile calibration score."""

import numpy as np
import pytest
from made_numbers import counted, in_documents, normal
from scipy import stats

from calibrant.numbers import PIT


def test_the_score_by_hand():
    pit = PIT.from_cdf([0.1, 0.2, 0.3, 0.9])
    shares, points = np.array([0.5, 0.75]), np.array([0.25, 0.5])
    plain = np.mean((shares - points) ** 2)
    found = pit.score(points, root=False, replicates=None)
    assert found.plugin == pytest.approx(plain)
    noise = np.mean(shares * (1 - shares) / 3)
    assert found.value == pytest.approx(max(plain - noise, 0.0))
    assert found.low is None
    weighted = pit.score(points, [3, 1], debiased=False, replicates=None)
    assert weighted.value == pytest.approx(np.sqrt([0.75, 0.25] @ (shares - points) ** 2))


@pytest.mark.parametrize("kind", ["points", "intervals", "groups"])
def test_what_noise_adds_is_taken_off(kind):
    """A calibrated model has a squared score of 0 on average, before it is cut off at 0."""
    found = []
    for seed in range(300):
        pit = {
            "points": lambda s: normal(100, s),
            "intervals": lambda s: counted(s, 100),
            "groups": lambda s: in_documents(100, 20, s),
        }[kind](seed)
        at = np.array([0.2, 0.5, 0.8])
        plain = pit.score(at, root=False, replicates=None).plugin
        sums = pit.positions.sums(at, pit.positions.counts(at) / 100)
        units = sums.shape[0]
        found.append((plain, np.mean((sums**2).sum(axis=0)) / 100**2 * units / (units - 1)))
    plain, noise = np.array(found).T
    assert plain.mean() == pytest.approx(noise.mean(), rel=0.2)


def test_intervals_of_the_score_cover():
    """60 simulations of a model that is biased to one side."""
    points = np.arange(1, 10) / 10
    true = np.sqrt(np.mean((stats.norm.cdf(stats.norm.ppf(points) - 0.2) - points) ** 2))
    covered = 0
    for seed in range(60):
        y = 0.2 + np.random.default_rng(seed).normal(size=200)
        found = PIT.from_normal(y, 0, 1).score(points, replicates=100)
        covered += found.low <= true <= found.high
        assert found.low <= found.value <= found.high
    assert covered >= 51  # 57 expected; fewer have a probability below 0.01
