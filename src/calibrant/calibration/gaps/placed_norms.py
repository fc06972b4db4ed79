"""Norms that depend on where the bins are: kernel forms and smoothed gaps."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from calibrant.calibration.gaps.norms import NOTHING, Norm, Placed, Quadratic

if TYPE_CHECKING:
    from calibrant.kernels.calibration.reflection import Smoothing

Float = NDArray[np.float64]


class KernelForm(Placed):
    """A form with k = exp(−|q_i − q_j| / width), once the bins have places."""

    def __init__(self, width: float) -> None:
        self.width = width

    def at(self, q: Float, gap: Float, share: Float) -> "Laplace":
        """The form for bins at q."""
        with np.errstate(over="ignore"):  # infinitely many widths apart is a kernel of 0
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
        if self.observed < NOTHING:
            return total
        scale = total / self.observed
        return scale * self.smoothing.error(self.smoothing.width(scale))
