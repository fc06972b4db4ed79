"""Bins found by a table are those of `numpy.searchsorted`."""

import numpy as np
import pytest

from calibrant.kernels.calibration.bins.lookup import STEPS, find_bins

RNG = np.random.default_rng(3)


def found_by_table(q, upper):
    found = np.empty(q.size, np.int32)
    find_bins(q, upper, found)
    return found


@pytest.mark.parametrize("kind", [np.float64, np.float32])
@pytest.mark.parametrize("bins", [1, 25, 20_000])
@pytest.mark.parametrize("power", [1, 12])
def test_the_same_bins(bins, power, kind):
    q = (RNG.random(50_000) ** power).astype(kind)
    upper = np.unique(np.sort(q)[:: max(q.size // bins, 1)].astype(float))
    upper = np.append(upper[1:], 1.0)
    assert np.array_equal(found_by_table(q, upper), np.searchsorted(upper, q))


def test_predictions_on_the_ends_of_bins_and_steps():
    """Also those next to them, and the smallest there are."""
    ends = np.concatenate([np.arange(STEPS + 1) / STEPS, RNG.random(100)])
    q = np.concatenate([ends, np.nextafter(ends, 0), np.nextafter(ends, 1), [0.0, -0.0, 5e-324]])
    q = np.clip(q, 0.0, 1.0)
    upper = np.unique(np.append(RNG.choice(q, 300), 1.0))
    assert np.array_equal(found_by_table(q, upper), np.searchsorted(upper, q))
