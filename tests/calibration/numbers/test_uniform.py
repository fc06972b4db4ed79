"""The law of uniform draws."""

import numpy as np
import pytest
from scipy import stats

from calibrant.calibration.numbers.uniform import (
    probability_inside,
    simultaneous,
    surprise_at,
    uniform_p_value,
    windows,
)


@pytest.mark.parametrize("n", [1, 7, 200])
@pytest.mark.parametrize("surprise", [1e-6, 0.01, 0.3, 1.0])
def test_windows_by_brute_force(n, surprise):
    z = np.array([0.001, 0.2, 0.5, 0.97])
    low, high = windows(n, z, surprise)
    count = np.arange(n + 1)
    for k in range(z.size):
        tails = [stats.binom.cdf(count, n, z[k]), stats.binom.sf(count - 1, n, z[k])]
        fine = np.flatnonzero(2 * np.min(tails, axis=0) > surprise * (1 + 1e-9))
        if fine.size:
            assert (low[k], high[k]) == (fine[0], fine[-1])
        else:
            assert low[k] > high[k]


def test_the_recursion_by_enumeration():
    """All ways in which 4 draws fall into 3 cells, one by one."""
    z, low, high = np.array([0.2, 0.7]), np.array([0, 2]), np.array([1, 3])
    total = 0.0
    for a in range(5):
        for b in range(5 - a):
            if a <= 1 and 2 <= a + b <= 3:
                total += stats.multinomial.pmf([a, b, 4 - a - b], 4, [0.2, 0.5, 0.3])
    assert probability_inside(4, z, low, high) == pytest.approx(total, rel=1e-12)


def test_the_recursion_is_kolmogorovs_law():
    """A band of constant width over all n points is the exact test of Kolmogorov and Smirnov."""
    n, d = 10, 0.4
    z = np.sort(np.concatenate([np.arange(n) / n + d, np.arange(1, n + 1) / n - d]))
    z = np.unique(np.round(z[(z > 0) & (z < 1)], 12))
    eps = 1e-9  # the counts just before and just after each jump of the band
    points = np.unique(np.concatenate([z - eps, z + eps]))
    low = np.ceil(n * (points - d)).clip(0).astype(np.int64)
    high = np.floor(n * (points + d)).clip(max=n).astype(np.int64)
    assert 1 - probability_inside(n, points, low, high) == pytest.approx(
        stats.kstwo.sf(d, n), abs=1e-6
    )


@pytest.mark.parametrize(("n", "cells"), [(50, 100), (250, 100), (1000, 20), (120, 8)])
def test_bands_hold_whole_curves(n, cells):
    """As often as they say: exact, and in 4000 simulations of u (100 cells) or ranks."""
    points = np.arange(1, cells) / cells
    low, high = simultaneous(n, points, 0.95)
    exact = probability_inside(n, points, low, high)
    assert 0.95 <= exact < 0.962
    generator = np.random.default_rng(n)
    counts = np.cumsum(generator.multinomial(n, np.full(cells, 1 / cells), 4000), axis=1)[:, :-1]
    inside = ((counts >= low) & (counts <= high)).all(axis=1).mean()
    assert abs(inside - exact) < 4 * np.sqrt(0.95 * 0.05 / 4000)
    p_values = np.array([uniform_p_value(n, points, each)[1] for each in counts[:300]])
    outside = ((counts[:300] < low) | (counts[:300] > high)).any(axis=1)
    assert (outside == (p_values <= 0.05)).all()


def test_p_values_are_how_often_counts_are_as_surprising():
    n, points = 40, np.arange(1, 10) / 10
    counts = np.cumsum(np.random.default_rng(4).multinomial(n, np.full(10, 0.1), 20_000), axis=1)[
        :, :-1
    ]
    smallest = surprise_at(n, points, counts).min(axis=1)
    for k in (0, 3, 8):
        found, p_value = uniform_p_value(n, points, counts[k])
        share = np.mean(smallest <= found * (1 + 1e-9))
        assert p_value == pytest.approx(share, abs=4 * np.sqrt(0.25 / 20_000))


def test_hopeless_counts_have_a_bound():
    found, p_value = uniform_p_value(1000, np.array([0.25, 0.5, 0.75]), np.array([0, 1, 1000]))
    assert 0 < found < p_value <= 3.1 * found < 1e-100
