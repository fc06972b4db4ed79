"""`Histogram`: how often u falls into each part of [0, 1]."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calibrant.calibration.groups.few_groups import normal_quantile, reach, warn_few
from calibrant.calibration.numbers.flips import critical, largest_flipped
from calibrant.calibration.numbers.positions import Positions
from calibrant.calibration.numbers.uniform import windows
from calibrant.checks.parameters import check_level, whole_number
from calibrant.results.column_table import ColumnTable
from calibrant.results.verdict import check_groups

Float = NDArray[np.float64]
MOST = 1000  # bins: no figure can show more


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Histogram(ColumnTable):
    """How many u lie in each bin, and how many would if they were uniform.

    A hump means that predictions are too wide (underconfident), a U shape that they are too narrow
    (overconfident), and a slope that they are biased to one side.

    Attributes
    ----------
    start, end
        Where each bin begins and ends.
    count
        The number of u in it. An observation whose u is only known to lie in an interval counts
        in each bin in proportion to the overlap.
    expected
        The expected number under calibration.
    low, high
        The band that contains the counts of all bins of a calibrated model at once, with
        probability at least `level`.
    height, floor, ceiling
        `count`, `low` and `high` divided by `expected`: 1 is calibrated.
    level
        The level of the band.
    n, groups
        The number of observations and of groups (0 if there are none).
    signature
        What was computed, from which data and by which version.
    """

    start: Float
    end: Float
    count: Float
    expected: Float
    low: Float
    high: Float
    height: Float
    floor: Float
    ceiling: Float
    level: float
    n: int
    groups: int
    signature: str

    def columns(self) -> dict[str, NDArray[Any]]:
        """The histogram as named columns."""
        names = ("start", "end", "count", "expected", "low", "high")
        return {name: _whole(getattr(self, name)) for name in names}


def _whole(column: Float) -> NDArray[Any]:
    """Whole numbers as such, where all are above 1."""
    whole = column.max() > 1 and (column == np.rint(column)).all()
    return column.astype(np.int64) if whole else column


def make_histogram(positions: Positions, count: int, level: float, seed: int) -> Histogram:
    """Count u in each bin; the band is Bonferroni's or, with groups, by random signs."""
    count = whole_number("count", count, 2, MOST)
    level = check_level(level)
    seed = whole_number("seed", seed, 0)
    points = positions.points(count)
    edges = np.concatenate([[0.0], points, [1.0]])
    n, width = positions.n, np.diff(edges)
    held = np.diff(np.concatenate([[0.0], positions.counts(points), [n]]))
    expected = n * width
    if positions.codes is None:
        low, high = (each.astype(float) for each in windows(n, width, (1 - level) / width.size))
    else:
        low, high = _flipped(positions, points, width, level, seed)
    name = f"Histogram(count={width.size})"
    parts = [f"level={level:g}"] + [f"seed={seed}"] * (positions.codes is not None)
    return Histogram(
        start=edges[:-1],
        end=edges[1:],
        count=held,
        expected=expected,
        low=low,
        high=high,
        height=held / expected,
        floor=low / expected,
        ceiling=high / expected,
        level=level,
        n=n,
        groups=positions.groups,
        signature=positions.signature(name, *parts),
    )


def _flipped(
    positions: Positions, points: Float, width: Float, level: float, seed: int
) -> tuple[Float, Float]:
    """The band of counts with a random sign for every group.

    The count of a group in one bin is skewed, so random signs alone give too narrow a band if
    groups are few. Student's t widens it.
    """
    check_groups(positions.groups)
    warn_few(positions.effective_groups)
    sums = np.diff(positions.sums(points, points), prepend=0.0, append=0.0, axis=1)
    scale = np.sqrt(width * (1 - width))
    wider = reach(level, positions.groups) / normal_quantile(level)
    half = wider * critical(largest_flipped(sums, scale, seed), level) * scale
    expected = positions.n * width
    return np.maximum(expected - half, 0.0), np.minimum(expected + half, positions.n)
