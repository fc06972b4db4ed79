import numpy as np
import pytest

from calibrant.kernels.calibration.quantiles import weighted_quantiles


def by_sorting(row, weight, reach):
    order = np.argsort(row, kind="stable")
    reached = np.cumsum(weight[order]) >= reach
    return row[order][reached.argmax() if reached.any() else -1]


@pytest.mark.parametrize("size", [1, 2, 3, 4, 7, 64, 501])
@pytest.mark.parametrize("kinds", [2, 5, None])
def test_equals_sorting(size, kinds):
    generator = np.random.default_rng(size)
    for reach in (0.0, 0.1, 0.5, 0.9, 1.0, 2.0):
        rows = generator.random((40, size)) if kinds is None else None
        if rows is None:  # many ties
            rows = generator.integers(0, kinds, (40, size)).astype(float)
        weight = generator.integers(1, 9, size) / 64  # sums are exact in any order
        reach *= weight.sum()
        expected = [by_sorting(row, weight, reach) for row in rows]
        np.testing.assert_array_equal(weighted_quantiles(rows, weight, reach), expected)


@pytest.mark.parametrize("reach", [0.1, 0.5, 0.9])
def test_along_curves(reach):
    """Neighbouring values are alike, and the ends are the most extreme."""
    x, weight = np.linspace(-1, 1, 257), np.full(257, 1 / 256)
    rows = np.abs(np.stack([x, x**2 - 0.3, np.sin(5 * x), x + 1, 1 - x, 0 * x]))
    expected = [by_sorting(row, weight, reach) for row in rows]
    np.testing.assert_array_equal(weighted_quantiles(rows, weight, reach), expected)


def test_weights_of_zero():
    weight = np.array([0.0, 0.5, 0.5])
    assert weighted_quantiles(np.array([1.0, 2.0, 3.0]), weight, 0.5) == 2.0


def test_further_axes():
    value = np.random.default_rng(1).random((2, 3, 10))
    found = weighted_quantiles(value, np.full(10, 0.1), 0.45)
    np.testing.assert_array_equal(found, np.sort(value)[..., 4])
