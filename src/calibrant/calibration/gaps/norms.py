"""Norms that summarise the gaps of a calibration curve: squared, absolute, largest.

Each norm has a plain (plug-in) sum and, if one is known, a debiased sum. Arrays may have leading
axes (replicates); bins are the last axis. Norms that depend on the positions of the bins are in
`placed_norms`.
"""

from abc import ABC, abstractmethod
from typing import ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray

from calibrant.errors import UnsupportedError

Float = NDArray[np.float64]
T = TypeVar("T")
NOTHING = 1e-100  # smaller gaps count as 0: no data could show them, and their squares underflow
ROUNDING = 1e-12  # tolerance for shares that add up to a level


class Placed(ABC):
    """A way to summarise gaps that may depend on the positions of the bins."""

    signed: ClassVar[bool] = False  # whether gaps of neighbouring bins may cancel each other

    @abstractmethod
    def at(self, q: Float, gap: Float, share: Float) -> "Norm":
        """The norm for bins at q with these gaps and shares."""


class Norm(Placed):
    """A way to summarise gaps; scaling all gaps by c scales the sum by c^power."""

    power: ClassVar[int] = 1
    debiasable: ClassVar[bool] = True  # whether the bias from noise can be removed
    unbiased: ClassVar[bool] = False  # whether debiasing uses the unbiased variance
    additive: ClassVar[bool] = False  # whether it is a sum of squares, one per bin
    pattern_matters: ClassVar[bool] = False  # whether the bias depends on the pattern
    smooths: ClassVar[bool] = False  # whether an upper limit must allow for gaps of one sign
    average: ClassVar[bool] = False  # whether it is at most the root of the mean of gap²
    settles: ClassVar[bool] = False  # whether `settled` differs from the sum
    bends: ClassVar[bool] = False  # whether it grows with the sizes of gaps, so that it bends at 0

    def at(self, q: Float, gap: Float, share: Float) -> "Norm":
        """The norm itself: the positions of the bins do not matter."""
        return self

    @abstractmethod
    def plain(self, gap: Float, share: Float) -> Float:
        """The plug-in sum."""

    def spread(self, gap: Float, share: Float) -> Float:
        """The derivative of the sum by the share of each bin."""
        each: Float = np.abs(gap) ** self.power
        return each

    def slope(self, gap: Float, share: Float) -> Float | None:
        """The derivative of the sum by each gap; None for norms that are not quadratic."""
        return None

    def settled(self, total: float, gap: Float, share: Float) -> float:
        """The score of a forecaster whose gaps are multiples of `gap` and have this sum."""
        return total

    def ceiling(self, mean_square: float) -> float:
        """The largest sum that is possible if the mean of (q − y)² is `mean_square`.

        The mean of (q − p)² is never larger, so for most norms nor is the squared score.
        """
        return float(mean_square ** (self.power / 2))

    def debiased(self, gap: Float, share: Float, variance: Float) -> Float:
        """The sum minus the bias from noise of this variance."""
        raise UnsupportedError(f"{type(self).__name__} gaps have no debiased form.")

    def extremes(self, few: T, everywhere: T) -> tuple[T, T]:
        """Choose which pattern (few bins wrong, or all) bounds each limit of an interval.

        The lower limit uses the pattern with the larger bias from noise, the upper limit the other.
        """
        return few, everywhere


class Quadratic(Norm):
    """A sum of products of gaps."""

    power = 2

    @abstractmethod
    def slope(self, gap: Float, share: Float) -> Float:
        """The derivative of the sum by each gap."""


class Squared(Quadratic):
    """Σ share · gap², less Σ share · variance."""

    unbiased = True
    additive = True

    def plain(self, gap: Float, share: Float) -> Float:
        """The plug-in sum."""
        total: Float = np.asarray(gap * gap) @ share
        return total

    def slope(self, gap: Float, share: Float) -> Float:
        """The derivative of the sum by each gap."""
        return 2 * share * gap

    def debiased(self, gap: Float, share: Float, variance: Float) -> Float:
        """The sum minus the bias from noise, which is the variance."""
        return self.plain(gap, share) - variance @ share


class WeightedSquares(Squared):
    """Σ weight · gap², with weights that do not change with the shares of bins."""

    def __init__(self, weight: Float) -> None:
        self.weight = weight

    def plain(self, gap: Float, share: Float) -> Float:
        """The plug-in sum."""
        return super().plain(gap, self.weight)

    def slope(self, gap: Float, share: Float) -> Float:
        """The derivative of the sum by each gap."""
        return super().slope(gap, self.weight)

    def debiased(self, gap: Float, share: Float, variance: Float) -> Float:
        """The sum minus the bias from noise, which is the variance."""
        return super().debiased(gap, self.weight, variance)


class Absolute(Norm):
    """Σ share · |gap|, debiased as Kumar, Liang & Ma (2019) do.

    That is twice the plug-in minus its mean over resamples from N(gap, variance). The mean of
    the absolute value of a normal variable is known exactly, so nothing is drawn.
    """

    pattern_matters = True
    average = True
    bends = True

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
    pattern_matters = True

    def extremes(self, few: T, everywhere: T) -> tuple[T, T]:
        """Noise adds most to the maximum if all bins are wrong."""
        return everywhere, few

    def ceiling(self, mean_square: float) -> float:
        """1: a single bin may be as wrong as can be."""
        return 1.0

    def plain(self, gap: Float, share: Float) -> Float:
        """The plug-in maximum."""
        top: Float = np.abs(gap).max(axis=-1)
        return top


class Cumulative(Norm):
    """How far the cumulative sums of the gaps stray; the last of them is the mean gap."""

    debiasable = False
    average = True
    signed = True
    bends = True


class CumulativeRange(Cumulative):
    """The range of the cumulative sums of the gaps, including 0 (as in Kuiper's test)."""

    def plain(self, gap: Float, share: Float) -> Float:
        """The largest minus the smallest."""
        walk = np.cumsum(gap * share, axis=-1)
        top: Float = np.maximum(walk.max(axis=-1), 0) - np.minimum(walk.min(axis=-1), 0)
        return top


class CumulativeLargest(Cumulative):
    """The largest absolute cumulative sum of the gaps (as in the Kolmogorov–Smirnov test)."""

    def plain(self, gap: Float, share: Float) -> Float:
        """The distance from 0."""
        top: Float = np.abs(np.cumsum(gap * share, axis=-1)).max(axis=-1)
        return top


class GapQuantile(Norm):
    """The `level`-quantile of the absolute gaps, weighted by share."""

    debiasable = False

    def __init__(self, level: float) -> None:
        self.level = level

    def ceiling(self, mean_square: float) -> float:
        """A share 1 − level of the gaps is at least as large as the quantile."""
        return float(min(np.sqrt(mean_square / (1 - self.level)), 1.0))

    def plain(self, gap: Float, share: Float) -> Float:
        """The smallest gap that reaches the level."""
        from calibrant.kernels.calibration.quantiles import weighted_quantiles

        return weighted_quantiles(np.abs(gap), share, self.level * (1 - ROUNDING))


class MeanSize(Absolute):
    """Σ share · |gap|, for scores that are defined as the plug-in."""

    debiasable = False


def folded_mean(mean: Float, variance: Float) -> Float:
    """E|X| for X ~ N(mean, variance)."""
    from scipy.special import erf

    sd = np.sqrt(np.broadcast_to(variance, np.shape(mean)))
    safe = np.where(sd > 0, sd, 1.0)
    z = mean / safe
    folded = safe * np.sqrt(2 / np.pi) * np.exp(-z * z / 2) + mean * erf(z / np.sqrt(2))
    return np.where(sd > 0, folded, np.abs(mean))
