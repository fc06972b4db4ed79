"""The base class of binned curves: from sums over bins to a curve with a band."""

from abc import abstractmethod
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from calibrant.calibration.curves.bands import BANDS
from calibrant.calibration.curves.bands import band as band_of
from calibrant.calibration.curves.cells import alone, group_cells
from calibrant.calibration.curves.curve import Curve
from calibrant.calibration.curves.estimator import (
    LARGE,
    Estimator,
    distribution_of,
    signature_of,
    support_of,
)
from calibrant.calibration.curves.worth import Worth, worth
from calibrant.calibration.gaps.bin_gaps import BinGaps
from calibrant.calibration.gaps.bins import Bins, as_bytes, at_predicted, columns
from calibrant.calibration.gaps.clusters import clusters
from calibrant.calibration.groups.units import rows_are_units
from calibrant.checks.arrays import Numbers, sum_by
from calibrant.checks.parameters import check_level
from calibrant.pairs import Pairs

Float = NDArray[np.float64]


class BinnedCurve(Estimator, abstract=True):
    """A curve that is constant on each of its bins."""

    bands = BANDS

    def bins(self, pairs: Pairs) -> Bins:
        """Sums over the bins, cached for these pairs."""
        return pairs.remember(("bins", self), lambda: at_predicted(pairs, self.make_bins(pairs)))

    @abstractmethod
    def make_bins(self, pairs: Pairs) -> Bins:
        """Sums over the bins."""

    def gaps(self, pairs: Pairs) -> BinGaps:
        """The gap of every bin."""
        bins = self.bins(pairs)
        return BinGaps(bins, clusters(pairs, bins), pairs.counted)

    def fit(
        self, pairs: Pairs, level: float = 0.95, band: str | None = None, seed: int = 0
    ) -> Curve:
        """The curve of these pairs, with a band at `level`."""
        check_level(level)
        band = self.band(band)
        bins = self.bins(pairs)
        count, groups = worth_of(pairs, bins)
        low, high = band_of(band, bins.p, count, level, groups)
        se = np.sqrt(bins.p * (1 - bins.p) / count)
        return Curve(
            q=bins.q,
            p=bins.p,
            n=bins.n,
            se=se,
            low=low,
            high=high,
            distribution=distribution_of(pairs),
            level=level,
            signature=signature_of(self, pairs, band, level),
            estimate=self.estimate(pairs),
            support=support_of(pairs),
            upper=bins.upper,
            pairs=pairs,
        )

    def columns(self, pairs: Pairs) -> Numbers:
        """The bin of each row."""
        return columns(pairs.q, self.bins(pairs).upper)

    def estimate(self, pairs: Pairs) -> Callable[[Float], Float]:
        """The frequency of the bin of each prediction; NaN outside all bins."""
        bins = self.bins(pairs)
        lower = self.lower(bins)

        def step(q: Float) -> Float:
            at = np.minimum(np.searchsorted(bins.upper, q), bins.n.size - 1)
            return np.where(q >= lower[at], bins.p[at], np.nan)

        return step

    def lower(self, bins: Bins) -> Float:
        """The lower edge of each bin, without gaps between bins."""
        return np.concatenate([[0.0], bins.upper[:-1]])


def worth_of(pairs: Pairs, bins: Bins) -> Worth:
    """What the pairs of each bin are worth, given their groups or importance weights."""
    if rows_are_units(pairs):
        return Worth(bins.n, np.zeros(bins.n.size))
    column = columns(pairs.q, bins.upper)
    grouped = group_cells(pairs, column, bins.n.size)
    assert grouped is not None
    return worth(grouped.spread(bins.n, bins.p, alone(pairs, column, bins.n)), pairs)


def width_sums(pairs: Pairs, edges: Float) -> tuple[Float, Float, Float]:
    """Weight, positive weight and Σq of the bins [edges[i], edges[i+1]); the last includes 1."""
    if pairs.weight is None and len(pairs) >= LARGE:
        from calibrant.kernels.calibration.bins.uniform import uniform

        return uniform(as_bytes(pairs.y), pairs.q, edges)
    tally, count = pairs.tally, edges.size - 1
    at = np.searchsorted(edges[1:-1], tally.q, side="right")
    columns = (tally.weight, tally.positive, tally.weight * tally.q)
    n, positive, total = (sum_by(at, each, count) for each in columns)
    return n, positive, total
