"""The test of Hosmer and Lemeshow."""

from dataclasses import dataclass

import numpy as np

from calibrant.calibration.curves import AdaptiveBins
from calibrant.calibration.hypotheses.groups import FLIPS, certain, flipped, leanings
from calibrant.calibration.hypotheses.hypothesis import REPLICATES, Hypothesis, check_replicates
from calibrant.checks.parameters import whole_number
from calibrant.pairs import Pairs
from calibrant.results.verdict import share_beyond


@dataclass(frozen=True, repr=False)
class HosmerLemeshow(Hypothesis):
    """Whether observed and expected counts agree over bins: Σ (O − E)² / (E(1 − E/n)).

    The usual test, whose answer depends on the number of bins. Chi-squared with as many degrees
    as there are bins, since the predictions were not fitted to these data.

    Reference: Hosmer and Lemeshow (1980), doi:10.1080/03610928008827941.
    """

    count: int = 10
    replicates: int = REPLICATES
    seed: int = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "count", whole_number("count", self.count, 2))
        check_replicates(self)

    def evaluate(self, pairs: Pairs) -> tuple[float, float, str]:
        """Chi-squared and its p-value."""
        from scipy.special import chdtrc

        curve = AdaptiveBins(count=self.count)
        bins = curve.bins(pairs)
        spread = bins.total * (1 - bins.q)
        if pairs.held is not None:  # draws that all say yes are no certainty
            spread = (bins.total + 0.5) * (bins.n - bins.total + 0.5) / (bins.n + 1)
        wrong = bool(np.any((spread == 0) & (bins.positive != bins.total)))
        if wrong or not np.any(spread):
            return certain(wrong)
        scale = np.where(spread > 0, 1 / np.where(spread > 0, spread, 1.0), 0.0)
        found = float(np.sum((bins.positive - bins.total) ** 2 * scale))
        lean = leanings(pairs, curve.columns(pairs), bins.n.size)
        if lean is None:
            used = int((spread > 0).sum())
            return found, float(chdtrc(used, found)), f"chi-squared with {used} degrees"
        drawn = flipped(lean, bins.n.size, self.replicates, self.seed) ** 2 @ scale
        return found, share_beyond(drawn, found), FLIPS
