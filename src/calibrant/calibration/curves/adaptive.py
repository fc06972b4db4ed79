"""Adaptive binning: bins that hold equally many pairs."""

from dataclasses import dataclass

import numpy as np

from calibrant.calibration.curves.binned import BinnedCurve
from calibrant.calibration.curves.estimator import LARGE
from calibrant.calibration.curves.even_bins import even_bins, usual_bins
from calibrant.calibration.gaps.bins import Bins, as_bytes
from calibrant.checks.parameters import real_number, whole_number
from calibrant.errors import ParameterError
from calibrant.pairs import Pairs
from calibrant.pairs.rows import Tally


@dataclass(frozen=True, repr=False)
class AdaptiveBins(BinnedCurve):
    """Bins that hold about equally many pairs, from the lowest prediction to the highest.

    By default there are 25 bins, or ⌊√n⌋ if that is fewer, or ⌊√n⌋/2 if that is more (an odd
    number, and not above 25 or the root of the number of groups of equal size that the groups are
    worth). With groups, neighbours are merged until each bin holds pairs worth at least three
    groups of equal size. `count` sets the number of bins. Equal predictions always share a bin,
    which is that of their middle rank. So the bins depend neither on the order of rows nor on
    which answer is called yes.

    `size` is the rule of the thesis: a bin is closed as soon as it holds `size` pairs and the
    next prediction differs, and a last bin that is not full joins the one before it.

    Use these bins if predictions cluster near 0 and 1, as they do for NLP models. Bins of equal
    width would leave only a handful of pairs in the middle.

    Examples
    --------
    >>> from calibrant import AdaptiveBins, Pairs, curve
    >>> pairs = Pairs([0, 0, 1, 0, 1], [0.1, 0.2, 0.2, 0.2, 0.9])
    >>> curve(pairs, AdaptiveBins(count=3)).n
    array([1., 3., 1.])
    >>> curve(pairs, AdaptiveBins(size=2)).n
    array([5.])
    """

    size: float | None = None
    count: int | None = None

    def __post_init__(self) -> None:
        if self.size is not None and self.count is not None:
            raise ParameterError("Give size or count, not both.")
        if self.size is not None:
            size = real_number("size", self.size)
            if size < 1:
                raise ParameterError(f"size must be at least 1, but it is {self.size!r}.")
            object.__setattr__(self, "size", size)
        if self.count is not None:
            object.__setattr__(self, "count", whole_number("count", self.count, 1))

    def make_bins(self, pairs: Pairs) -> Bins:
        """Sums over the bins."""
        if self.count is not None:
            return even_bins(pairs, self.count)
        if self.size is None:
            return usual_bins(pairs)
        if pairs.weight is None and len(pairs) >= LARGE:
            from calibrant.kernels.calibration.bins.adaptive import adaptive

            return Bins(*adaptive(as_bytes(pairs.y), pairs.q, self.size))
        return close_bins(pairs.tally, self.size)


def close_bins(tally: Tally, size: float) -> Bins:
    """Walk the distinct predictions upward and close a bin once its weight reaches `size`."""
    reached = np.cumsum(tally.weight)
    tolerance = 1e-9 * size  # ten weights of 0.1 fill a bin of size 1 despite rounding
    starts = [0]
    before = 0.0
    while True:
        end = int(np.searchsorted(reached, before + size - tolerance)) + 1
        end = max(end, starts[-1] + 1)  # close the bin even if its size is lost in rounding
        if end >= reached.size:
            short = reached[-1] - before < size - tolerance
            if short and len(starts) > 1:
                starts.pop()
            break
        starts.append(end)
        before = float(reached[end - 1])
    begins = np.array(starts)
    ends = np.append(begins[1:], reached.size)
    return Bins(
        np.add.reduceat(tally.weight, begins),
        np.add.reduceat(tally.positive, begins),
        np.add.reduceat(tally.weight * tally.q, begins),
        tally.q[ends - 1],
    )
