import numpy as np
import pytest
from sklearn.isotonic import isotonic_regression

from calibrant.kernels.calibration.pav import fit_rows, isotonic


@pytest.mark.parametrize("seed", range(5))
def test_it_is_that_of_scikit_learn(seed):
    rng = np.random.default_rng(seed)
    value, weight = rng.random((3, 40)).round(1), rng.integers(1, 5, 40).astype(float)
    wanted = [isotonic_regression(row, sample_weight=weight) for row in value]
    first, mean = isotonic(value[0] * weight, weight)
    fitted = np.repeat(mean, np.diff(np.append(first, 40)))
    np.testing.assert_allclose(fitted, wanted[0], rtol=1e-12)
    fit_rows(value, weight)
    np.testing.assert_allclose(value, wanted, rtol=1e-12)


def test_blocks_grow():
    first, mean = isotonic(np.array([1.0, 0.0, 0.0, 3.0]), np.array([1.0, 1.0, 2.0, 3.0]))
    assert first.tolist() == [0, 3]
    np.testing.assert_allclose(mean, [0.25, 1.0])
