"""The test of Hosmer and Lemeshow."""

from dataclasses import dataclass

import numpy as np

from calibrant.calibration.curves import AdaptiveBins
from calibrant.calibration.hypotheses.drawn_outcomes import DRAWN, outcomes_drawn
from calibrant.calibration.hypotheses.groups import FLIPS, flipped, leanings, noise_scale
from calibrant.calibration.hypotheses.hypothesis import REPLICATES, Hypothesis, check_replicates
from calibrant.checks.parameters import whole_number
from calibrant.pairs import Pairs
from calibrant.results.verdict import Finding, certain, resampled
from calibrant.results.wording import counted

IMPOSSIBLE = 1e-200  # expected positives in a bin: fewer count as none, to avoid overflow
ENOUGH = 1.0  # expected variance of a bin's positives above which chi-squared is close enough
SMALL = 200_000  # pairs up to which outcomes are drawn one by one
ROUNDING = 1e-14  # smaller relative differences of sums are rounding errors


@dataclass(frozen=True, repr=False)
class HosmerLemeshow(Hypothesis):
    """Test whether observed and expected counts agree over bins: Σ (O − E)² / (E(1 − E/n)).

    A common test, but its result depends on the number of bins. It has one degree of freedom per
    bin, since the predictions were not fitted to these data. If a bin expects few positives (or
    few others), outcomes are drawn from the predictions instead. With groups, the signs of whole
    groups are flipped.

    Reference: Hosmer and Lemeshow (1980), doi:10.1080/03610928008827941.
    """

    count: int = 10
    replicates: int = REPLICATES
    seed: int = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "count", whole_number("count", self.count, 2))
        check_replicates(self)

    def evaluate(self, pairs: Pairs) -> Finding:
        """Chi-squared and its p-value."""
        from scipy.special import chdtrc

        curve = AdaptiveBins(count=self.count)
        bins = curve.bins(pairs)
        spread = bins.total * (1 - bins.q)
        spread[spread < IMPOSSIBLE] = 0.0  # rounding may even make it negative
        if pairs.held is not None:  # unanimous draws do not mean certainty
            spread = (bins.total + 0.5) * (bins.n - bins.total + 0.5) / (bins.n + 1)
        missed = np.abs(bins.positive - bins.total) > ROUNDING * bins.n
        wrong = bool(np.any(missed[spread == 0]))
        if wrong or not np.any(spread):
            return certain(wrong)
        scale = np.zeros(spread.size)
        np.divide(1.0, spread, out=scale, where=spread > 0)
        found = float(np.sum((bins.positive - bins.total) ** 2 * scale))
        lean = leanings(pairs, curve.columns(pairs), bins.n.size)
        if lean is not None:
            drawn = flipped(lean, bins.n.size, self.replicates, self.seed) * noise_scale(pairs)
            return resampled(found, drawn**2 @ scale, found, FLIPS)
        if pairs.n <= SMALL and spread[spread > 0].min() < ENOUGH:
            positive = outcomes_drawn(pairs, bins, self.replicates, self.seed)
            return resampled(found, (positive - bins.total) ** 2 @ scale, found, DRAWN)
        used = int((spread > 0).sum())
        how = f"chi-squared with {counted(used, 'degree')} of freedom"
        return Finding(found, float(chdtrc(used, found)), how)
