"""How the gaps of a calibration curve are summed up: squared, absolute, largest.

Each norm has the plain (plug-in) sum and, where there is one, the sum without the part that is
only noise. Arrays may have leading axes (replicates); bins are the last axis.
"""

from abc import ABC, abstractmethod
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from calibrant.errors import UnsupportedError

Float = NDArray[np.float64]


class Norm(ABC):
    """A way to sum up gaps; scaling all gaps by c scales the sum by c^power."""

    power: ClassVar[int] = 1
    debiasable: ClassVar[bool] = True

    @abstractmethod
    def plain(self, gap: Float, share: Float) -> Float:
        """The plug-in sum."""

    def debiased(self, gap: Float, share: Float, variance: Float) -> Float:
        """The sum without what noise of this variance adds to it."""
        raise UnsupportedError("The largest gap has no debiased form.")


class Squared(Norm):
    """Σ share · gap², less Σ share · variance."""

    power = 2

    def plain(self, gap: Float, share: Float) -> Float:
        """The plug-in sum."""
        total: Float = np.asarray(gap * gap) @ share
        return total

    def debiased(self, gap: Float, share: Float, variance: Float) -> Float:
        """The sum without what noise of this variance adds to it, which is the variance."""
        return self.plain(gap, share) - variance @ share


class Absolute(Norm):
    """Σ share · |gap|, debiased as Kumar, Liang & Ma (2019) do.

    That is twice the plug-in minus its mean over resamples from N(gap, variance). The mean of
    the absolute value of a normal variable is known exactly, so nothing is drawn.
    """

    def plain(self, gap: Float, share: Float) -> Float:
        """The plug-in sum."""
        total: Float = np.abs(gap) @ share
        return total

    def debiased(self, gap: Float, share: Float, variance: Float) -> Float:
        """Twice the plug-in minus its expectation under noise of this variance."""
        return 2 * self.plain(gap, share) - folded_mean(gap, variance) @ share


class Largest(Norm):
    """max |gap|; no debiased form is known."""

    debiasable = False

    def plain(self, gap: Float, share: Float) -> Float:
        """The plug-in maximum."""
        top: Float = np.abs(gap).max(axis=-1)
        return top


class CumulativeRange(Norm):
    """How far the cumulative sums of the gaps range, 0 included (Kuiper's way)."""

    debiasable = False

    def plain(self, gap: Float, share: Float) -> Float:
        """The largest minus the smallest."""
        walk = np.cumsum(gap * share, axis=-1)
        top: Float = np.maximum(walk.max(axis=-1), 0) - np.minimum(walk.min(axis=-1), 0)
        return top


class CumulativeLargest(Norm):
    """The largest absolute cumulative sum of the gaps (Kolmogorov and Smirnov's way)."""

    debiasable = False

    def plain(self, gap: Float, share: Float) -> Float:
        """The distance from 0."""
        top: Float = np.abs(np.cumsum(gap * share, axis=-1)).max(axis=-1)
        return top


def folded_mean(mean: Float, variance: Float) -> Float:
    """E|X| for X ~ N(mean, variance)."""
    from scipy.special import erf

    sd = np.sqrt(np.broadcast_to(variance, np.shape(mean)))
    safe = np.where(sd > 0, sd, 1.0)
    z = mean / safe
    folded = safe * np.sqrt(2 / np.pi) * np.exp(-z * z / 2) + mean * erf(z / np.sqrt(2))
    return np.where(sd > 0, folded, np.abs(mean))
