"""Spiegelhalter's test."""

from dataclasses import dataclass

import numpy as np

from calibrant.calibration.hypotheses.groups import by_group, certain, hotelling
from calibrant.calibration.hypotheses.hypothesis import Hypothesis
from calibrant.pairs import Pairs


@dataclass(frozen=True, repr=False)
class Spiegelhalter(Hypothesis):
    """Whether the Brier score is what a calibrated model expects: Spiegelhalter's z.

    Σ(y − q)(1 − 2q), which is blind to errors that cancel in it. With groups its variance is
    taken over groups.

    Reference: Spiegelhalter (1986), doi:10.1002/sim.4780050506.
    """

    def evaluate(self, pairs: Pairs) -> tuple[float, float, str]:
        """Z (or, with groups, its robust form) and the two-sided p-value."""
        from scipy.special import ndtr

        q = pairs.q.astype(np.float64)
        parts = (pairs.y - pairs.predicted) * (1 - 2 * q)
        sums = by_group(pairs, [parts])
        if sums is not None:
            f, p_value = hotelling(sums)
            return float(np.sign(sums.sum()) * np.sqrt(f)), p_value, "variance over groups"
        tally = pairs.tally
        side = 1 - 2 * tally.q
        total = np.sum((tally.positive - tally.weight * tally.q) * side)
        noise = np.sqrt(np.sum(tally.weight * side**2 * tally.q * (1 - tally.q)))
        if noise == 0.0:
            return certain(bool(total != 0))
        z = float(total / noise)
        return z, float(2 * ndtr(-abs(z))), "normal distribution"
