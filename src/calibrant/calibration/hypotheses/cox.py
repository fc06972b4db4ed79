"""Cox's test."""

from dataclasses import dataclass

import numpy as np

from calibrant.calibration.curves.cells import position
from calibrant.calibration.gaps.evidence import resampling_units
from calibrant.calibration.hypotheses.groups import by_group, certain, hotelling
from calibrant.calibration.hypotheses.hypothesis import Hypothesis
from calibrant.kernels.calibration.logistic import fit_line, log_likelihood
from calibrant.pairs import Pairs

UNSURE = 0.02  # shares of draws are not taken to be closer to 0 or 1


@dataclass(frozen=True, repr=False)
class Cox(Hypothesis):
    """Whether intercept and slope of a logistic regression of y on logit(q) are 0 and 1.

    Strong against models that are too extreme, too timid, or lean to one side. Without groups
    it is the likelihood ratio; with groups a score test with the variance over groups.
    Predictions of exactly 0 and 1 have no logit: one that failed is impossible, the others are
    left out.

    Reference: Cox (1958), doi:10.1093/biomet/45.3-4.562.
    """

    def evaluate(self, pairs: Pairs) -> tuple[float, float, str]:
        """The likelihood ratio (or F, with groups) and its p-value."""
        from scipy.special import chdtrc

        tally = pairs.tally
        ends = (tally.q == 0) | (tally.q == 1)
        surprised = np.any(tally.positive[tally.q == 0]) or np.any(
            tally.weight[tally.q == 1] != tally.positive[tally.q == 1]
        )
        if pairs.held is None and (surprised or ends.all()):
            return certain(bool(surprised))
        if resampling_units(pairs) is not None:
            q = pairs.q.astype(np.float64)
            if pairs.held is not None:  # draws that all say yes are no certainty
                q = np.clip(q, UNSURE, 1 - UNSURE)
            inner = (q > 0) & (q < 1)
            x = np.zeros(q.size)
            x[inner] = position(q[inner], "logit")
            residual = np.where(inner, pairs.y - pairs.predicted, 0.0)
            sums = by_group(pairs, [residual, residual * x])
            assert sums is not None
            return *hotelling(sums), "variance over groups"
        q, n, k = tally.q[~ends], tally.weight[~ends], tally.positive[~ends]
        x = position(q, "logit")
        gained = 2 * (fit_line(x, n, k).likelihood - log_likelihood(x, n, k))
        return float(gained), float(chdtrc(2, max(gained, 0.0))), "chi-squared with 2 degrees"
