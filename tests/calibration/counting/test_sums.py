"""Distributions of sums, against enumeration and the binomial distribution."""

from itertools import product

import numpy as np
import pytest
from scipy import stats

from calibrant.calibration.counting.sums import (
    beliefs_by_category,
    distribution_of_sum,
    exact_limits,
    limits_of_sums,
    refined_limits,
    yes_distribution,
)
from calibrant.pairs.tallies import Tallies


def enumerated(pmf):
    """The distribution of a sum, by listing all outcomes."""
    found = np.zeros(sum(len(each) - 1 for each in pmf) + 1)
    for outcome in product(*(range(len(each)) for each in pmf)):
        found[sum(outcome)] += np.prod([p[k] for p, k in zip(pmf, outcome, strict=True)])
    return found


@pytest.mark.parametrize("seed", range(5))
def test_yes_answers_against_enumeration(seed):
    q = np.random.default_rng(seed).random(9)
    q[0], q[1] = 0.0, 1.0
    wanted = enumerated([(1 - p, p) for p in q])
    found = yes_distribution(q)
    assert np.append(found, np.zeros(wanted.size - found.size)) == pytest.approx(wanted, abs=1e-11)


def test_structures_against_enumeration():
    rng = np.random.default_rng(1)
    pmf = [rng.dirichlet(np.ones(size)) for size in (1, 4, 3, 5, 2)]
    assert distribution_of_sum(pmf) == pytest.approx(enumerated(pmf))


def test_long_sums_by_fourier_transforms_are_those_by_single_answers():
    q = np.random.default_rng(2).beta(0.5, 2, 1500)
    direct = yes_distribution(q)
    pairs = [(1 - p, p) for p in q]
    assert distribution_of_sum(pairs)[: direct.size] == pytest.approx(direct, abs=1e-10)


def test_equal_answers_are_binomial():
    low, high = exact_limits(yes_distribution(np.full(400, 0.2)), 0.95)
    assert (low, high) == stats.binom(400, 0.2).interval(0.95)


@pytest.mark.parametrize("rate", [0.02, 0.3, 0.9])
def test_refined_limits_leave_out_about_as_much(rate):
    n = int(150 / (rate * (1 - rate)))
    third = n * rate * (1 - rate) * (1 - 2 * rate)
    low, high = refined_limits(
        *(np.array([each]) for each in (n * rate, n * rate * (1 - rate), third)), 0.95, True
    )
    law = stats.binom(n, rate)
    step = law.pmf([int(low[0]), int(high[0])])
    assert law.cdf(low[0] - 1) <= 0.025 + 0.0005 <= law.cdf(low[0]) + 0.001 + step[0]
    assert law.sf(high[0]) <= 0.025 + 0.0005 <= law.sf(high[0] - 1) + 0.001 + step[1]


def test_categories_and_their_total():
    rng = np.random.default_rng(3)
    q, code = rng.random(300), rng.integers(0, 3, 300)
    tallies = Tallies.of_rows(q)
    beliefs = beliefs_by_category(tallies, code, 3).with_total()
    low, high = limits_of_sums(tallies, code, beliefs, 0.9)
    for k in range(3):
        assert beliefs.expected[k] == pytest.approx(q[code == k].sum())
        assert (low[k], high[k]) == exact_limits(yes_distribution(q[code == k]), 0.9)
    assert (low[3], high[3]) == exact_limits(yes_distribution(q), 0.9)


def test_weights_count_rows_again():
    q = np.array([0.1, 0.5, 0.7])
    code = np.zeros(3, np.int64)
    twice = beliefs_by_category(Tallies.of_rows(q, weight=[2, 2, 2]), code, 1)
    once = beliefs_by_category(Tallies.of_rows(q), code, 1)
    assert twice.expected == pytest.approx(2 * once.expected)
    assert twice.variance == pytest.approx(4 * once.variance)  # a row and its copies agree


def test_rows_as_structures_give_the_same_limits():
    q = np.random.default_rng(4).random(40)
    rows, structures = Tallies.of_rows(q), Tallies(pmf=[(1 - p, p) for p in q])
    code = np.zeros(40, np.int64)
    for tallies in (rows, structures):
        beliefs = beliefs_by_category(tallies, code, 1).with_total()
        low, high = limits_of_sums(tallies, code, beliefs, 0.95)
        assert (low[0], high[0]) == exact_limits(yes_distribution(q), 0.95)
