import numpy as np
import pytest

import calibrant as cb
from calibrant import UnknownName, synthetic


def direct(pairs):
    """The cumulative differences as they are defined, one row at a time."""
    order = np.argsort(pairs.q, kind="stable")
    q, y = pairs.q[order], pairs.y[order].astype(float)
    walk = np.cumsum(q - y) / q.size
    ends = np.append(np.diff(q) > 0, True)  # equal predictions are one step
    walk = np.append(walk[ends], 0.0)
    return walk.max() - walk.min(), np.abs(walk).max()


@pytest.mark.parametrize("digits", [1, 12])
def test_cumulative_errors_by_definition(digits):
    pairs = synthetic.sample(3000, synthetic.inward(0.1), seed=1)
    pairs = cb.Pairs(pairs.y, pairs.q.round(digits))
    spread, largest = direct(pairs)
    assert cb.ECCE()(pairs) == pytest.approx(spread, abs=1e-12)
    assert cb.ECCE("max")(pairs) == pytest.approx(largest, abs=1e-12)
    order = np.random.default_rng(0).permutation(3000)
    assert cb.ECCE()(cb.Pairs(pairs.y[order], pairs.q[order])) == cb.ECCE()(pairs)


def test_values_of_other_packages():
    """probcal's, on the sets A and C."""
    a = cb.Pairs([0, 0, 1, 0, 1, 1, 0, 1], [0.1, 0.2, 0.3, 0.4, 0.6, 0.7, 0.8, 0.9])
    assert cb.ECCE("max")(a) == pytest.approx(0.0875, abs=1e-12)
    rng = np.random.default_rng(7)
    q = rng.beta(0.3, 0.3, 5000)
    c = cb.Pairs((rng.random(5000) < q**1.3).astype(int), q)
    assert cb.ECCE("max")(c) == pytest.approx(0.0411013098, abs=1e-9)


@pytest.mark.parametrize("groups", [False, True])
@pytest.mark.parametrize("k", [0.0, 0.1])
def test_true_cumulative_errors_are_covered(groups, k):
    """Inward by k: the walk goes down to −k/2 at the middle and comes back."""
    covered = 0
    for seed in range(40):
        if groups:
            pairs = synthetic.sample_groups(100, synthetic.inward(k), seed=seed)
        else:
            pairs = synthetic.sample(1000, synthetic.inward(k), a=1, b=1, seed=seed)
        found = cb.score(pairs, cb.ECCE(), interval=cb.Bootstrap(100, seed=seed))
        covered += found.low <= k / 2 <= found.high
    assert covered >= 34  # of 40; 38 expected


def test_only_two_statistics():
    with pytest.raises(UnknownName, match="Did you mean range"):
        cb.ECCE("ranges")
