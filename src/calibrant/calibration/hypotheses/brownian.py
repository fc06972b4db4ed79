"""How far Brownian motion wanders."""

import numpy as np


def distance_beyond(x: float) -> float:
    """P(max |B| > x) for Brownian motion B on [0, 1]."""
    if x <= 0:
        return 1.0
    k = np.arange(50)
    terms = (-1.0) ** k / (2 * k + 1) * np.exp(-(((2 * k + 1) * np.pi / x) ** 2) / 8)
    if x < 3:
        return float(1 - 4 / np.pi * terms.sum())
    from scipy.special import ndtr

    return float(4 * np.sum((-1.0) ** k * ndtr(-(2 * k + 1) * x)))


def range_beyond(x: float) -> float:
    """P(max B − min B > x) for Brownian motion B on [0, 1] (Feller, 1951)."""
    from scipy.special import ndtr

    if x < 0.4:  # the probability is 1 to 15 digits, and the series slow
        return 1.0
    k = np.arange(1, 200)
    return float(8 * np.sum((-1.0) ** (k - 1) * k * ndtr(-k * x)))
