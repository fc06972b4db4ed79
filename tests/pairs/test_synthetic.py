from functools import cache

import numpy as np
import pytest

from calibrant import CalibScore
from calibrant.errors import ParameterError
from calibrant.pairs import synthetic

SHAPES = [(0.2, 0.5), (0.5, 0.5), (1, 1), (2, 2), (3, 0.4)]


@cache
def quantiles(a, b):
    """Of Beta(a, b), evenly spaced in probability: a mean over them is an expectation."""
    from scipy.stats import beta

    return beta.ppf((np.arange(400_000) + 0.5) / 400_000, a, b)


@pytest.mark.parametrize(("a", "b"), SHAPES)
@pytest.mark.parametrize("k", [0.0, 0.02, 0.1, 0.3])
@pytest.mark.parametrize("direction", [synthetic.inward, synthetic.outward])
def test_the_true_value_is_that_of_a_fine_sum(a, b, k, direction):
    t = direction(k)
    q = quantiles(a, b)
    wanted = np.mean((t(q) - q) ** 2)
    assert synthetic.true_mse(t, a=a, b=b, jumps=(k, 1 - k)) == pytest.approx(wanted, abs=2e-7)


def test_closed_forms():
    for k in (0.05, 0.1, 0.25):
        outward = synthetic.true_mse(synthetic.outward(k), a=1, b=1, jumps=(k, 1 - k))
        assert outward == pytest.approx(k**2 * (1 - 2 * k) + 2 * k**3 / 3, abs=1e-14)
        assert synthetic.true_score(synthetic.inward(k)) == pytest.approx(k)
    assert synthetic.true_mse(synthetic.identity) == 0


def test_any_map_of_the_user():
    assert synthetic.true_mse(np.square, a=1, b=1) == pytest.approx(1 / 30)  # ∫(q² − q)² dq


def test_the_true_value_of_groups_is_that_of_a_large_sample():
    for direction, k in ((synthetic.inward, 0.1), (synthetic.outward, 0.1)):
        t = direction(k)
        q = synthetic.sample_groups(20_000, seed=1).q
        gaps = (t(q) - q) ** 2
        error = 5 * gaps.std() / np.sqrt(20_000)
        wanted = synthetic.true_mse_groups(t, jumps=(k, 1 - k))
        assert gaps.mean() == pytest.approx(wanted, abs=max(error, 1e-9))


def test_samples_have_the_probabilities_they_say():
    t = synthetic.outward(0.2)
    pairs = synthetic.sample(200_000, t, a=2, b=2, seed=3)
    residual = (pairs.y - t(pairs.q))[pairs.q > 0.6]
    assert abs(residual.mean()) < 5 * residual.std() / np.sqrt(residual.size)
    groups = synthetic.sample_groups(20_000, t, seed=3)
    residual = (groups.y - t(groups.q)).reshape(-1, 20)
    assert abs(residual.mean()) < 5 * residual.mean(1).std() / np.sqrt(20_000)
    within = np.mean(residual[:, 0] * residual[:, 1]) / np.var(residual)
    assert 0.1 < within < 0.3  # tokens of a sentence lean the same way


def test_seeds_decide():
    assert synthetic.calibrated(50, seed=1) == synthetic.calibrated(50, seed=1)
    assert synthetic.calibrated(50, seed=1) != synthetic.calibrated(50, seed=2)


def test_the_score_tends_to_the_truth():
    pairs = synthetic.sample(400_000, synthetic.inward(0.1), seed=4)
    assert CalibScore()(pairs) == pytest.approx(0.1, abs=0.003)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: synthetic.inward(0.6), r"k must lie in \[0, 0.5\]"),
        (lambda: synthetic.sample(0), "n must be a whole number"),
        (lambda: synthetic.sample(10, a=0), "a and b must be positive"),
        (lambda: synthetic.sample(10, lambda q: q + 1), "one probability in"),
        (lambda: synthetic.sample_groups(3, rho=1), r"rho must lie in \[0, 1\)"),
    ],
)
def test_impossible_data(make, message):
    with pytest.raises(ParameterError, match=message):
        make()
