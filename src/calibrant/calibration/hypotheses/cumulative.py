"""The test of cumulative differences."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from calibrant.calibration.curves.even_bins import merged
from calibrant.calibration.gaps.bins import columns
from calibrant.calibration.gaps.digest import digest
from calibrant.calibration.gaps.norms import CumulativeLargest, CumulativeRange
from calibrant.calibration.groups.units import resampling_units
from calibrant.calibration.hypotheses.brownian import distance_beyond, range_beyond
from calibrant.calibration.hypotheses.groups import FLIPS, flipped, leanings, noise_scale
from calibrant.calibration.hypotheses.hypothesis import REPLICATES, Hypothesis, check_replicates
from calibrant.checks.arrays import sum_by
from calibrant.errors import UnknownName
from calibrant.pairs import Pairs
from calibrant.results.verdict import Finding, certain, resampled

Float = NDArray[np.float64]
CELLS = 1000  # cells for sums by group: a walk of 1000 steps approximates a longer one


@dataclass(frozen=True, repr=False)
class Cumulative(Hypothesis):
    """Test whether the cumulative sums Σ(y − q), in the order of q, stray too far from 0.

    For a calibrated model they are a random walk. "range" is the largest minus the smallest sum
    (as in Kuiper's test), "max" the largest distance from 0 (as in the Kolmogorov–Smirnov test).
    There are no bins and no bandwidth to choose. Without groups, the p-value is that of Brownian
    motion.

    Reference: Arrieta-Ibarra et al. (2022), arXiv:2205.09680.

    Examples
    --------
    >>> import calibrant as cb
    >>> pairs = cb.synthetic.sample(2000, cb.synthetic.inward(0.1), seed=1)
    >>> print(cb.test(pairs, "Cumulative"))
    Cumulative: p < 1e-9. Strong evidence of miscalibration: a calibrated model would look this
    wrong in less than 0.05 % of samples.
    """

    statistic: str = "range"
    replicates: int = REPLICATES
    seed: int = 0

    def __post_init__(self) -> None:
        if self.statistic not in ("range", "max"):
            raise UnknownName("statistic", str(self.statistic), ("range", "max"))
        check_replicates(self)

    def evaluate(self, pairs: Pairs) -> Finding:
        """The statistic in units of its standard deviation at the end of the walk."""
        if resampling_units(pairs) is not None:
            return self._over_groups(pairs)
        sums = digest(pairs)
        noise = float(np.sqrt(sums.total("noise")))
        if noise == 0.0:
            return certain(sums.total("steps") > 0)
        top, bottom = sums.walk
        ranged = self.statistic == "range"
        found = (top - bottom if ranged else max(top, -bottom)) / noise
        beyond = range_beyond if ranged else distance_beyond
        return Finding(found, max(beyond(found), 0.0), "Brownian motion")

    def _over_groups(self, pairs: Pairs) -> Finding:
        upper = merged(pairs, CELLS).upper
        lean = leanings(pairs, columns(pairs.q, upper), upper.size)
        assert lean is not None
        observed = float(self._of(sum_by(lean.column, lean.k, upper.size)))
        drawn = self._of(flipped(lean, upper.size, self.replicates, self.seed))
        drawn = drawn * noise_scale(pairs)
        totals = sum_by(lean.owner, lean.k, lean.groups)
        scale = float(np.sqrt(np.sum(totals**2))) or 1.0
        return resampled(observed / scale, drawn, observed, FLIPS)

    def _of(self, steps: Float) -> Float:
        norm = CumulativeRange() if self.statistic == "range" else CumulativeLargest()
        return norm.plain(steps, np.ones(1))
