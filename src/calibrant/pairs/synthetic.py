"""Synthetic pairs whose calibration is known exactly.

Predictions are drawn from a Beta distribution, and each observation is 1 with probability t(q).
The identity gives a calibrated forecaster; `outward` and `inward` are two readings of t(p) in the
thesis; any function from [0, 1] to [0, 1] works.
"""

from collections.abc import Callable
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from calibrant.checks.parameters import real_number, whole_number
from calibrant.errors import ParameterError
from calibrant.pairs.pairs import Pairs

Float = NDArray[np.float64]
Map = Callable[[Float], Float]
JITTER = 0.05  # standard deviation of the q of tokens around the level of their sentence
LOWEST, HIGHEST = 0.01, 0.99  # the q of tokens are clipped to this range, so no token is certain
NODES = 200  # nodes between two kinks: the quadrature is exact to 14 digits for these maps
LEVEL_NODES = 400  # nodes over levels of sentences, whose density may be steep


def identity(q: Float) -> Float:
    """t(q) = q: calibrated."""
    return q


def outward(k: float) -> Map:
    """t(q) = max(0, q − k) for q ≤ ½, else min(1, q + k): an underconfident forecaster."""
    _check_shift(k)
    return lambda q: np.where(q <= 0.5, np.maximum(0.0, q - k), np.minimum(1.0, q + k))


def inward(k: float) -> Map:
    """t(q) = q + k for q ≤ ½, else q − k: an overconfident forecaster."""
    _check_shift(k)
    return lambda q: np.where(q <= 0.5, q + k, q - k)


def _check_shift(k: float) -> None:
    if not 0 <= real_number("k", k) <= 0.5:
        raise ParameterError(f"k must lie in [0, 0.5], but it is {k!r}.")


def _check(n: int, a: float, b: float) -> None:
    whole_number("n", n, 1)
    if not (real_number("a", a) > 0 and real_number("b", b) > 0):
        raise ParameterError(f"a and b must be positive, but a={a!r}, b={b!r}.")


def sample(n: int, t: Map = identity, *, a: float = 0.2, b: float = 0.5, seed: int = 0) -> Pairs:
    """Draw n independent pairs: q ~ Beta(a, b), y = 1 with probability t(q).

    Examples
    --------
    >>> from calibrant import synthetic
    >>> synthetic.sample(1000, synthetic.inward(0.1), seed=1)
    Pairs(1000 pairs: 35.9 % positive, mean q 0.275)
    """
    _check(n, a, b)
    generator = np.random.default_rng(whole_number("seed", seed, 0))
    q = generator.beta(a, b, n)
    return Pairs(generator.random(n) < _probabilities(t, q), q)


def calibrated(n: int, *, a: float = 0.2, b: float = 0.5, seed: int = 0) -> Pairs:
    """Draw n pairs of a perfectly calibrated forecaster."""
    return sample(n, identity, a=a, b=b, seed=seed)


def sample_groups(
    groups: int,
    t: Map = identity,
    *,
    size: int = 20,
    rho: float = 0.3,
    a: float = 2.0,
    b: float = 2.0,
    seed: int = 0,
) -> Pairs:
    """Draw sentences of dependent tokens; the outcomes of a sentence are correlated.

    Each sentence has a level s ~ Beta(a, b), its tokens q = clip(s + N(0, 0.05²), .01, .99). A
    token is positive if Φ(√ρ·u + √(1−ρ)·e) < t(q), with one normal u per sentence and one
    normal e per token, so each token alone is positive with probability t(q).
    """
    _check(groups, a, b)
    whole_number("size", size, 1)
    if not 0 <= real_number("rho", rho) < 1:
        raise ParameterError(f"rho must lie in [0, 1), but it is {rho!r}.")
    from scipy.special import ndtr

    generator = np.random.default_rng(whole_number("seed", seed, 0))
    q = _clustered_predictions(generator, groups, size, a, b)
    shared = generator.standard_normal((groups, 1))
    own = generator.standard_normal((groups, size))
    y = ndtr(np.sqrt(rho) * shared + np.sqrt(1 - rho) * own) < _probabilities(t, q)
    return Pairs(y.ravel(), q.ravel(), group=np.repeat(np.arange(groups), size))


def _clustered_predictions(
    generator: np.random.Generator, groups: int, size: int, a: float, b: float
) -> Float:
    level = generator.beta(a, b, (groups, 1))
    return np.clip(level + generator.normal(0.0, JITTER, (groups, size)), LOWEST, HIGHEST)


def _probabilities(t: Map, q: Float) -> Float:
    p = np.asarray(t(q), np.float64)
    if p.shape != q.shape or not (p.min() >= 0 and p.max() <= 1):
        raise ParameterError("t must give one probability in [0, 1] for every prediction.")
    return p


def true_mse(t: Map, *, a: float = 0.2, b: float = 0.5, jumps: tuple[float, ...] = ()) -> float:
    """The exact CalibMSE E[(t(q) − q)²] for q ~ Beta(a, b), by quadrature.

    `jumps` lists points other than ½ where t has a jump or a kink, which makes the result exact.

    Examples
    --------
    >>> from calibrant import synthetic
    >>> k = 0.1  # outward, uniform q: k²(1−2k) + 2k³/3
    >>> round(synthetic.true_mse(synthetic.outward(k), a=1, b=1, jumps=(k, 1 - k)), 12)
    0.008666666667
    """
    _check(1, a, b)
    return _expectation(lambda q: (t(q) - q) ** 2, a, b, jumps)


def true_score(t: Map, *, a: float = 0.2, b: float = 0.5, jumps: tuple[float, ...] = ()) -> float:
    """The exact CalibScore, the root of `true_mse`."""
    return float(np.sqrt(true_mse(t, a=a, b=b, jumps=jumps)))


def true_mse_groups(
    t: Map, *, a: float = 2.0, b: float = 2.0, jumps: tuple[float, ...] = ()
) -> float:
    """The exact CalibMSE for the predictions of `sample_groups`, by quadrature."""
    _check(1, a, b)
    from scipy.special import ndtr
    from scipy.stats import beta

    def squared(q: Float) -> Float:
        return (np.asarray(t(q)) - q) ** 2

    def given_level(level: Float) -> Float:
        """E[(t(q) − q)²] of the tokens of a sentence."""
        cuts = np.unique(np.concatenate([[LOWEST, 0.5, HIGHEST], jumps]))
        clipped_low = ndtr((LOWEST - level) / JITTER) * squared(np.array([LOWEST]))
        clipped_high = ndtr((level - HIGHEST) / JITTER) * squared(np.array([HIGHEST]))
        value: Float = clipped_low + clipped_high
        for low, high in pairwise(cuts):
            x, w = _nodes(low, high, NODES)
            apart = (x - level[:, None]) / JITTER
            density = np.exp(-0.5 * apart**2) / (JITTER * np.sqrt(2 * np.pi))
            value = value + density @ (w * squared(x))
        return value

    x, w = _nodes(0.0, 1.0, LEVEL_NODES)
    return float(np.sum(w * beta.pdf(x, a, b) * given_level(x)))


def _expectation(f: Map, a: float, b: float, jumps: tuple[float, ...]) -> float:
    """E[f(q)] for q ~ Beta(a, b): on each half q = v^(1/a) or 1 − v^(1/b) removes the poles."""
    from scipy.special import beta as beta_function

    cuts = np.unique(np.clip(np.concatenate([[0.0, 0.5, 1.0], jumps]), 0.0, 1.0))
    total = 0.0
    for low, high in pairwise(cuts):
        if high <= 0.5:
            v, w = _nodes(low**a, high**a, NODES)
            q = v ** (1 / a)
            total += float(np.sum(w * f(q) * (1 - q) ** (b - 1))) / a
        else:
            v, w = _nodes((1 - high) ** b, (1 - low) ** b, NODES)
            q = 1 - v ** (1 / b)
            total += float(np.sum(w * f(q) * q ** (a - 1))) / b
    return total / float(beta_function(a, b))


def _nodes(low: float, high: float, count: int) -> tuple[Float, Float]:
    """Gauss–Legendre nodes and weights on [low, high]."""
    x, w = np.polynomial.legendre.leggauss(count)
    return (high - low) / 2 * x + (high + low) / 2, (high - low) / 2 * w
