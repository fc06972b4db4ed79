"""Keys in buckets, against a sort of all of them."""

import numpy as np
import pytest

from calibrant.kernels.sorting import SMALL, sorted_keys


def keys_of(kind: str, n: int) -> np.ndarray:
    """Bits of predictions in one piece, with an outcome in the last bit."""
    rng = np.random.default_rng(n)
    q = {
        "uniform": lambda: rng.random(n),
        "tiny": lambda: rng.random(n) ** 40,
        "denormal": lambda: rng.integers(0, 9, n) * 5e-324,
        "singles": lambda: rng.random(n, np.float32).astype(float),
        "tied": lambda: rng.integers(0, 5, n) / 4,
        "one value": lambda: np.full(n, 0.3),
        "one far away": lambda: np.where(np.arange(n) == n // 2, 1.0, rng.random(n) * 1e-300),
    }[kind]()
    return (q.view(np.int64) << 1) | rng.integers(0, 2, n)


@pytest.mark.parametrize(
    "kind", ["uniform", "tiny", "denormal", "singles", "tied", "one value", "one far away"]
)
@pytest.mark.parametrize("n", [0, 1, 2, SMALL + 1, 1000, 40_000])
def test_sorted_but_for_the_outcomes_of_ties(kind, n):
    keys = keys_of(kind, n)
    found = sorted_keys(keys.copy())
    np.testing.assert_array_equal(found >> 1, np.sort(keys) >> 1)
    np.testing.assert_array_equal(np.sort(found), np.sort(keys))  # outcomes stay with their key
