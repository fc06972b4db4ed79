"""`Bins`: sums over the bins of a set of pairs."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibrant.calibration.groups.exact_sums import order_free
from calibrant.checks.arrays import sum_by
from calibrant.pairs import Pairs

Float = NDArray[np.float64]
WORTH_TABLE = 1 << 14  # predictions: for fewer, making the table takes longer than it saves
NEAR = 1e-9  # of a bin: a rank this close to the end of a bin is on it, despite rounding


class Bins(NamedTuple):
    """Sums over the bins of a set of pairs, in ascending order of q."""

    n: Float
    positive: Float
    total: Float  # Σq
    upper: Float  # the largest q that belongs to the bin

    @property
    def q(self) -> Float:
        """The mean prediction of each bin."""
        return self.total / self.n

    @property
    def p(self) -> Float:
        """The mean observation of each bin."""
        return self.positive / self.n

    @property
    def share(self) -> Float:
        """Each bin's share of the pairs."""
        return np.asarray(self.n / self.n.sum())

    def merged(self, count: int) -> "Bins":
        """Merge neighbours into at most `count` bins of similar weight."""
        return self if self.n.size <= count else self.joined(places(self.n, self.q, count))

    def joined(self, label: NDArray[np.int64]) -> "Bins":
        """Join neighbours with the same label; labels do not decrease."""
        begins = np.flatnonzero(np.concatenate([[True], np.diff(label) > 0]))
        last = np.append(begins[1:], self.n.size) - 1
        n, positive, total = (np.add.reduceat(each, begins) for each in self[:3])
        return Bins(n, positive, total, self.upper[last])

    def with_gaps(self, gap: Float) -> "Bins":
        """The same predictions with frequencies that lie this far below them."""
        return self._replace(positive=self.total - gap * self.n)


def places(weight: Float, q: Float, count: int) -> NDArray[np.int64]:
    """The number of the bin of each prediction, by middle rank, for `count` bins of equal weight.

    A rank exactly between two bins belongs to the one nearer to the middle. In the very middle,
    predictions below ½ belong to the lower one, those above to the upper one, and ½ is alone. So
    it does not matter from which end predictions are counted.
    """
    at = (np.cumsum(weight) - weight / 2) / weight.sum() * count
    whole = np.rint(at)
    exact = np.abs(at - whole) < NEAR
    place = 2 * np.where(exact, whole, np.floor(at)).astype(np.int64)
    place[exact & (whole > count / 2)] -= 2
    middle = exact & (whole == count / 2)
    place[middle] += np.sign(q[middle] - 0.5).astype(np.int64) - 1
    found: NDArray[np.int64] = np.unique(place, return_inverse=True)[1]
    return found


def distinct(pairs: Pairs) -> Bins:
    """Make one bin per distinct prediction."""
    tally = pairs.tally
    bins = Bins(tally.weight, tally.positive, tally.weight * tally.q, tally.q)
    return at_predicted(pairs, bins)


def at_predicted(pairs: Pairs, bins: Bins) -> Bins:
    """Replace the predictions in the bins by the estimates from held-back draws.

    Pairs that do not come from draws keep their bins.
    """
    if pairs.held is None:
        return bins
    assert pairs.weight is not None
    column = np.searchsorted(bins.upper, pairs.q)
    total = sum_by(column, order_free(pairs.held * pairs.weight), bins.n.size)
    return bins._replace(total=total)


def columns(q: NDArray[Any], upper: Float) -> NDArray[np.int32]:
    """The bin of each prediction, given the largest q of each bin."""
    found = np.empty(q.size, np.int32)
    if q.size < WORTH_TABLE:
        found[:] = np.searchsorted(upper, q)
    else:
        from calibrant.kernels.calibration.bins.lookup import find_bins

        find_bins(q, upper, found)
    return found


def as_bytes(y: NDArray[Any]) -> NDArray[Any]:
    """Convert booleans to the type that the kernels expect."""
    return y.view(np.uint8) if y.dtype == bool else y
