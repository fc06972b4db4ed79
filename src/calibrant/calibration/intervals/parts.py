"""The upper limit of a sum of squared gaps over groups, from two parts of the gaps.

What the pairs of a group have in common moves most gaps at once, so the noise has a main
direction. Along it a gap is one number with normal noise, whose limits are well known. The other
part of the gaps has much less noise, so the pattern of it is seen. The limits of both parts are
put together as those of a sum (Zou, 2007, doi:10.1037/1082-989X.12.4.399).
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from calibrant.calibration.gaps.cell_gaps import CellGaps, Family
from calibrant.calibration.gaps.norms import Quadratic
from calibrant.calibration.groups.few_groups import normal_quantile
from calibrant.calibration.intervals.group_noise import AroundNoise
from calibrant.calibration.intervals.group_worlds import AroundWorlds, half_slope
from calibrant.calibration.intervals.inversion import root, upper_limit

Float = NDArray[np.float64]
NOTHING = 1e-300  # a smaller sum of squares is none


@dataclass(frozen=True, eq=False)
class Parts:
    """The gaps along the main direction of the noise, and the rest of them."""

    norm: Quadratic
    gaps: CellGaps
    around: AroundNoise
    value: float  # the sum without its noise

    @cached_property
    def _direction(self) -> Float:
        """The main direction of the noise, one standard deviation long."""
        return self.around.main_direction(self.norm)

    @cached_property
    def spread(self) -> float:
        """The standard deviation of the gap along the main direction; 0 without noise."""
        return float(np.sqrt(self.norm.plain(self._direction, self.gaps.share)))

    @cached_property
    def _unit(self) -> Float:
        return self._direction / self.spread

    @cached_property
    def _along(self) -> float:
        """The observed gap along the main direction."""
        return float(half_slope(self.norm, self.gaps) @ self._unit)

    @cached_property
    def _rest(self) -> CellGaps:
        """The observed gaps without those along the main direction."""
        return self.gaps.with_gaps(self.gaps.gap - self._along * self._unit)

    @cached_property
    def _seen(self) -> float:
        """The sum of squares of the rest, with its noise."""
        return float(self._rest.plain(self.norm))

    @cached_property
    def _square(self) -> float:
        """The square of the gap along the main direction, without its noise."""
        return self._along**2 - self.spread**2

    @cached_property
    def _other(self) -> float:
        """The sum of squares of the rest, without its noise."""
        return self.value - self._square

    @cached_property
    def _shrunk(self) -> float:
        """The share of the rest that is not noise."""
        if self._seen < NOTHING:
            return 0.0
        return float(min(np.sqrt(max(self._other, 0.0) / self._seen), 1.0))

    @cached_property
    def _noise(self) -> tuple[Float, Float]:
        """Of each replicate: the square of its noise along the main direction, and of all noise."""
        share, slope = self.gaps.share, self.norm.slope(self._unit, self.gaps.share) / 2
        squares = self.around.noise.over(
            lambda noise: np.array([(noise @ slope) ** 2, self.norm.plain(noise, share)])
        )
        return squares[0], squares[1]

    @cached_property
    def _left(self) -> float:
        """The mean square of the noise of the rest."""
        along, both = self._noise
        return float(np.mean(both - along))

    def high(self, level: float) -> float:
        """The largest sum that the data do not rule out."""
        found = 0.0
        for part, limit in (
            (self._square, self._highest_square(level)),
            (self._other, self._highest_other(level)),
        ):
            found += max(limit - max(part, 0.0), 0.0) ** 2
        return max(self.value, 0.0) + float(np.sqrt(found))

    def _highest_square(self, level: float) -> float:
        """The limit of the square of the gap along the main direction, in either direction.

        Errors of groups may cancel by chance. So all gaps together count as if they were at least
        as large as noise alone makes them.
        """
        alone = self.spread**2 + self._left
        seen = np.copysign(max(abs(self._along), max(alone - self._seen, 0.0) ** 0.5), self._along)
        far = normal_quantile(level) * self.spread
        rest = self._shrunk * self._rest.gap
        q = self.gaps.bins.q
        most = float(np.sqrt(self.norm.plain(np.maximum(q, 1 - q), self.gaps.share)))

        def furthest(sign: int) -> float:
            def surplus(size: float) -> float:
                supposed = rest + sign * size * self._unit
                return float(size - sign * seen - far * np.sqrt(self.around.scale(supposed)))

            return root(surplus, 0.0, most)

        return max(furthest(-1), furthest(1)) ** 2

    def _highest_other(self, level: float) -> float:
        """The limit of the sum of squares of the rest, by inverting a test as for all gaps."""
        if self._seen < NOTHING:
            return 0.0
        beside = self.around.shrunk * self._along * self._unit
        worlds = AroundWorlds(self.norm, self._rest, self.around, beside)
        along, _ = self._noise

        made: dict[Family, Family] = {}  # equal noise gives the same family

        def without(c: float) -> Family:
            family = worlds(c)
            return made.setdefault(family, lambda c: family(c) - worlds.scale(c) * along)

        observed = max(self._seen, self._left)
        c = upper_limit(without, observed, self._shrunk, 1 / np.sqrt(self._seen), level)
        return c**2 * self._seen
