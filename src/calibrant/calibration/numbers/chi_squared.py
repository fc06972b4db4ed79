"""Cook, Gelman and Rubin's test: Σ Φ⁻¹(u)² is chi-squared."""

import numpy as np
from numpy.typing import NDArray

from calibrant.calibration.gaps.evidence import order_free_sum
from calibrant.calibration.numbers.positions import Positions
from calibrant.checks.arrays import sum_by
from calibrant.results.verdict import check_groups

Float = NDArray[np.float64]
MANY = 50  # groups: squares have long tails, and with fewer the test rejects too often


def sum_of_squares(positions: Positions, seed: int) -> tuple[float, float, str]:
    """The sum of squares and its two-sided p-value; with groups, the variance over groups."""
    from scipy.special import chdtr, chdtrc, ndtri, stdtr

    squares = ndtri(positions.randomised(seed)) ** 2
    if not np.isfinite(squares).all():  # an observation that was impossible
        return np.inf, 0.0, "certainty"
    if positions.codes is None:
        total = order_free_sum(squares)
        tail = min(chdtr(positions.n, total), chdtrc(positions.n, total))
        return total, min(1.0, 2 * float(tail)), f"chi-squared with {positions.n} degrees"
    check_groups(positions.groups, MANY)
    sums = sum_by(positions.codes, squares - 1)
    noise = float(np.sqrt(np.sum((sums - sums.mean()) ** 2) * sums.size / (sums.size - 1)))
    t = float(sums.sum()) / noise
    return t, 2 * float(stdtr(sums.size - 1, -abs(t))), "variance over groups"
