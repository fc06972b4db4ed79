"""A logistic line fitted to cells of pairs."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Float = NDArray[np.float64]
STEEP = 1e3  # a larger coefficient means that the likelihood has no maximum
STEPS = 100  # maximum Newton steps; a handful is typical
ROUNDING = 1e-12  # relative rounding error of a likelihood or a coefficient
SMALLEST = 1e-14  # smallest step that can change a coefficient of 1
HALVINGS = 1100  # maximum halvings of a step: from the largest float to below SMALLEST


class Line(NamedTuple):
    """logit P(y = 1) = intercept + slope · x."""

    intercept: float
    slope: float
    likelihood: float  # its logarithm
    information: Float  # (2, 2)


def log_likelihood(level: Float, n: Float, k: Float) -> float:
    """The log-likelihood of n pairs, k of them positive, at each level on the logit scale."""
    return float(np.sum(k * level - n * np.logaddexp(0, level)))


def fit_line(x: Float, n: Float, k: Float, *, sloped: bool = True) -> Line:
    """Fit the line of maximum likelihood; `sloped=False` fixes the slope at 1."""
    from scipy.special import expit

    design = np.column_stack([np.ones_like(x), x])
    beta = np.array([0.0, 1.0])
    best = log_likelihood(design @ beta, n, k)
    free = np.array([1.0, float(sloped)])
    information = np.zeros((2, 2))
    for _ in range(STEPS):
        p = expit(design @ beta)
        information = (design * (n * p * (1 - p))[:, None]).T @ design
        bound = information * np.outer(free, free)
        step = np.linalg.pinv(bound) @ (design.T @ (k - n * p) * free)
        reached = log_likelihood(design @ (beta + step), n, k)
        for _ in range(HALVINGS):
            if reached >= best - ROUNDING * abs(best) or np.abs(step).max() <= SMALLEST:
                break
            step /= 2
            reached = log_likelihood(design @ (beta + step), n, k)
        beta, best = beta + step, reached
        if np.abs(step).max() < ROUNDING * (1 + np.abs(beta).max()) or np.abs(beta).max() > STEEP:
            break
    return Line(float(beta[0]), float(beta[1]), best, information)
