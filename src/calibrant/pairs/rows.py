"""Sums over tied predictions, and moments of compressed rows."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Float = NDArray[np.float64]


class Tally(NamedTuple):
    """The joint distribution as a list: distinct q in ascending order, weight, positive weight."""

    q: Float
    weight: Float
    positive: Float


class Moments(NamedTuple):
    """The means of q² and of q·y over the pairs of each compressed row."""

    square: Float
    cross: Float

    def take(self, rows: NDArray[np.int64]) -> "Moments":
        """The moments of these rows, in this order."""
        return Moments(self.square[rows], self.cross[rows])

    def followed_by(self, other: "Moments") -> "Moments":
        """The moments of these rows, then those of the others."""
        return Moments(
            np.concatenate([self.square, other.square]), np.concatenate([self.cross, other.cross])
        )


def run_starts(labels: NDArray[np.generic]) -> NDArray[np.int64]:
    """Where each run of equal labels begins."""
    return np.flatnonzero(np.concatenate([[True], labels[1:] != labels[:-1]]))
