"""Cook, Gelman and Rubin's test: Σ Φ⁻¹(u)² is chi-squared."""

import numpy as np
from numpy.typing import NDArray

from calibrant.calibration.groups.exact_sums import order_free_sum
from calibrant.calibration.groups.few_groups import worth_less
from calibrant.calibration.numbers.positions import Positions
from calibrant.checks.arrays import sum_by
from calibrant.errors import UnsupportedError
from calibrant.results.verdict import Finding, certain

Float = NDArray[np.float64]
ROUNDING = 1e-12  # relative spread of the groups below which it is rounding error
MANY = 50  # effective groups: squares have long tails, so with fewer the test over-rejects


def sum_of_squares(positions: Positions, seed: int) -> Finding:
    """The sum of squares and its two-sided p-value; with groups, the variance over groups."""
    from scipy.special import ndtri

    squares = ndtri(positions.randomised(seed)) ** 2
    if not np.isfinite(squares).all():  # an observation with predicted probability 0
        return certain(wrong=True)
    return _independent(squares) if positions.codes is None else _over_groups(positions, squares)


def _independent(squares: Float) -> Finding:
    from scipy.special import chdtr, chdtrc

    total, n = order_free_sum(squares), squares.size
    tail = min(chdtr(n, total), chdtrc(n, total))
    return Finding(total, min(1.0, 2 * float(tail)), f"chi-squared with {n} degrees of freedom")


def _over_groups(positions: Positions, squares: Float) -> Finding:
    from scipy.special import stdtr

    effective = positions.effective_groups
    if worth_less(effective, MANY):
        raise UnsupportedError(
            f"CookGelmanRubin needs groups that are worth at least {MANY} groups of equal size, "
            f"but these are worth {effective:.1f}: use the test Uniform, or leave the group out."
        )
    assert positions.codes is not None
    sums = sum_by(positions.codes, squares - 1)  # their mean is 0 under calibration
    if np.ptp(sums) <= ROUNDING * np.abs(sums).sum():
        raise UnsupportedError(
            "All groups have the same sum of squares, so their variance cannot be estimated: use "
            "the test Uniform, or leave the group out."
        )
    t = float(sums.sum() / np.sqrt(np.sum(sums**2)))
    return Finding(t, 2 * float(stdtr(effective - 1, -abs(t))), "variance over groups")
