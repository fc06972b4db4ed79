"""Counts by the model's own probabilities, without labels.

The number of yes answers is a sum of independent unknown numbers, whose distribution the model
states. Its limits are right if the model is calibrated on these very documents. If only its
calibration elsewhere is known, as a curve with a band, they are widened to

[Q_low(Σ low(q)), Q_high(Σ high(q))],

the limits of the count for the smallest and for the largest frequencies that the band allows.
"""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from calibrant.calibration.counting.shares import Shares
from calibrant.calibration.counting.sums import Beliefs, beliefs_by_category, limits_of_sums
from calibrant.errors import InputError, UnsupportedError

if TYPE_CHECKING:
    from calibrant.calibration.curves import Curve
    from calibrant.pairs.tallies import Tallies

Float = NDArray[np.float64]
Int = NDArray[np.int64]


def posterior_shares(
    tallies: "Tallies", code: Int, beliefs: Beliefs, level: float, curve: "Curve | None" = None
) -> Shares:
    """Shares by the model alone, in these units.

    `beliefs` are those of each category and of all.
    """
    count = beliefs.asked.size - 1
    low, high = limits_of_sums(tallies, code, beliefs, level)
    told = ""
    if curve is not None:
        low, high = _widened(tallies, code, count, level, curve, (low, high))
        told = "widened by a curve's band"
    asked = np.where(beliefs.asked > 0, beliefs.asked, np.nan)
    variance = beliefs.variance / asked**2
    covariance = np.diag(variance)
    with_total = beliefs.variance[:-1] / (asked[:-1] * asked[-1])  # they are part of the total
    covariance[-1, :-1] = covariance[:-1, -1] = with_total
    return Shares(
        beliefs.expected / asked,
        covariance,
        low / asked,
        high / asked,
        np.zeros(count + 1),
        told,
    )


def _widened(
    tallies: "Tallies",
    code: Int,
    count: int,
    level: float,
    curve: "Curve",
    own: tuple[Float, Float],
) -> tuple[Float, Float]:
    from calibrant.pairs.tallies import Tallies

    if not tallies.rows:
        raise UnsupportedError(
            "A curve says how often single questions are answered yes, so it cannot widen counts "
            "of whole structures: leave it out."
        )
    found = []
    for side, q in enumerate(band(curve, tallies.expected)):
        moved = Tallies.of_rows(np.clip(q, 0, 1), weight=tallies.weight)
        beliefs = beliefs_by_category(moved, code, count).with_total()
        found.append(limits_of_sums(moved, code, beliefs, level)[side])
    return np.minimum(own[0], found[0]), np.maximum(own[1], found[1])


def band(curve: "Curve", q: Float) -> tuple[Float, Float]:
    """The limits of the curve at each prediction: those of its nearest point or bin."""
    last = curve.upper if curve.upper is not None else curve.reach
    known = np.isfinite(curve.low) & np.isfinite(curve.high)
    if not known.any():
        raise InputError("The curve has no band: make it with calibrant.curve(pairs).")
    if last is None:
        low = np.interp(q, curve.q[known], curve.low[known])
        return low, np.interp(q, curve.q[known], curve.high[known])
    at = np.minimum(np.searchsorted(last[known], q), int(known.sum()) - 1)
    return curve.low[known][at], curve.high[known][at]
