"""`Positions`: where in its predicted distribution each observation lies.

u = F(y) is only known to lie in [low, high], and is treated as uniform there: between F(y−) and
F(y) of a discrete distribution, between two predicted quantiles, or between two ranks of draws.
"""

from dataclasses import dataclass
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from calibrant.calibration.groups.exact_sums import order_free, order_free_sum
from calibrant.checks.arrays import sum_by
from calibrant.pairs.groups import effective_number
from calibrant.results.estimate import signature

Float = NDArray[np.float64]
Int = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Positions:
    """The interval of each u, the levels it was measured at, and the group of each row."""

    low: Float
    high: Float
    known: Float | None = None  # levels for which the side of each u is known
    codes: Int | None = None

    @property
    def n(self) -> int:
        """The number of observations."""
        return int(self.low.size)

    @property
    def groups(self) -> int:
        """The number of groups; 0 if there are none."""
        return 0 if self.codes is None else int(self.codes.max()) + 1

    @property
    def effective_groups(self) -> float:
        """How many groups of equal size these are worth; 0 if there are none."""
        return 0.0 if self.codes is None else effective_number(self.sizes)

    @property
    def sizes(self) -> Float:
        """The number of observations in each group; without groups, 1 for each row."""
        return np.ones(self.n) if self.codes is None else np.bincount(self.codes).astype(float)

    def points(self, count: int) -> Float:
        """About count − 1 levels that divide [0, 1] into `count` cells, at known levels only."""
        wanted = np.arange(1, count) / count
        if self.known is None or self.known.size == 0:
            return wanted
        above = np.clip(np.searchsorted(self.known, wanted), 1, max(self.known.size - 1, 1))
        above = np.minimum(above, self.known.size - 1)
        below = np.maximum(above - 1, 0)
        nearer = np.where(wanted - self.known[below] <= self.known[above] - wanted, below, above)
        return np.asarray(self.known[np.unique(nearer)])

    def below(self, z: float) -> Float:
        """The share of the interval of each u at or below z."""
        width = np.where(self.high > self.low, self.high - self.low, 1.0)
        inner = np.clip((z - self.low) / width, 0.0, 1.0)
        return np.where(self.high <= z, 1.0, np.where(self.low >= z, 0.0, inner))

    def counts(self, points: Float) -> Float:
        """The number of u at or below each point; intervals that straddle it count in part."""
        whole = np.searchsorted(np.sort(self.high), points, side="right").astype(np.float64)
        begun = np.searchsorted(np.sort(self.low), points, side="left")
        for k in np.flatnonzero(begun > whole):  # an interval straddles the point
            whole[k] = order_free_sum(self.below(float(points[k])))
        return whole

    def straddled(self, points: Float) -> bool:
        """Whether any interval contains one of the points."""
        at = np.searchsorted(points, self.low, side="right")
        inside = at < points.size
        return bool((points[at[inside]] < self.high[inside]).any())

    def sums(self, points: Float, share: Float) -> Float:
        """For each group (or row), the number of u at or below each point, minus its share."""
        owner = np.arange(self.n) if self.codes is None else self.codes
        size = sum_by(owner, np.ones(self.n))
        columns = [sum_by(owner, self.below(float(z))) for z in points]
        return np.column_stack(columns) - np.outer(size, share)

    def randomised(self, seed: int) -> Float:
        """Draw one u uniformly from each interval; the order of rows does not matter."""
        if (self.low == self.high).all():
            return self.low
        order = np.lexsort((self.high, self.low, self._nameless()))
        drawn = np.empty(self.n)
        drawn[order] = np.random.default_rng([seed, self._fingerprint()]).random(self.n)
        return np.clip(self.low + drawn * (self.high - self.low), self.low, self.high)

    def _nameless(self) -> Int:
        """A number for the group of each row that does not depend on labels."""
        if self.codes is None:
            return np.zeros(self.n, np.int64)
        parts = (self.low, self.high, self.low * self.high, np.ones(self.n))
        contents = [sum_by(self.codes, order_free(each)) for each in parts]
        place = np.empty(contents[0].size, np.int64)
        place[np.lexsort(contents)] = np.arange(place.size)
        found: Int = place[self.codes]
        return found

    def _fingerprint(self) -> int:
        """A hash of these intervals that does not depend on their order.

        It is mixed into seeds. If all data used the same draws, the smallest u would get a large
        (or small) draw in every sample, and tests would reject too often or too rarely.
        """
        order = np.lexsort((self.high, self.low))
        return crc32(np.concatenate([self.low[order], self.high[order]]).tobytes())

    def signature(self, *parts: str) -> str:
        """The signature of a result, in one line."""
        return signature(parts[0], self, *parts[1:])
