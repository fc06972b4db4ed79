"""Predictions of numbers that many tests share."""

import numpy as np
from scipy import stats

from calibrant.numbers import PIT

LEVELS = np.array([0.05, 0.25, 0.5, 0.75, 0.95])


def normal(n, seed=0, sd=1.0, mean=0.0, group=None):
    y = np.random.default_rng(seed).normal(size=n)
    return PIT.from_normal(y, mean, sd, group=group)


def counted(seed=0, n=400):
    """Poisson counts under their own law: u is known to lie in an interval."""
    generator = np.random.default_rng(seed)
    mean = generator.uniform(0.5, 6, n)
    y = generator.poisson(mean)
    return PIT.from_cdf(stats.poisson.cdf(y, mean), stats.poisson.cdf(y - 1, mean))


def in_documents(n, count, seed, sd=1.0):
    """Documents whose truths lean the same way."""
    generator = np.random.default_rng(seed)
    group = np.arange(n) * count // n
    noise = generator.normal(size=n) * np.sqrt(0.7)
    noise += np.sqrt(0.3) * generator.normal(size=count)[group]
    return PIT.from_normal(noise, 0.0, sd, group=group)


def p_values(make, test, simulations):
    return np.array([make(seed).test(test).p_value for seed in range(simulations)])
