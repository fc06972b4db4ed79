"""`Curve`: an estimate of how often y = 1 for each prediction, with a band."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from calibrant.checks.parameters import whole_number
from calibrant.errors import UnsupportedError
from calibrant.pairs import Pairs
from calibrant.results.tabular import Tabular

if TYPE_CHECKING:
    import polars

Float = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Curve(Tabular):
    """Points (q, p) of a calibration curve.

    Attributes
    ----------
    q
        Mean prediction of each bin.
    p
        Mean observation of each bin.
    n
        Number of pairs in each bin.
    se
        Standard error of p, computed over groups if the pairs have groups.
    low
        Lower end of the band around p.
    high
        Upper end of the band.
    distribution
        How many pairs have q in each of 50 cells of equal width.
    level
        The level of the band.
    signature
        The estimator, data and version, in one line.
    estimate
        The curve as a function. Call the curve itself instead: it checks its argument.
    support
        The smallest and the largest prediction in the data; beyond them a curve extrapolates.
    upper
        The largest prediction that belongs to each bin; None for curves without bins.
    pairs
        The pairs that the curve was fitted to, for `rows`.
    reach
        The largest prediction that belongs to each point of a curve without bins, for `rows`.
    """

    q: Float
    p: Float
    n: Float
    se: Float
    low: Float
    high: Float
    distribution: Float
    level: float
    signature: str
    estimate: Callable[[Float], Float]
    support: tuple[float, float]
    upper: Float | None = None
    pairs: Pairs | None = None
    reach: Float | None = None

    def __len__(self) -> int:
        return int(self.q.size)

    def __call__(self, q: ArrayLike) -> Float:
        """The frequency of y = 1 that the curve gives for each prediction.

        NaN outside [0, 1], and in a bin of equal width that has no pairs.

        Examples
        --------
        >>> from calibrant import AdaptiveBins, Pairs, curve
        >>> steps = curve(Pairs([0, 0, 1, 1], [0.1, 0.2, 0.7, 0.9]), AdaptiveBins(size=2))
        >>> steps([0.0, 0.15, 0.8])
        array([0., 0., 1.])
        """
        asked = np.asarray(q, np.float64)
        known = (asked >= 0) & (asked <= 1)
        found = np.full(asked.shape, np.nan)
        found[known] = self.estimate(asked[known])
        return found

    def supported(self, q: ArrayLike) -> NDArray[np.bool_]:
        """Whether each prediction lies within the range of the data."""
        asked = np.asarray(q, np.float64)
        return (asked >= self.support[0]) & (asked <= self.support[1])

    def rows(self, point: int) -> NDArray[np.int64]:
        """The rows of the source behind a point, in ascending order.

        Points and rows are counted from 0; −1 is the last point. For bins, the rows are those of
        the bin, and for `Isotonic` those of the step. The points of `Kernel` and `LocalLikelihood`
        have no members of their own: their rows are those whose predictions are nearer to this
        point than to any other, on the scale of the curve. So each row is behind exactly one
        point. Only rows from draws may be behind several, as their draws are split in all ways.

        The rows are positions in the pairs, unless the pairs remember others
        (`Pairs.with_rows`). Compressed pairs do not know their rows.

        Examples
        --------
        >>> from calibrant import AdaptiveBins, Pairs, curve
        >>> steps = curve(Pairs([0, 0, 1, 1], [0.9, 0.2, 0.7, 0.1]), AdaptiveBins(size=2))
        >>> steps.rows(0), steps.rows(-1)
        (array([1, 3]), array([0, 2]))
        """
        last = self.reach if self.upper is None else self.upper
        if self.pairs is None or last is None:
            raise UnsupportedError("This curve does not know its pairs: make it with curve(pairs).")
        at = whole_number("point", point, -len(self), len(self) - 1) % len(self)
        # bounds are arrays, so that predictions in single precision are not rounded to compare
        inside = self.pairs.q <= last[at : at + 1]
        if at > 0:
            inside &= self.pairs.q > last[at - 1 : at]
        return self.pairs.source_rows(np.flatnonzero(inside))

    def columns(self) -> dict[str, NDArray[Any]]:
        """The curve as named columns."""
        names = ("q", "p", "n", "se", "low", "high")
        columns = {name: getattr(self, name) for name in names}
        if (self.n == np.rint(self.n)).all():
            columns["n"] = self.n.astype(np.int64)
        return columns

    def to_frame(self) -> "polars.DataFrame":
        """The curve as a polars frame."""
        import polars

        return polars.DataFrame(self.columns())

    def __repr__(self) -> str:
        return f"Curve({len(self)} points, {self.signature})"

    @property
    def note(self) -> str:
        """The line that notebooks show above the table."""
        return self.signature

    def table(self) -> tuple[list[str], list[list[str]]]:
        """Header and rows as text."""
        columns = self.columns()
        rows = [
            [
                f"{value:.0f}" if name == "n" else _short(value)
                for name, value in zip(columns, row, strict=True)
            ]
            for row in zip(*columns.values(), strict=True)
        ]
        return list(columns), rows


def _short(value: float) -> str:
    """Format with four decimals, or two significant digits for smaller values."""
    return f"{value:.4f}" if value == 0 or abs(value) >= 5e-5 else f"{value:.1e}"
