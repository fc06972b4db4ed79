import numpy as np
import pytest

import calibrant as cb
from calibrant.calibration.intervals import inversion
from calibrant.calibration.intervals.inversion import (
    CLOSE,
    STEPS,
    lower_limit,
    quantile,
    upper_limit,
)

NOISE = np.linspace(-0.1, 0.1, 2001)  # its quantile at x is 0.2 x − 0.1


def worlds(c):
    """Scores of c² and noise that is the same in every world."""
    return lambda at: at**2 + NOISE


def test_limits_by_hand():
    """c² ± 0.095 reaches the observed score at the limits of a 95 % interval."""
    close = CLOSE * 3
    assert lower_limit(worlds, 0.36, 0.6, 3.0, 0.95) == pytest.approx(np.sqrt(0.265), abs=close)
    assert upper_limit(worlds, 0.36, 0.6, 3.0, 0.95) == pytest.approx(np.sqrt(0.455), abs=close)


def test_what_noise_explains_has_a_lower_limit_of_0():
    assert lower_limit(worlds, 0.09, 0.3, 3.0, 0.95) == 0


def test_no_limit_exceeds_the_most():
    assert upper_limit(worlds, 0.36, 0.6, 0.61, 0.95) == 0.61
    assert lower_limit(worlds, 9.0, 3.0, 0.61, 0.95) == 0.61


def test_a_limit_below_the_least_need_not_be_found():
    family = worlds(0.0)
    limit = upper_limit(lambda c: family, 0.36, 0.6, 3.0, 0.95)
    assert upper_limit(lambda c: family, 0.36, 0.6, 3.0, 0.95, 0.9) == 0.9
    for least in (0.0, 0.5, 0.65, 4.0):  # below the limit, or beyond what is possible
        assert upper_limit(lambda c: family, 0.36, 0.6, 3.0, 0.95, least) == limit
    # noise that is drawn again for every c: the limit is found as ever
    assert upper_limit(worlds, 0.36, 0.6, 3.0, 0.95, 0.9) == limit


def test_noise_of_the_world_that_the_limit_describes():
    """Noise that grows with c: the limit solves c² + 0.95 · 0.1 (1 + c) = 0.36."""
    found = lower_limit(lambda c: lambda at: at**2 + NOISE * (1 + c), 0.36, 0.6, 3.0, 0.95)
    root = (-0.095 + np.sqrt(0.095**2 + 4 * (0.36 - 0.095))) / 2
    assert found == pytest.approx(root, rel=inversion.NEAR)


def test_the_lower_limit_is_0_exactly_when_the_calibrated_world_is_allowed():
    def loud(c):
        """In the calibrated world 1 is excluded; in any other, noise is so large that it is not."""
        noise = np.linspace(-0.5, 0.5, 1000) * (1 if c == 0 else 100)
        return lambda at: at**2 + noise

    assert lower_limit(loud, 1.0, 1.0, 9.0, 0.95) > 0
    assert lower_limit(lambda c: loud(1.0), 1.0, 1.0, 9.0, 0.95) == 0


@pytest.mark.parametrize(("low", "high"), [(1.0, 1.0 + 2**-50), (0.0, 1e-300), (0.0, 1e300)])
def test_every_search_ends(low, high):
    """Where a step is less than the distance of two numbers, it is not repeated for ever."""
    seen = []

    def surplus(c):
        seen.append(c)
        return 1.0 if c > low else -1.0

    assert low < inversion.root(surplus, low, high) <= high
    assert len(seen) <= STEPS + 2


@pytest.mark.parametrize("score", ["CalibScore", "ECE", "MCE", "CalibScore(Kernel(bandwidth=0.1))"])
def test_scores_whose_range_is_less_than_a_step(score):
    """All that the gap could still grow by is 4e-12 of it."""
    found = cb.score(cb.Pairs([0] * 20, [0.5 - 2e-12] * 20), score)
    assert found.high == pytest.approx(0.5, abs=1e-6)
    assert 0.3 < found.low < 0.5


@pytest.mark.parametrize("size", [1, 2, 3, 1000])
def test_quantiles_of_numpy(size):
    values = np.random.default_rng(size).standard_normal(size)
    for share in (0.0, 0.025, 0.1, 0.5, 0.9, 0.975, 1.0):
        assert quantile(values, share) == np.quantile(values, share)
