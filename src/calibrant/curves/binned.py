"""What the two kinds of bins share: from sums over bins to a curve with a band."""

from abc import ABC, abstractmethod
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from calibrant.arrays import sum_by
from calibrant.curves.bands import band as band_of
from calibrant.curves.bands import check_level
from calibrant.curves.curve import Curve
from calibrant.evidence import Bins, clusters
from calibrant.naming import Named
from calibrant.pairs import Pairs
from calibrant.tabular import count_text
from calibrant.version import __version__

Float = NDArray[np.float64]
CELLS = 50  # bars that show the distribution of q
LARGE = 1 << 15  # plain pairs from this many on are binned by the compiled kernels


class BinnedCurve(Named, ABC, abstract=True):
    """A curve that is constant on each of its bins."""

    kind: ClassVar[str] = "curve"

    def bins(self, pairs: Pairs) -> Bins:
        """Sums over the bins, made once for these pairs."""
        return pairs.remember(("bins", self), lambda: self.make_bins(pairs))

    @abstractmethod
    def make_bins(self, pairs: Pairs) -> Bins:
        """Sums over the bins."""

    def fit(self, pairs: Pairs, level: float = 0.95, band: str = "wilson") -> Curve:
        """The curve of these pairs, with a band at `level`."""
        check_level(level)
        bins = self.bins(pairs)
        effective = effective_counts(pairs, bins)
        low, high = band_of(band, bins.p, effective, level)
        se = np.sqrt(bins.p * (1 - bins.p) / effective)
        signature = f"{self!r}|{band}|level={level:g}|n={count_text(pairs.n)}"
        if pairs.group is not None:
            signature += f"|groups={pairs.groups}"
        signature += f"|calibrant={__version__}"
        distribution = pairs.remember("distribution", lambda: distribution_of(pairs))
        return Curve(
            bins.q, bins.p, bins.n, se, low, high, bins.upper, distribution, level, signature
        )


def effective_counts(pairs: Pairs, bins: Bins) -> Float:
    """How many independent pairs each bin is worth.

    With groups (or importance weights) the variance of p̂ is taken over groups, and a bin is
    worth p̂(1−p̂) divided by it, at most its number of pairs. Bins in which all y are equal show
    no variance; they get the design effect of the others together.
    """
    if clusters_needed(pairs):
        found = clusters(pairs, bins, error=-pairs.y.astype(np.float64))
        assert found is not None
        count = bins.n
        if not pairs.counted:  # the unit of importance weights says nothing: count rows
            count = sum_by(np.searchsorted(bins.upper, pairs.q), np.ones(len(pairs)), bins.n.size)
        plain = bins.p * (1 - bins.p) / count
        robust = found.variance()
        known = (plain > 0) & (robust > 0)
        pooled = robust[known].sum() / plain[known].sum() if known.any() else 1.0
        effect = np.full(bins.n.size, pooled)
        np.divide(robust, plain, out=effect, where=known)
        return np.asarray(count / np.maximum(effect, 1.0))
    return bins.n


def clusters_needed(pairs: Pairs) -> bool:
    """Whether rows depend on each other or count by fractions."""
    return pairs.codes is not None or not pairs.counted


def distribution_of(pairs: Pairs) -> Float:
    """How much weight q has in each of CELLS cells of equal width."""
    if pairs.weight is None and len(pairs) >= LARGE:
        from calibrant.kernels.uniform import count_cells

        return count_cells(pairs.q, CELLS).astype(np.float64)
    at = np.minimum((pairs.q * CELLS).astype(np.int64), CELLS - 1)
    return sum_by(at, np.ones(len(pairs)) if pairs.weight is None else pairs.weight, CELLS)


def width_sums(pairs: Pairs, edges: Float) -> tuple[Float, Float, Float]:
    """Weight, positive weight and Σq of the bins [edges[i], edges[i+1]); the last includes 1."""
    if pairs.weight is None and len(pairs) >= LARGE:
        from calibrant.kernels.uniform import uniform

        return uniform(as_bytes(pairs.y), pairs.q, edges)
    tally, count = pairs.tally, edges.size - 1
    at = np.searchsorted(edges[1:-1], tally.q, side="right")
    columns = (tally.weight, tally.positive, tally.weight * tally.q)
    n, positive, total = (sum_by(at, each, count) for each in columns)
    return n, positive, total


def as_bytes(y: NDArray[Any]) -> NDArray[Any]:
    """Booleans as the kernels take them."""
    return y.view(np.uint8) if y.dtype == bool else y
