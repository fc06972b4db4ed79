import numpy as np
import pytest

from calibrant.kernels.calibration.cells_of import BUCKETS, cells_of


@pytest.mark.parametrize("kind", [np.float64, np.float32])
def test_as_numpy_searches(kind):
    generator = np.random.default_rng(0)
    uniform = generator.random(20_000)
    q = np.concatenate(
        [uniform, 10.0 ** (-12 * uniform), np.arange(BUCKETS + 1) / BUCKETS, [0.0, 1.0]]
    ).astype(kind)
    for many in (1, 7, 4096):
        edges = np.unique(generator.choice(q, many)).astype(np.float64)
        assert np.array_equal(cells_of(edges, q), np.searchsorted(edges, q))
    assert not cells_of(np.zeros(0), q).any()
    ends = np.array([0.0, 1.0])
    assert np.array_equal(cells_of(ends, q), np.searchsorted(ends, q))
