"""`QuantileCurve`: how often u lies below each level, and the test of uniformity."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calibrant.calibration.groups.few_groups import warn_few
from calibrant.calibration.hypotheses.groups import FLIPS
from calibrant.calibration.numbers.flips import critical, largest_flipped
from calibrant.calibration.numbers.positions import Positions
from calibrant.calibration.numbers.uniform import simultaneous, uniform_p_value
from calibrant.checks.parameters import check_level, whole_number
from calibrant.results.column_table import ColumnTable
from calibrant.results.verdict import Finding, check_groups, resampled

Float = NDArray[np.float64]
COUNT = 100  # cells that the curve and its test divide [0, 1] into: levels are percentages
MOST = 1000  # cells: the exact band takes time in proportion to their number times n
SLACK = 1e-12  # shares on the edge of the band are inside, whatever the rounding
TINIEST = 1e-300  # a surprise whose logarithm is still finite


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class QuantileCurve(ColumnTable):
    """The share of observations below each predicted quantile.

    For a calibrated model, y is below the 0.9-quantile in 90 % of cases, and likewise at every
    level.

    Attributes
    ----------
    quantile
        The level of each predicted quantile.
    share
        The share of observations at or below it, that is, with u ≤ quantile.
    low, high
        The band that contains the whole curve of a calibrated model with probability `level`.
    level
        The level of the band.
    n, groups
        The number of observations and of groups (0 if there are none).
    signature
        What was computed, from which data and by which version.
    centred
        Whether `share`, `low` and `high` are differences from `quantile`.
    """

    quantile: Float
    share: Float
    low: Float
    high: Float
    level: float
    n: int
    groups: int
    signature: str
    centred: bool = False

    def __len__(self) -> int:
        return int(self.quantile.size)

    @property
    def inside(self) -> bool:
        """Whether the whole curve lies within the band."""
        above = self.share >= self.low - SLACK
        return bool((above & (self.share <= self.high + SLACK)).all())

    def difference(self) -> "QuantileCurve":
        """The same curve minus the diagonal, which makes small departures visible."""
        if self.centred:
            return self
        shifted = {name: getattr(self, name) - self.quantile for name in ("share", "low", "high")}
        return replace(self, **shifted, centred=True)

    def columns(self) -> dict[str, NDArray[Any]]:
        """The curve as named columns."""
        share = "difference" if self.centred else "share"
        return {"quantile": self.quantile, share: self.share, "low": self.low, "high": self.high}


def make_curve(positions: Positions, count: int, level: float, seed: int) -> QuantileCurve:
    """The curve at about count − 1 levels, with its simultaneous band."""
    count = whole_number("count", count, 2, MOST)
    level = check_level(level)
    seed = whole_number("seed", seed, 0)
    points, n = positions.points(count), positions.n
    if positions.codes is None:
        low, high = (each / n for each in simultaneous(n, points, level))
    else:
        reach = critical(_drawn(positions, points, seed), level) * _scale(points, n) / n
        low, high = np.clip(points - reach, 0.0, 1.0), np.clip(points + reach, 0.0, 1.0)
    parts = [f"level={level:g}"] + [f"seed={seed}"] * (positions.codes is not None)
    return QuantileCurve(
        quantile=points,
        share=positions.counts(points) / n,
        low=low,
        high=high,
        level=level,
        n=n,
        groups=positions.groups,
        signature=positions.signature(f"QuantileCurve(count={count})", *parts),
    )


def uniformity(positions: Positions, count: int, seed: int) -> Finding:
    """Test whether the curve stays within its band."""
    points, n = positions.points(count), positions.n
    if positions.codes is None:
        if positions.straddled(points):
            drawn = positions.randomised(seed)
            positions = replace(positions, low=drawn, high=drawn)
        surprise, p_value = uniform_p_value(n, points, positions.counts(points))
        return Finding(-float(np.log10(max(surprise, TINIEST))), p_value, "exact recursion")
    gaps = positions.counts(points) - n * points
    observed = float(np.abs(gaps / _scale(points, n)).max())
    return resampled(observed, _drawn(positions, points, seed), observed, FLIPS)


def _scale(points: Float, n: int) -> Float:
    """The standard deviation of the counts if rows were independent."""
    scale: Float = np.sqrt(n * points * (1 - points))
    return scale


def _drawn(positions: Positions, points: Float, seed: int) -> Float:
    check_groups(positions.groups)
    warn_few(positions.effective_groups)
    return largest_flipped(positions.sums(points, points), _scale(points, positions.n), seed)
