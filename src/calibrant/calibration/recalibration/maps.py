"""Fitted maps of probabilities: functions of q that never reach 0 or 1."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from calibrant.checks.arrays import check_predictions
from calibrant.errors import InputError

Float = NDArray[np.float64]
EDGE = 1e-6  # predictions are moved into [EDGE, 1 − EDGE] first: certainty has no logit


def logits(q: ArrayLike) -> Float:
    """Logits of predictions, of which 0 and 1 are moved inwards."""
    inside = np.clip(np.asarray(q, np.float64), EDGE, 1 - EDGE)
    found: Float = np.log(inside) - np.log1p(-inside)
    return found


def expit(x: Float) -> Float:
    """The probability of a logit, kept within [EDGE, 1 − EDGE]."""
    from scipy.special import expit as plain

    found: Float = np.clip(plain(x), EDGE, 1 - EDGE)
    return found


@dataclass(frozen=True)
class Map:
    """A map of probabilities.

    It is linear between its knots on the logit scale, logit q ↦ logit p, and goes on beyond the
    first and last one with the slopes `ends`. A line has one knot.
    """

    knots: tuple[float, ...]
    values: tuple[float, ...]
    ends: tuple[float, float]

    LONGEST: ClassVar[int] = 100_000

    def __post_init__(self) -> None:
        numbers = np.array([*self.knots, *self.values, *self.ends], np.float64)
        fits = 1 <= len(self.knots) == len(self.values) <= self.LONGEST and len(self.ends) == 2
        if not (fits and np.isfinite(numbers).all()):
            raise InputError("A map needs as many values as knots, all finite, and two slopes.")
        if not (np.diff(self.knots) > 0).all() or not (np.diff(self.values) >= 0).all():
            raise InputError("The knots of a map must increase, and its values must not decrease.")
        if min(self.ends) < 0:
            raise InputError("The slopes of a map must not be negative.")

    def __call__(self, q: ArrayLike) -> Float:
        """The recalibrated probabilities."""
        given = np.asarray(q, np.float64)
        check_predictions(given.ravel())
        return expit(self.on_logits(logits(given)))

    def on_logits(self, x: Float) -> Float:
        """The map on the logit scale."""
        knots, values = np.array(self.knots), np.array(self.values)
        inner = np.interp(x, knots, values)
        below = self.ends[0] * np.minimum(x - knots[0], 0.0)
        above = self.ends[1] * np.maximum(x - knots[-1], 0.0)
        found: Float = inner + below + above
        return found

    def to_dict(self) -> dict[str, Any]:
        """All numbers by name."""
        return {"knots": list(self.knots), "values": list(self.values), "ends": list(self.ends)}


def line(intercept: float, slope: float) -> Map:
    """The map logit p = intercept + slope · logit q.

    >>> line(0.0, 1.0)([0.25, 0.5])
    array([0.25, 0.5 ])
    """
    return Map((0.0,), (intercept,), (slope, slope))


IDENTITY = line(0.0, 1.0)
