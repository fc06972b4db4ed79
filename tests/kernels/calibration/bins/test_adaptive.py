"""The compiled bins against the plain walk over tie groups."""

import numpy as np
import pytest
from made_pairs import KINDS, predictions, walk_ties

from calibrant.kernels.calibration.bins import adaptive as kernel
from calibrant.kernels.calibration.bins.adaptive import adaptive


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n", [1, 2, 5, 97, 3000])
def test_equals_the_plain_walk(kind, n):
    q = predictions(kind, n)
    y = (np.random.default_rng(1).random(n) < 0.4).astype(np.int64)
    for size in (1, 2, 7, 100, n // 3 + 1, n, 2 * n):
        found, wanted = adaptive(y, q, size), walk_ties(y, q, size)
        np.testing.assert_array_equal(found[0], wanted[0])
        np.testing.assert_array_equal(found[1], wanted[1])
        np.testing.assert_allclose(found[2], wanted[2], rtol=1e-12, atol=0)


@pytest.mark.parametrize("kind", KINDS)
def test_upper_ends_put_every_row_into_its_bin(kind):
    q = predictions(kind, 4000)
    n, _, _, upper = adaptive(np.zeros(4000, np.int64), q, 63)
    np.testing.assert_array_equal(np.bincount(np.searchsorted(upper, q), minlength=n.size), n)


@pytest.mark.parametrize("kind", KINDS)
def test_rows_in_any_order_give_the_same_bits(kind):
    rng = np.random.default_rng(2)
    q = predictions(kind, 5000)
    y = (rng.random(5000) < q).astype(np.uint8)
    first = adaptive(y, q, 70)
    for _ in range(3):
        order = rng.permutation(5000)
        for one, other in zip(first, adaptive(y[order], q[order], 70), strict=True):
            np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_threads_do_not_matter(monkeypatch, threads):
    q = predictions("rounded", 20_000)
    y = (np.random.default_rng(3).random(20_000) < q).astype(np.int64)
    wanted = adaptive(y, q, 141)
    monkeypatch.setattr(kernel, "workers", lambda: threads)
    for one, other in zip(wanted, adaptive(y, q, 141), strict=True):
        np.testing.assert_array_equal(one, other)


def test_wrong_predictions_of_the_cells_only_cost_time(monkeypatch):
    """Ties that the sample does not show: the walk must stop, fetch and go on."""
    rng = np.random.default_rng(4)
    q = np.repeat(rng.random(6000), rng.integers(1, 6, 6000))
    rng.shuffle(q)
    y = (rng.random(q.size) < q).astype(np.int64)
    fetches = []
    fetch = kernel.fetch_rows
    monkeypatch.setattr(kernel, "fetch_rows", lambda *job: fetches.append(1) or fetch(*job))
    for size in (3, 10, 50):
        np.testing.assert_allclose(adaptive(y, q, size)[:3], walk_ties(y, q, size), rtol=1e-12)
    assert len(fetches) > 3


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("labels", [np.uint8, np.int32, np.int64, np.float64])
def test_every_type_of_array(dtype, labels):
    q = predictions("skewed", 2000).astype(dtype)
    y = (np.random.default_rng(5).random(2000) < q).astype(labels)
    wanted = walk_ties(y.astype(float), q.astype(float), 44)
    np.testing.assert_allclose(adaptive(y, q, 44)[:3], wanted, rtol=1e-12)


def test_negative_zero_is_zero():
    q = np.where(np.arange(3000) % 3 == 0, -0.0, predictions("rounded", 3000))
    y = (np.random.default_rng(8).random(3000) < 0.3).astype(np.int64)
    np.testing.assert_allclose(adaptive(y, q, 54)[:3], walk_ties(y, q, 54), rtol=1e-12)


def test_strided_arrays():
    table = np.random.default_rng(6).random((3000, 2))
    y = (np.random.default_rng(7).random(3000) < 0.5).astype(np.int64)
    wanted = walk_ties(y, table[:, 0], 54)
    np.testing.assert_allclose(adaptive(y, table[:, 0], 54)[:3], wanted, rtol=1e-12)
