"""Norms that depend on the positions of the bins: kernel forms, smoothed gaps, divergences."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from calibrant.calibration.gaps.norms import NOTHING, Norm, Placed, Quadratic

if TYPE_CHECKING:
    from calibrant.kernels.calibration.reflection import Smoothing

Float = NDArray[np.float64]
FAR = 1e6  # instead of infinite: what was given probability 0 is expected to happen


class KernelForm(Placed):
    """A quadratic form with kernel exp(−|q_i − q_j| / width), for bins at any q."""

    def __init__(self, width: float) -> None:
        self.width = width

    def at(self, q: Float, gap: Float, share: Float) -> "Form":
        """The form for bins at q."""
        with np.errstate(over="ignore"):  # an infinite distance gives a kernel of 0
            return Form(np.exp(-np.abs(q[:, None] - q) / self.width))


class TwoBins(Placed):
    """∫ (Σ_{q < t} share · gap)² + (Σ_{q ≥ t} share · gap)² dt over [0, 1], for bins at any q.

    It is a quadratic form with kernel 1 − |q_i − q_j|: the thresholds that do not separate two
    bins have this total length.
    """

    def at(self, q: Float, gap: Float, share: Float) -> "Form":
        """The form for bins at q."""
        return Form(1 - np.abs(q[:, None] - q))


class Form(Quadratic):
    """Σ share_i gap_i k_ij share_j gap_j, with k_ii = 1."""

    def __init__(self, kernel: Float) -> None:
        self.kernel = kernel

    def plain(self, gap: Float, share: Float) -> Float:
        """The form."""
        mass = gap * share
        total: Float = np.sum((mass @ self.kernel) * mass, axis=-1)
        return total

    def spread(self, gap: Float, share: Float) -> Float:
        """The derivative by each share, which enters the form twice."""
        each: Float = 2 * gap * ((gap * share) @ self.kernel)
        return each

    def slope(self, gap: Float, share: Float) -> Float:
        """The derivative of the form by each gap."""
        each: Float = 2 * share * ((gap * share) @ self.kernel)
        return each

    def debiased(self, gap: Float, share: Float, variance: Float) -> Float:
        """The form minus the bias from noise, which lies on the diagonal."""
        return self.plain(gap, share) - variance @ share**2


class Smoothed(Placed):
    """∫ |Σ share · gap · Gaussian|, with a Gaussian whose width equals the integral."""

    signed = True

    def __init__(self, whole: bool) -> None:
        self.whole = whole

    def at(self, q: Float, gap: Float, share: Float) -> "SmoothedAt":
        """The norm for bins at q, with the width that these gaps determine."""
        from calibrant.kernels.calibration.reflection import Smoothing

        return SmoothedAt(Smoothing(q, gap, share, whole=self.whole))


class SmoothedAt(Norm):
    """Smoothed gaps at a fixed width, which makes it a norm; `settled` adjusts the width."""

    debiasable = False
    smooths = True
    settles = True
    bends = True

    def __init__(self, smoothing: "Smoothing") -> None:
        self.smoothing = smoothing
        self.kernel = smoothing.kernel(smoothing.width())

    def plain(self, gap: Float, share: Float) -> Float:
        """The sum of the absolute smoothed gaps."""
        total: Float = np.abs((gap * share) @ self.kernel).sum(axis=-1)
        return total

    def settled(self, total: float, gap: Float, share: Float) -> float:
        """The error at the width that equals the error itself."""
        own = float(self.plain(gap, share))
        if own < NOTHING:
            return total
        scaled = self.smoothing.of(total / own * gap)
        return scaled.error(scaled.width())


class Divergence(Placed):
    """Σ share · (ℓ(q; p) − ℓ(p; p)), where ℓ(x; p) is the mean loss of predicting x.

    `expected(q, p)` is ℓ(q; p) and `entropy(p)` is ℓ(p; p). For the Brier score it is the sum of
    squared gaps.
    """

    def __init__(
        self, expected: Callable[[Float, Float], Float], entropy: Callable[[Float], Float]
    ) -> None:
        self.expected = expected
        self.entropy = entropy

    def at(self, q: Float, gap: Float, share: Float) -> "DivergenceAt":
        """The norm for bins at q."""
        return DivergenceAt(self, q)


class DivergenceAt(Norm):
    """The divergence of bins at q, which grows as the square of small gaps."""

    power = 2
    debiasable = False
    settles = True

    def __init__(self, rule: Divergence, q: Float) -> None:
        self.rule = rule
        self.q = q

    def plain(self, gap: Float, share: Float) -> Float:
        """The plug-in sum."""
        total: Float = self._each(gap) @ share
        return total

    def spread(self, gap: Float, share: Float) -> Float:
        """The derivative of the sum by the share of each bin."""
        return self._each(gap)

    def settled(self, total: float, gap: Float, share: Float) -> float:
        """The divergence of the multiple of `gap` that would have this sum if it were a square."""
        own = float(self.plain(gap, share))
        return float(self.plain(np.sqrt(total / own) * gap, share)) if own > NOTHING else total

    def _each(self, gap: Float) -> Float:
        p = np.clip(self.q - gap, 0.0, 1.0)
        q = np.broadcast_to(self.q, p.shape)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            found = self.rule.expected(q, p) - self.rule.entropy(p)
        return np.asarray(np.clip(np.nan_to_num(found, nan=FAR, posinf=FAR), 0.0, FAR))
