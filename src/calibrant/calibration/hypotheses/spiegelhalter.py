"""Spiegelhalter's test."""

from dataclasses import dataclass

import numpy as np

from calibrant.calibration.hypotheses.groups import by_group, hotelling
from calibrant.calibration.hypotheses.hypothesis import Hypothesis
from calibrant.pairs import Pairs
from calibrant.results.verdict import Finding, certain


@dataclass(frozen=True, repr=False)
class Spiegelhalter(Hypothesis):
    """Test whether the Brier score equals its expectation under calibration.

    The statistic is Σ(y − q)(1 − 2q), so errors that cancel in this sum are not detected. With
    groups, its variance is estimated over groups.

    Reference: Spiegelhalter (1986), doi:10.1002/sim.4780050506.
    """

    def evaluate(self, pairs: Pairs) -> Finding:
        """Z (or, with groups, its robust form) and the two-sided p-value."""
        q = pairs.q.astype(np.float64)
        sums = by_group(pairs, [(pairs.y - pairs.predicted) * (1 - 2 * q)])
        if sums is None:
            return _independent(pairs)
        f, p_value = hotelling(sums)
        z = float(np.sign(sums.sum()) * np.sqrt(f))
        return Finding(z, p_value, "variance over groups")


def _independent(pairs: Pairs) -> Finding:
    from scipy.special import ndtr

    tally = pairs.tally
    side = 1 - 2 * tally.q
    total = np.sum((tally.positive - tally.weight * tally.q) * side)
    noise = np.sqrt(np.sum(tally.weight * side**2 * tally.q * (1 - tally.q)))
    if noise == 0.0:
        return certain(bool(total != 0))
    z = float(total / noise)
    return Finding(z, float(2 * ndtr(-abs(z))), "normal distribution")
