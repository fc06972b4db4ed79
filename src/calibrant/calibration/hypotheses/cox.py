"""Cox's test."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from calibrant.calibration.curves.cells import position
from calibrant.calibration.gaps.digest import digest
from calibrant.calibration.groups.exact_sums import column_sum
from calibrant.calibration.groups.units import Rows, resampling_units
from calibrant.calibration.hypotheses.groups import FLIPS, flipped_sums
from calibrant.calibration.hypotheses.hypothesis import REPLICATES, Hypothesis, check_replicates
from calibrant.kernels.calibration.logistic import fit_line, log_likelihood
from calibrant.pairs import Pairs
from calibrant.results.verdict import Finding, certain, resampled

Float = NDArray[np.float64]
NEGLIGIBLE = 1e-20  # information about the slope, if all predictions are equal but for rounding
UNSURE = 0.02  # shares of draws are moved this far from 0 and 1, which have no logit


@dataclass(frozen=True, repr=False)
class Cox(Hypothesis):
    """Test whether a logistic regression of y on logit(q) has intercept 0 and slope 1.

    Powerful against models that are overconfident, underconfident, or biased to one side. Without
    groups it is a likelihood-ratio test. With groups it is a score test: the signs of whole
    groups are flipped. Predictions of exactly 0 and 1 have no logit. If one of them is wrong, p is
    0; otherwise they are left out.

    Reference: Cox (1958), doi:10.1093/biomet/45.3-4.562.
    """

    replicates: int = REPLICATES
    seed: int = 0

    def __post_init__(self) -> None:
        check_replicates(self)

    def evaluate(self, pairs: Pairs) -> Finding:
        """The likelihood ratio (or score statistic, with groups) and its p-value."""
        found = digest(pairs)
        surprised = bool(found.total("zero_positive") or found.total("one_negative"))
        if pairs.held is None and (surprised or not found.total("distinct")):
            return certain(surprised)
        if resampling_units(pairs) is not None:
            return self._over_groups(pairs)
        return _likelihood_ratio(pairs)

    def _over_groups(self, pairs: Pairs) -> Finding:
        """The score test of both coefficients, with flipped signs of groups."""
        columns = _Columns(pairs)
        # given the predictions the two sums are uncorrelated, with these variances
        information = np.array([columns.total(0), columns.total(2)])
        known = information > NEGLIGIBLE * information.max()
        sums, drawn = flipped_sums(pairs, [columns.inner, columns.away], self.replicates, self.seed)
        spread = np.sqrt(information[known])
        observed = float(np.sum((sums[known] / spread) ** 2))
        replicates = np.sum((drawn[:, known] / spread) ** 2, axis=1)
        return resampled(observed, replicates, observed, FLIPS)


class _Columns:
    """What the score test computes for each row, a few rows at a time."""

    def __init__(self, pairs: Pairs) -> None:
        self.pairs, self.middle = pairs, 0.0
        self.middle = self.total(1) / self.total(0)

    def total(self, power: int) -> float:
        """Σ q(1 − q) · (logit q − middle)^power, by weight."""
        return column_sum(
            lambda rows: self._chance(rows) * self.away(rows) ** power, len(self.pairs)
        )

    def inner(self, rows: Rows) -> Float:
        """Whether a row has a logit."""
        q = self._q(rows)
        return ((q > 0) & (q < 1)).astype(np.float64)

    def away(self, rows: Rows) -> Float:
        """The logit of a row minus the middle; 0 without a logit."""
        q = self._q(rows)
        inner = (q > 0) & (q < 1)
        found = np.zeros(q.size)
        found[inner] = position(q[inner], "logit") - self.middle
        return found

    def _q(self, rows: Rows) -> Float:
        q = self.pairs.q[rows].astype(np.float64)
        # unanimous draws do not mean certainty
        return q if self.pairs.held is None else np.clip(q, UNSURE, 1 - UNSURE)

    def _chance(self, rows: Rows) -> Float:
        q = self._q(rows)
        chance = q * (1 - q)
        return chance if self.pairs.weight is None else chance * self.pairs.weight[rows]


def _likelihood_ratio(pairs: Pairs) -> Finding:
    """The likelihood ratio of the fitted line to the predictions."""
    from scipy.special import chdtrc

    x, y, n = digest(pairs).logits
    k = n * y
    gained = float(2 * (fit_line(x, n, k).likelihood - log_likelihood(x, n, k)))
    return Finding(
        gained, float(chdtrc(2, max(gained, 0.0))), "chi-squared with 2 degrees of freedom"
    )
