from math import fsum

import numpy as np
import pytest

from calibrant.calibration.groups.exact_sums import BITS, order_free, order_free_sum


def test_sums_do_not_depend_on_order():
    rng = np.random.default_rng(0)
    values = rng.normal(size=999) * 10.0 ** rng.integers(-8, 8, 999)
    sums = {order_free_sum(rng.permutation(values)) for _ in range(50)}
    assert len(sums) == 1
    # each value is rounded by half a step at most, and a step is 2^(1 - BITS) of the total
    error = 999 * np.abs(values).sum() * 2.0 ** (1 - BITS)
    assert sums.pop() == pytest.approx(fsum(values), abs=error)


def test_totals_next_to_a_power_of_two():
    """Rounding of the total itself must not change the grid: here it is 64 but for rounding."""
    rng = np.random.default_rng(1)
    values = rng.random(64)
    values /= values.mean()
    assert len({order_free_sum(rng.permutation(values)) for _ in range(200)}) == 1


@pytest.mark.parametrize("values", [[0.0, 0.0], [np.inf, 1.0], [5e-324, 1e-323], [1.0, 0.5]])
def test_values_that_need_no_rounding(values):
    np.testing.assert_array_equal(order_free(np.array(values)), values)


@pytest.mark.parametrize("size", [1e-290, 1e-300, 1e-306, 1e-310, 1e-320])
def test_tiny_totals(size):
    values = np.array([1.0, 2.0, 5.0, -1.0]) * size
    with np.errstate(divide="raise", over="raise", invalid="raise"):
        assert order_free_sum(values) == pytest.approx(values.sum(), rel=1e-9)
