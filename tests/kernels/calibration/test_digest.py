"""Two points for each cell of logits have the sums of all pairs of the cell."""

import numpy as np
import pytest

from calibrant.kernels.calibration.digest import PER_UNIT, POWERS, two_points


def powers_of(u, weight):
    return np.array([[np.sum(weight * u**k) for k in range(POWERS)]])


@pytest.mark.parametrize("count", [1, 2, 3, 50])
def test_powers_are_those_of_the_pairs(count):
    generator = np.random.default_rng(count)
    u, weight = generator.random(count) - 0.5, generator.integers(1, 9, count).astype(float)
    x, found = two_points(np.array([-700.0]), powers_of(u, weight))
    away = x * PER_UNIT + 700 - 0.5
    np.testing.assert_allclose(powers_of(away, found), powers_of(u, weight), atol=1e-9)
    assert (found >= 0).all()
    assert (np.abs(away[found > 0]) <= 0.5 + 1e-9).all()


def test_equal_logits_are_one_point():
    x, weight = two_points(np.array([10.0]), powers_of(np.array([0.25]), np.array([3.0])))
    assert sorted(weight) == [0, 3]
    assert x[weight > 0] * PER_UNIT == pytest.approx(10.75, rel=1e-14)


def test_cells_without_pairs_have_no_weight():
    assert two_points(np.zeros(1), np.zeros((1, POWERS)))[1].tolist() == [0, 0]
