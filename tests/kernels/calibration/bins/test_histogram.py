import numpy as np
import pytest

from calibrant.kernels.calibration.bins.histogram import (
    PART,
    from_bits,
    grid,
    histogram,
    unit_of,
)

KINDS = {
    "even": lambda rng: rng.random(3000),
    "skewed": lambda rng: rng.beta(0.05, 0.05, 3000),
    "ties": lambda rng: rng.choice([0.0, 1e-170, 0.1, 0.5, 0.7, 1 - 1e-16, 1.0], 3000),
    "tiny": lambda rng: 10.0 ** -rng.integers(0, 323, 3000),
}


@pytest.mark.parametrize("kind", KINDS)
def test_cells_are_in_order_and_sums_exact(kind):
    rng = np.random.default_rng(0)
    q = KINDS[kind](rng)
    y = rng.integers(0, 2, 3000)
    cells, edges = grid(q[::7])
    sums, where = np.zeros((4, cells.total), np.int64), np.empty(3000, np.uint16)
    histogram(y, q, *cells, sums, where)
    order = np.argsort(q, kind="stable")
    assert (np.diff(where[order].astype(int)) >= 0).all()
    np.testing.assert_array_equal(sums[0], np.bincount(where, minlength=cells.total))
    np.testing.assert_array_equal(sums[1], np.bincount(where, y, cells.total))
    for cell in np.flatnonzero(sums[0])[:: max(1, np.count_nonzero(sums[0]) // 50)]:
        members = q[where == cell]
        r = 1 - members if edges.upper[cell] else members
        left = int(edges.left[cell])
        total = sums[0, cell] * from_bits(left)
        total += (sums[2, cell] * 2.0**PART + sums[3, cell]) * unit_of(left)
        assert total == pytest.approx(r.sum(), rel=1e-12)
        if edges.single[cell]:
            assert np.unique(members).size == 1


@pytest.mark.parametrize("r", [0.0, 5e-324, 1e-310, 1e-170, 0.3, 0.5])
def test_bits_are_floats(r):
    bits = int(np.float64(r).view(np.int64))
    assert from_bits(bits) == r
    assert from_bits(bits + 1) - r == unit_of(bits)
