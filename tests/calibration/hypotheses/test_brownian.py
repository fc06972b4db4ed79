"""How far Brownian motion wanders."""

import numpy as np
import pytest

from calibrant.calibration.hypotheses.brownian import distance_beyond, range_beyond


def test_brownian_motion_by_simulation():
    """2000 walks of 1000 steps: four standard errors, 0.045, and 0.015 for walks between steps."""
    rng = np.random.default_rng(0)
    walk = np.cumsum(rng.standard_normal((2000, 1000)), axis=1) / np.sqrt(1000)
    walk = np.concatenate([np.zeros((2000, 1)), walk], axis=1)
    furthest = np.abs(walk).max(axis=1)
    spread = walk.max(axis=1) - walk.min(axis=1)
    for x in (0.8, 1.2, 1.8, 2.5):
        assert distance_beyond(x) == pytest.approx(np.mean(furthest > x), abs=0.06)
        assert range_beyond(x) == pytest.approx(np.mean(spread > x), abs=0.06)


def test_brownian_motion_by_its_other_series():
    assert distance_beyond(2.999999) == pytest.approx(distance_beyond(3.000001), rel=1e-4)
    assert distance_beyond(2.241402728) == pytest.approx(0.05, abs=1e-6)
    assert range_beyond(0.400001) == pytest.approx(1, abs=1e-6)
    assert all(np.diff([range_beyond(x) for x in np.linspace(0.3, 6, 60)]) <= 1e-12)


@pytest.mark.parametrize("beyond", [distance_beyond, range_beyond])
def test_probabilities_stay_probabilities(beyond):
    for x in (0.0, 1e-200, 0.1, 0.14999, 0.15001, 0.399, 0.401, 5.0, 40.0, 1e200):
        assert -1e-12 <= beyond(x) <= 1 + 1e-12
    assert beyond(1e-200) == 1
    assert beyond(1e200) == 0
