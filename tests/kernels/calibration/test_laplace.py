import itertools

import numpy as np
import pytest

from calibrant.kernels.calibration.laplace import forms


@pytest.mark.parametrize("width", [1e-9, 0.1, 10.0])
def test_all_pairs_of_points(width):
    rng = np.random.default_rng(0)
    start = np.array([0, 4, 4, 5, 12])
    q = np.concatenate([np.sort(rng.random(n)) for n in np.diff(start)])
    mass = rng.normal(size=12)
    wanted = [
        mass[a:b] @ np.exp(-np.abs(q[a:b, None] - q[a:b]) / width) @ mass[a:b]
        for a, b in itertools.pairwise(start)
    ]
    np.testing.assert_allclose(forms(start, q, mass, width), wanted, rtol=1e-12)
