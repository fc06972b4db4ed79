"""Where observations lie: draws, quantiles, distribution functions."""

import numpy as np
import pytest
from made_numbers import LEVELS, normal
from scipy import stats

from calibrant.errors import InputError
from calibrant.numbers import PIT, Ranks


def test_ranks_among_draws_by_brute_force():
    generator = np.random.default_rng(1)
    y, draws = generator.integers(0, 5, 60), generator.integers(0, 5, (60, 7))
    pit = PIT.from_samples(y, draws)
    for i in range(60):
        assert pit.low[i] == sum(draw < y[i] for draw in draws[i]) / 8
        assert pit.high[i] == (sum(draw <= y[i] for draw in draws[i]) + 1) / 8


def test_intervals_between_quantiles():
    row = [1.0, 2.0, 2.0, 4.0, 5.0]
    y = [0.0, 1.0, 1.5, 2.0, 3.0, 9.0]
    pit = PIT.from_quantiles(y, LEVELS, [row] * 6)
    assert pit.low.tolist() == [0.0, 0.0, 0.05, 0.05, 0.5, 0.95]
    assert pit.high.tolist() == [0.05, 0.05, 0.25, 0.5, 0.75, 1.0]


def test_normals_are_their_distribution_function():
    y = np.linspace(-2, 2, 9)
    pit = PIT.from_normal(y, 0.3, np.full(9, 2.0))
    np.testing.assert_allclose(pit.low, stats.norm.cdf(y, 0.3, 2.0), rtol=1e-12)


BAD = [
    (lambda: PIT.from_cdf([]), "at is empty"),
    (lambda: PIT.from_cdf([0.1, np.nan]), r"at\[1\] is nan"),
    (lambda: PIT.from_cdf([0.1, 1.2]), r"at\[1\] is 1.2 \(1 of 2"),
    (lambda: PIT.from_cdf([0.1, 0.2], [0.0, 0.3]), r"below\[1\] is 0.3 and at\[1\] is 0.2"),
    (lambda: PIT.from_cdf([0.1, 0.2], [0.0]), "each of the 2 observations, but it has 1"),
    (lambda: PIT.from_cdf([0.1, 0.2], group=[1]), "group must have one value"),
    (lambda: PIT.from_normal([1.0, np.inf], 0, 1), r"y\[1\] is inf"),
    (lambda: PIT.from_normal([1.0, 2.0], 0, [1, 0]), r"sd\[1\] is 0"),
    (lambda: PIT.from_normal([1.0, 2.0], [1, 2, 3], 1), "mean must have one value"),
    (lambda: PIT.from_samples([1.0], [[1.0]]), "at least 2 draws"),
    (lambda: PIT.from_samples([1.0], [1.0, 2.0]), r"shape is \(2,\)"),
    (lambda: PIT.from_samples([1.0], np.zeros((4, 1))), r"\(4, 1\). Pass samples.T"),
    (lambda: PIT.from_samples([1.0], [[1.0, np.nan]]), r"samples\[0, 1\] is nan \(1 of 2"),
    (lambda: PIT.from_samples([1.0], [["a", "b"]]), "must hold numbers"),
    (
        lambda: PIT.from_samples([1, 2], [[1, 2], [3]]),
        "^All items of samples must have",
    ),
    (lambda: PIT.from_quantiles([1.0], [0.5, 0.1], [[1, 2]]), "levels must increase"),
    (lambda: PIT.from_quantiles([1.0], [5, 95], [[1, 2]]), "pass levels / 100"),
    (lambda: PIT.from_quantiles([1.0], [0.0, 0.5], [[1, 2]]), r"levels\[0\] is 0"),
    (lambda: PIT.from_quantiles([1.0], [0.1, 0.5], [[1, 2, 3]]), "column for each of the 2"),
    (
        lambda: PIT.from_quantiles([1, 1], [0.1, 0.5], [[1, 2], [3, 2]]),
        r"quantiles\[1, 0\] is 3 at level 0.1 and quantiles\[1, 1\] is 2 at level 0.5 \(1 of 2",
    ),
    (lambda: PIT.from_quantiles([1.0], [0.1, 0.4], [[1, 2]]).coverage(), "0.05 and 0.95"),
    (lambda: PIT.from_quantiles([1.0], [0.1, 0.9], [[1, 2]]).coverage([0.5]), "0.25 and 0.75"),
    (lambda: normal(20).score([0.5, 0.2]), "points must increase"),
    (lambda: normal(20).score([0.2, 0.5], [1.0]), "each of the 2 points"),
    (lambda: normal(20).score([0.2, 0.5], [1.0, -1.0]), "must not be negative"),
    (lambda: Ranks([], 9), "rank is empty"),
    (lambda: Ranks([0, 10], 9), r"0 and draws = 9, but rank\[1\] is 10"),
    (lambda: Ranks([0, -1], 9), r"rank\[1\] is -1"),
    (lambda: Ranks([0, 0.5], 9), r"rank\[1\] is 0.5 \(1 of 2 values is not whole"),
    (lambda: Ranks([0, np.nan], 9), r"rank\[1\] is nan"),
]


@pytest.mark.parametrize(("make", "says"), BAD)
def test_bad_input_is_refused(make, says):
    with pytest.raises(InputError, match=says):
        make()
