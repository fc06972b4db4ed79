"""Predictions that look like shares of a few draws."""

import warnings

import numpy as np
import pytest

import calibrant as cb
from calibrant import CalibrantWarning
from calibrant.pairs.shares import spurious, warn_of_shares


def sample(draws, n=3000, seed=0):
    """Outcomes of a calibrated model, and how many of its draws said yes."""
    rng = np.random.default_rng(seed)
    q = rng.beta(0.4, 0.6, n)
    return rng.random(n) < q, rng.binomial(draws, q)


def test_shares_without_their_draws_are_noticed():
    y, yes = sample(10, n=100_000)
    pairs = cb.Pairs(y, yes / 10)
    with pytest.warns(CalibrantWarning, match=r"multiples of 1/10.*about 0.03\d: use") as caught:
        naive = cb.score(pairs, interval=None)
    said = float(str(caught[0].message).split("about ")[1][:5])
    assert said == pytest.approx(naive.value, rel=0.1)  # the bias it names is there
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cb.score(pairs, interval=None)  # once is enough
        cb.score(cb.synthetic.calibrated(500), interval=None)
        cb.score(cb.Pairs([0, 1] * 50, [0.0, 1.0] * 50), interval=None)
        cb.score(cb.Pairs.from_draws(y, yes, 10), interval=None)


def test_single_precision_shares_are_noticed():
    y, yes = sample(20, n=2000)
    with pytest.warns(CalibrantWarning, match="multiples of 1/20"):
        cb.curve(cb.Pairs(y, (yes / 20).astype(np.float32)))


def test_the_spurious_score_is_the_formula_of_a_beta_distribution():
    """Of Beta(0.4, 0.6) and S draws: m²μ(1−μ)/((m+1)S(m+S)) with m = 1 and μ = 0.4."""
    y, yes = sample(10, n=100_000)
    wanted = np.sqrt(0.4 * 0.6 / (2 * 10 * 11))
    assert spurious(cb.Pairs(y, yes / 10), 10) == pytest.approx(wanted, rel=0.02)


@pytest.mark.parametrize(
    "q",
    [
        np.tile([0.0, 0.5, 1.0], 40),  # too few different values
        np.tile([0.1, 0.2, 0.3, 0.4], 10),  # too few pairs
        np.arange(200) / 199,  # multiples of a number too large to be draws
    ],
)
def test_what_is_hardly_a_share_is_not_mentioned(q):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_of_shares(cb.Pairs(np.zeros(q.size, int), q))
