"""The smallest error that a test of calibration would have detected."""

import numpy as np
from numpy.typing import NDArray

from calibrant.calibration.groups.exact_sums import column_sum
from calibrant.calibration.groups.few_groups import mean_shifts
from calibrant.calibration.groups.units import Rows, resampling_units, unit_weights
from calibrant.calibration.hypotheses.groups import noise_scale
from calibrant.pairs import Pairs

Float = NDArray[np.float64]
POWER = 0.8
DIRECTIONS = 2  # of errors that tests look for: a shift, and a slope


def detectable(pairs: Pairs, size: float) -> float:
    """The smallest shift of all frequencies that a test at `size` detects with 80 % power.

    √λ · s, where s is the standard error of mean q − frequency if the model is calibrated, and λ
    the noncentrality at which a test of two directions, a shift and a slope, has that power. With
    groups its critical value is that of Hotelling's T² over the effective number of groups.
    Infinite if even groups that all agree could not make the p-value as small as `size`.
    """
    if pairs.groups and size < 2.0 ** (1 - pairs.groups):
        return np.inf
    return float(np.sqrt(noncentrality(size, pairs.effective_groups)) * null_spread(pairs))


def noncentrality(size: float, effective: float) -> float:
    """The noncentrality of a test of two directions at `size` with 80 % power.

    >>> round(noncentrality(0.05, 0), 2)
    9.63
    """
    from scipy.special import chdtri, chndtrinc, fdtri

    critical = float(chdtri(DIRECTIONS, size))
    if effective > 0:
        freedom = max(effective - 1, DIRECTIONS)  # of the variance between groups
        rest = freedom - DIRECTIONS + 1
        critical = DIRECTIONS * freedom / rest * float(fdtri(DIRECTIONS, rest, 1 - size))
    return float(chndtrinc(critical, DIRECTIONS, 1 - POWER))


def null_spread(pairs: Pairs) -> float:
    """The standard error of mean q − frequency of a calibrated model with these groups."""
    units = resampling_units(pairs)
    if units is None:
        return float(np.sqrt(column_sum(lambda rows: _chance(pairs, rows), len(pairs)))) / pairs.n

    def residual(rows: Rows) -> Float:
        weight = 1.0 if pairs.weight is None else pairs.weight[rows]
        return np.asarray((pairs.predicted[rows] - pairs.y[rows]) * weight, np.float64)

    shifts = mean_shifts(units.sums(residual), unit_weights(pairs, units))
    return float(np.sqrt(np.sum(shifts**2))) * noise_scale(pairs)


def _chance(pairs: Pairs, rows: Rows) -> Float:
    q = pairs.q[rows].astype(np.float64, copy=False)
    return np.asarray(q * (1 - q) * (1.0 if pairs.weight is None else pairs.weight[rows]))
