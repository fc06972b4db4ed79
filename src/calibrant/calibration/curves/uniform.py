"""The regressogram: bins of equal width."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from calibrant.calibration.curves.binned import BinnedCurve, width_sums
from calibrant.calibration.gaps.bins import Bins
from calibrant.checks.parameters import whole_number
from calibrant.pairs import Pairs


@dataclass(frozen=True, repr=False)
class UniformBins(BinnedCurve):
    """Bins of equal width that exclude their upper end, except for the last one.

    Empty bins are left out. Most other tools use these bins. The edges equal
    `numpy.linspace(0, 1, count + 1)` exactly, so results match. Predictions of NLP models cluster
    near 0 and 1, so most bins of equal width hold few pairs: prefer `AdaptiveBins`.

    Examples
    --------
    >>> from calibrant import Pairs, UniformBins, curve
    >>> curve(Pairs([0, 1, 1], [0.1, 0.5, 1.0]), UniformBins(count=2)).n
    array([1., 2.])
    """

    count: int = 15

    def __post_init__(self) -> None:
        object.__setattr__(self, "count", whole_number("count", self.count, 1, 1_000_000))

    @property
    def edges(self) -> NDArray[np.float64]:
        """Where the bins begin and end."""
        return np.linspace(0, 1, self.count + 1)

    def lower(self, bins: Bins) -> NDArray[np.float64]:
        """The lower edges of the non-empty bins."""
        lower: NDArray[np.float64] = self.edges[np.searchsorted(self.edges, bins.upper) - 1]
        return lower

    def make_bins(self, pairs: Pairs) -> Bins:
        """Sums over the non-empty bins."""
        edges = self.edges
        n, positive, total = width_sums(pairs, edges)
        upper = np.append(np.nextafter(edges[1:-1], 0.0), 1.0)
        used = n > 0
        return Bins(n[used], positive[used], total[used], upper[used])
