"""Tail probabilities of the maximum and the range of Brownian motion."""

import numpy as np

TERMS = 50  # terms of the series for the maximum: the first omitted one is below 1e-300
TURN = 3.0  # above it the second series needs fewer terms, and is never negative
SURE_DISTANCE = 0.15  # below it the probability is 1 to 20 digits, and 1/x² may overflow
SURE = 0.4  # below it the probability is 1 to 15 digits, and the series converges slowly
RANGE_TERMS = 200  # terms of the series for the range, enough down to SURE


def distance_beyond(x: float) -> float:
    """P(max |B| > x) for Brownian motion B on [0, 1]."""
    if x < SURE_DISTANCE:
        return 1.0
    k = np.arange(TERMS)
    terms = (-1.0) ** k / (2 * k + 1) * np.exp(-(((2 * k + 1) * np.pi / x) ** 2) / 8)
    if x < TURN:
        return float(1 - 4 / np.pi * terms.sum())
    from scipy.special import ndtr

    return float(4 * np.sum((-1.0) ** k * ndtr(-(2 * k + 1) * x)))


def range_beyond(x: float) -> float:
    """P(max B − min B > x) for Brownian motion B on [0, 1] (Feller, 1951)."""
    from scipy.special import ndtr

    if x < SURE:
        return 1.0
    k = np.arange(1, RANGE_TERMS)
    return float(8 * np.sum((-1.0) ** (k - 1) * k * ndtr(-k * x)))
