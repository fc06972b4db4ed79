"""How the gaps of a calibration curve are summed up: squared, absolute, largest.

Each norm has the plain (plug-in) sum and, where there is one, the sum without the part that is
only noise. Arrays may have leading axes (replicates); bins are the last axis.
"""

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from calibrant.errors import UnsupportedError

if TYPE_CHECKING:
    from calibrant.kernels.calibration.reflection import Smoothing

Float = NDArray[np.float64]


class Placed(ABC):
    """A way to sum up gaps that may depend on where the bins are."""

    @abstractmethod
    def at(self, q: Float, gap: Float, share: Float) -> "Norm":
        """The norm for bins at q with these gaps and shares."""


class Norm(Placed):
    """A way to sum up gaps; scaling all gaps by c scales the sum by c^power."""

    power: ClassVar[int] = 1
    debiasable: ClassVar[bool] = True

    def at(self, q: Float, gap: Float, share: Float) -> "Norm":
        """Itself: where the bins are does not matter."""
        return self

    @abstractmethod
    def plain(self, gap: Float, share: Float) -> Float:
        """The plug-in sum."""

    def spread(self, gap: Float, share: Float) -> Float:
        """How the sum changes with the share of each bin."""
        each: Float = np.abs(gap) ** self.power
        return each

    def settled(self, total: float) -> float:
        """The score of a forecaster whose gaps have this sum."""
        return total

    def debiased(self, gap: Float, share: Float, variance: Float) -> Float:
        """The sum without what noise of this variance adds to it."""
        raise UnsupportedError("The largest gap has no debiased form.")


class Quadratic(Norm):
    """A sum of products of gaps."""

    power = 2

    @abstractmethod
    def slope(self, gap: Float, share: Float) -> Float:
        """How the sum changes with each gap."""


class Squared(Quadratic):
    """Σ share · gap², less Σ share · variance."""

    def plain(self, gap: Float, share: Float) -> Float:
        """The plug-in sum."""
        total: Float = np.asarray(gap * gap) @ share
        return total

    def slope(self, gap: Float, share: Float) -> Float:
        """How the sum changes with each gap."""
        return 2 * share * gap

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


class GapQuantile(Norm):
    """The gap that a share `level` of the pairs does not exceed."""

    debiasable = False

    def __init__(self, level: float) -> None:
        self.level = level

    def plain(self, gap: Float, share: Float) -> Float:
        """The smallest gap that reaches the level."""
        size = np.abs(gap)
        order = np.argsort(size, axis=-1, kind="stable")
        reached = np.cumsum(share[order], axis=-1) >= self.level * (1 - 1e-12)
        found: Float = np.take_along_axis(size, order, -1)[
            (*np.indices(reached.shape[:-1]), reached.argmax(axis=-1))
        ]
        return found


class MeanSize(Absolute):
    """Σ share · |gap|, for scores that are defined as the plug-in."""

    debiasable = False


class KernelForm(Placed):
    """A form with k = exp(−|q_i − q_j| / width), once the bins have places."""

    def __init__(self, width: float) -> None:
        self.width = width

    def at(self, q: Float, gap: Float, share: Float) -> "Laplace":
        """The form for bins at q."""
        return Laplace(np.exp(-np.abs(q[:, None] - q) / self.width))


class Laplace(Quadratic):
    """Σ share_i gap_i k_ij share_j gap_j."""

    def __init__(self, kernel: Float) -> None:
        self.kernel = kernel

    def plain(self, gap: Float, share: Float) -> Float:
        """The form."""
        mass = gap * share
        total: Float = np.sum((mass @ self.kernel) * mass, axis=-1)
        return total

    def spread(self, gap: Float, share: Float) -> Float:
        """A share enters twice."""
        each: Float = 2 * gap * ((gap * share) @ self.kernel)
        return each

    def slope(self, gap: Float, share: Float) -> Float:
        """How the form changes with each gap."""
        each: Float = 2 * share * ((gap * share) @ self.kernel)
        return each

    def debiased(self, gap: Float, share: Float, variance: Float) -> Float:
        """The form without what noise adds to it, each bin with itself."""
        return self.plain(gap, share) - variance @ share**2


class Smoothed(Placed):
    """∫ |Σ share · gap · Gaussian|, the Gaussian as wide as the integral."""

    def __init__(self, whole: bool) -> None:
        self.whole = whole

    def at(self, q: Float, gap: Float, share: Float) -> "SmoothedAt":
        """The norm for bins at q, at the width that these gaps ask for."""
        from calibrant.kernels.calibration.reflection import Smoothing

        return SmoothedAt(Smoothing(q, gap, share, whole=self.whole))


class SmoothedAt(Norm):
    """The smoothed gaps at one width, so that it is a norm; errors are settled afterwards."""

    debiasable = False

    def __init__(self, smoothing: "Smoothing") -> None:
        self.smoothing = smoothing
        width = smoothing.width()
        self.kernel = smoothing.kernel(width)
        self.observed = smoothing.error(width)

    def plain(self, gap: Float, share: Float) -> Float:
        """The sum of the smoothed gaps, without their signs."""
        total: Float = np.abs((gap * share) @ self.kernel).sum(axis=-1)
        return total

    def settled(self, total: float) -> float:
        """The error of such gaps at the width that equals it."""
        if self.observed == 0:
            return total
        scale = total / self.observed
        return scale * self.smoothing.error(self.smoothing.width(scale))


def folded_mean(mean: Float, variance: Float) -> Float:
    """E|X| for X ~ N(mean, variance)."""
    from scipy.special import erf

    sd = np.sqrt(np.broadcast_to(variance, np.shape(mean)))
    safe = np.where(sd > 0, sd, 1.0)
    z = mean / safe
    folded = safe * np.sqrt(2 / np.pi) * np.exp(-z * z / 2) + mean * erf(z / np.sqrt(2))
    return np.where(sd > 0, folded, np.abs(mean))
