"""The test of cumulative differences."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from calibrant.calibration.gaps.evidence import distinct, resampling_units
from calibrant.calibration.gaps.norms import CumulativeLargest, CumulativeRange
from calibrant.calibration.hypotheses.brownian import distance_beyond, range_beyond
from calibrant.calibration.hypotheses.groups import FLIPS, certain, flipped, leanings
from calibrant.calibration.hypotheses.hypothesis import REPLICATES, Hypothesis, check_replicates
from calibrant.checks.arrays import sum_by
from calibrant.errors import UnknownName
from calibrant.pairs import Pairs
from calibrant.results.verdict import share_beyond

Float = NDArray[np.float64]
CELLS = 1000  # that cumulative sums of groups are taken over


@dataclass(frozen=True, repr=False)
class Cumulative(Hypothesis):
    """Whether the cumulative differences Σ(y − q), in the order of q, wander too far.

    For a calibrated model they are a random walk. "range" is the largest minus the smallest
    (Kuiper's way), "max" the largest distance from 0 (Kolmogorov and Smirnov's). Nothing has to
    be chosen, neither bins nor bandwidth. Without groups the p-value is that of Brownian motion.

    Reference: Arrieta-Ibarra et al. (2022), arXiv:2205.09680.

    Examples
    --------
    >>> import calibrant as cb
    >>> pairs = cb.synthetic.sample(2000, cb.synthetic.inward(0.1), seed=1)
    >>> print(cb.test(pairs, "Cumulative"))
    Cumulative: p = 1.7e-28. A calibrated model would look this wrong in less than 0.05 % of
    samples: this is hardly one.
    """

    statistic: str = "range"
    replicates: int = REPLICATES
    seed: int = 0

    def __post_init__(self) -> None:
        if self.statistic not in ("range", "max"):
            raise UnknownName("statistic", str(self.statistic), ("range", "max"))
        check_replicates(self)

    def evaluate(self, pairs: Pairs) -> tuple[float, float, str]:
        """The statistic in units of its standard deviation at the end of the walk."""
        tally = pairs.tally
        steps = tally.positive - tally.weight * tally.q
        noise = float(np.sqrt(np.sum(tally.weight * tally.q * (1 - tally.q))))
        if resampling_units(pairs) is None:
            if noise == 0.0:
                return certain(bool(np.any(steps)))
            found = float(self._of(steps)) / noise
            beyond = range_beyond if self.statistic == "range" else distance_beyond
            return found, beyond(found), "Brownian motion"
        upper = distinct(pairs).merged(CELLS).upper
        lean = leanings(pairs, np.searchsorted(upper, pairs.q), upper.size)
        assert lean is not None
        observed = self._of(sum_by(lean.column, lean.k, upper.size))
        drawn = self._of(flipped(lean, upper.size, self.replicates, self.seed))
        totals = sum_by(lean.owner, lean.k, lean.groups)
        scale = float(np.sqrt(np.sum(totals**2))) or 1.0
        return float(observed) / scale, share_beyond(drawn, float(observed)), FLIPS

    def _of(self, steps: Float) -> Float:
        norm = CumulativeRange() if self.statistic == "range" else CumulativeLargest()
        return norm.plain(steps, np.ones(1))
