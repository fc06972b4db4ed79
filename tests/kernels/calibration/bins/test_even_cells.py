import numpy as np
import pytest

from calibrant.kernels.calibration.bins.even_cells import sum_cells


@pytest.mark.parametrize("logit", [False, True])
def test_sums_by_brute_force(logit):
    rng = np.random.default_rng(0)
    q = np.concatenate([rng.beta(0.5, 0.5, 2000), [0.0, 0.0, 1.0]])
    y = rng.integers(0, 2, q.size).astype(np.uint8)
    inner = q[(q > 0) & (q < 1)]
    x = np.log(inner / (1 - inner)) if logit else inner
    low, width = x.min(), (x.max() - x.min()) / 20
    cell, n, k, position, mean = sum_cells(y, q, low, width, 20, logit)
    wanted = np.full(q.size, 20)
    wanted[q == 1] = 21
    wanted[(q > 0) & (q < 1)] = np.minimum(((x - low) / width).astype(int), 19)
    np.testing.assert_array_equal(cell, wanted)
    np.testing.assert_array_equal(n, np.bincount(wanted, minlength=22))
    np.testing.assert_array_equal(k, np.bincount(wanted, y, 22))
    many = np.maximum(n, 1)
    np.testing.assert_allclose(mean, np.bincount(wanted, q, 22) / many, rtol=1e-9)
    places = np.zeros(q.size)
    places[(q > 0) & (q < 1)] = x
    # positions are rounded to 2^-26 each
    np.testing.assert_allclose(position, np.bincount(wanted, places, 22) / many, atol=2.0**-26)


def test_order_cannot_matter():
    rng = np.random.default_rng(1)
    q, y = rng.random(5000), rng.integers(0, 2, 5000).astype(np.uint8)
    order = rng.permutation(5000)
    one, other = (sum_cells(y[rows], q[rows], 0.0, 0.1, 10, False) for rows in (slice(None), order))
    for a, b in zip(one[1:], other[1:], strict=True):
        np.testing.assert_array_equal(a, b)
