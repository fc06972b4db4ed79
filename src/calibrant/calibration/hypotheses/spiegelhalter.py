"""Spiegelhalter's test."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from calibrant.calibration.gaps.digest import digest
from calibrant.calibration.groups.units import Rows, resampling_units
from calibrant.calibration.hypotheses.groups import FLIPS, flipped_sums
from calibrant.calibration.hypotheses.hypothesis import REPLICATES, Hypothesis, check_replicates
from calibrant.pairs import Pairs
from calibrant.results.verdict import Finding, certain, resampled


@dataclass(frozen=True, repr=False)
class Spiegelhalter(Hypothesis):
    """Test whether the Brier score equals its expectation under calibration.

    The statistic is Σ(y − q)(1 − 2q), so errors that cancel in this sum are not detected. With
    groups, the signs of whole groups are flipped.

    Reference: Spiegelhalter (1986), doi:10.1002/sim.4780050506.
    """

    replicates: int = REPLICATES
    seed: int = 0

    def __post_init__(self) -> None:
        check_replicates(self)

    def evaluate(self, pairs: Pairs) -> Finding:
        """Z, in units of the standard deviation of its replicates with groups, and its p-value."""
        if resampling_units(pairs) is None:
            return _independent(pairs)

        def side(rows: Rows) -> NDArray[np.float64]:
            return 1 - 2 * pairs.q[rows].astype(np.float64)

        total, drawn = flipped_sums(pairs, [side], self.replicates, self.seed)
        spread = float(np.sqrt(np.mean(drawn**2)))
        z = float(total[0] / spread) if spread > 0 else 0.0
        return resampled(z, np.abs(drawn[:, 0]), abs(float(total[0])), FLIPS)


def _independent(pairs: Pairs) -> Finding:
    from scipy.special import ndtr

    found = digest(pairs)
    total, noise = found.total("side"), np.sqrt(found.total("side_noise"))
    if noise == 0.0:
        return certain(bool(total != 0))
    z = float(total / noise)
    return Finding(z, float(2 * ndtr(-abs(z))), "normal distribution")
