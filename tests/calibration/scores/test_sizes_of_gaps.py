import numpy as np
import pytest
from scipy.special import expit, logit

import calibrant as cb
from calibrant.pairs import synthetic

CURVE = cb.LocalLikelihood(bandwidth=1.0, grid=60)
SIZES = [cb.ICI(CURVE), cb.E50(CURVE), cb.E90(CURVE), cb.Emax(CURVE)]


def distances(pairs, estimator):
    """|q − p(q)| of every pair, from the curve itself."""
    return np.abs(pairs.q - cb.curve(pairs, estimator)(pairs.q))


def test_sizes_of_gaps_by_definition():
    pairs = synthetic.sample(400, synthetic.inward(0.1), a=1, b=1, seed=2)
    exact = cb.LocalLikelihood(bandwidth=0.6, grid=None)
    found = distances(pairs, exact)
    assert cb.ICI(exact)(pairs) == pytest.approx(found.mean(), abs=1e-9)
    assert cb.Emax(exact)(pairs) == pytest.approx(found.max(), abs=1e-9)
    for score, share in ((cb.E50(exact), 0.5), (cb.E90(exact), 0.9)):
        wanted = np.quantile(found, share, method="inverted_cdf")
        assert score(pairs) == pytest.approx(wanted, abs=1e-9)


def test_they_come_from_any_curve(c):
    for curve in (cb.Kernel(), cb.Isotonic(), cb.AdaptiveBins(size=100)):
        assert cb.ICI(curve)(c) == pytest.approx(cb.ECE(curve, debiased=False)(c), abs=1e-15)
        assert cb.Emax(curve)(c) == cb.MCE(curve)(c)


def sigmoid(q):
    """Too extreme by a third, on the logit scale."""
    return expit(0.3 + 0.7 * logit(q))


@pytest.mark.parametrize("score", SIZES, ids=repr)
@pytest.mark.parametrize("wrong", [False, True])
def test_true_sizes_are_covered(score, wrong):
    q = np.sort(np.random.default_rng(0).beta(2, 2, 100_000))
    truth = np.abs(q - sigmoid(q)) if wrong else np.zeros(1)
    wanted = float(score.norm.plain(truth, np.full(truth.size, 1 / truth.size)))
    covered = 0
    for seed in range(1, 31):
        rng = np.random.default_rng(seed)
        q = rng.beta(2, 2, 1000)
        y = rng.random(1000) < (sigmoid(q) if wrong else q)
        found = cb.score(cb.Pairs(y, q), score, interval=cb.Bootstrap(100, seed=seed))
        covered += found.low <= wanted <= found.high
    assert covered >= 24  # of 30; 28.5 expected
