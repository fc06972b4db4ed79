"""`Outcomes`: how far single outcomes stray from predictions, observed and expected."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from calibrant.calibration.gaps.bins import Bins
from calibrant.calibration.gaps.foreseen import foreseen_losses
from calibrant.calibration.gaps.losses import Losses, unit_losses
from calibrant.calibration.groups.exact_sums import column_sum
from calibrant.calibration.groups.few_groups import grown
from calibrant.calibration.groups.units import Rows, resampling_units
from calibrant.pairs import Pairs

Float = NDArray[np.float64]
LEAST_RATIO = 0.01  # a supposed variance much below the observed one is a limit of the pattern


@dataclass(frozen=True, slots=True, eq=False)
class Outcomes:
    """The squared errors of single pairs, and their expectation for a calibrated model.

    A hypothesis about frequencies p also says how much single outcomes vary: p(1 − p). If few
    positives were seen by chance, groups look more alike than the hypothesis allows. So noise
    that is estimated from groups is rescaled to the variance under the hypothesis: what is taken
    from the data is how strongly the pairs of a group depend on each other.
    """

    squares: Losses  # (q − y)²
    expected: float  # Σ q(1 − q)

    def ratio(self, bins: Bins, gap: Float, supposed: Float, about: Float) -> float:
        """The variance of outcomes if `supposed` were the gaps, relative to the observed one.

        The observed variance is that around frequencies with gaps `about`.
        """
        q, n = bins.q, bins.n
        p = np.clip(q - supposed, 0.0, 1.0)
        chance = float(n @ (q * (1 - q)))
        narrow = self.expected / chance if chance > 0 else 1.0  # predictions differ within bins
        wanted = min(narrow, 1.0) * float(n @ (p * (1 - p)))
        return believed(wanted, self.seen(bins, gap, about))

    def seen(self, bins: Bins, gap: Float, about: Float) -> float:
        """The sum of (y − p)² around frequencies with gaps `about`, not the observed ones."""
        return float(self.squares.total.sum() - 2 * bins.n @ (gap * about) + bins.n @ about**2)


def believed(wanted: float, seen: float) -> float:
    """How much the noise of groups changes with the variance of single outcomes.

    More noise than was seen counts in full; less is only half believed.
    """
    if seen <= 0:
        return 1.0
    return grown(wanted, seen) * float(np.sqrt(np.clip(wanted / seen, LEAST_RATIO, 1.0)))


def outcomes(pairs: Pairs) -> Outcomes | None:
    """The outcomes of these pairs; None for draws, whose noise adds to that of outcomes."""
    if pairs.held is not None:
        return None
    return pairs.remember("outcomes", lambda: _outcomes(pairs))


def _outcomes(pairs: Pairs) -> Outcomes:
    units = resampling_units(pairs)
    assert units is not None  # only groups and weighted rows have such noise
    moments = pairs.moments

    def squares(rows: Rows) -> Float:
        if moments is not None:
            return np.asarray(moments.square[rows] - 2 * moments.cross[rows] + pairs.y[rows])
        return np.asarray((pairs.q[rows].astype(np.float64, copy=False) - pairs.y[rows]) ** 2)

    def chance(rows: slice) -> Float:
        q = pairs.q[rows].astype(np.float64, copy=False)
        weight = 1.0 if pairs.weight is None else pairs.weight[rows]
        return np.asarray(weight * (q * (1 - q) if moments is None else q - moments.square[rows]))

    foreseen = foreseen_losses(pairs, lambda q, y: (q - y) ** 2)
    found = unit_losses(pairs, units, squares, foreseen)
    return Outcomes(found, column_sum(chance, len(pairs)))
