import numpy as np
import pytest

from calibrant.calibration.counting.beside_truth import beside_truth
from calibrant.calibration.counting.sums import exact_limits
from calibrant.pairs.tallies import Tallies


def made(count=300, seed=0):
    generator = np.random.default_rng(seed)
    pmf = [generator.dirichlet(np.ones(generator.integers(1, 6))) for _ in range(count)]
    gold = [generator.choice(each.size, p=each) for each in pmf]
    return Tallies(pmf=pmf, best=[each.argmax() for each in pmf], gold=gold), pmf


def test_each_unit_alone_has_the_limits_of_its_distribution():
    """More names than a column of categories may have."""
    tallies, pmf = made()
    names = [f"d{k:03d}" for k in range(300)]
    *each, total = beside_truth(tallies, names, 0.9)
    assert [one.name for one in each] == names
    assert [(one.low, one.high) for one in each] == [exact_limits(row, 0.9) for row in pmf]
    assert total.true == tallies.gold.sum()
    assert total.expected == pytest.approx(tallies.expected.sum())
    assert np.mean([one.covered for one in each]) >= 0.9 - 3 * (0.09 / 300) ** 0.5


def test_names_are_convolved():
    tallies, pmf = made(3)
    (two, one, total) = beside_truth(tallies, ["a", "b", "a"], 0.5)
    assert (two.low, two.high) == exact_limits(np.convolve(pmf[0], pmf[2]), 0.5)
    assert (one.low, one.high) == exact_limits(pmf[1], 0.5)
    every = np.convolve(np.convolve(pmf[0], pmf[1]), pmf[2])
    assert (total.low, total.high) == exact_limits(every, 0.5)
    assert two.naive == tallies.best[[0, 2]].sum()
