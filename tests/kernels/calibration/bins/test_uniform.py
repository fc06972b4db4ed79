import numpy as np
from made_pairs import KINDS, predictions

from calibrant.kernels.calibration.bins.uniform import uniform


def test_equals_a_search_for_the_edges():
    for kind in KINDS:
        q = np.concatenate([predictions(kind, 2000), np.arange(101) / 100])
        y = (np.random.default_rng(0).random(q.size) < q).astype(np.int64)
        for count in (1, 3, 10, 100):
            edges = np.linspace(0, 1, count + 1)
            at = np.searchsorted(edges[1:-1], q, side="right")
            n, positive, total = uniform(y, q, edges)
            np.testing.assert_array_equal(n, np.bincount(at, minlength=count))
            np.testing.assert_array_equal(positive, np.bincount(at, y, minlength=count))
            np.testing.assert_allclose(total, np.bincount(at, q, minlength=count), atol=1e-9)
