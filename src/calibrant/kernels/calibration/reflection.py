"""Smoothing on [0, 1] with a Gaussian that is reflected at both ends, by cosine transforms."""

import numpy as np
from numpy.typing import NDArray

Float = NDArray[np.float64]
# these four values match the package of the authors
NODES = 1000  # grid steps, for all but the narrowest Gaussians
POINTS = 200  # minimum number of points at which the result is evaluated
NARROWEST = 0.001  # smallest width to try
HALVINGS = 10  # bisection steps for the width, from 1


def on_grid(q: Float, mass: Float, steps: int, *, whole: bool) -> Float:
    """Split the mass at each q between the two nearest of steps + 1 nodes.

    A node at an end is its own mirror image, so the reflected Gaussian counts its mass twice.
    `whole` does the same; otherwise the mass counts once.
    """
    place = q * steps
    left = np.minimum(place.astype(np.int64), steps - 1)
    part = place - left
    nodes: Float = np.bincount(left, mass * (1 - part), steps + 1).astype(np.float64)
    nodes += np.bincount(left + 1, mass * part, steps + 1)
    if whole:
        nodes[[0, -1]] *= 2
    return nodes


def smooth(nodes: Float, sigma: float, points: int, *, whole: bool) -> Float:
    """Smooth mass on nodes (the last axis), and evaluate it at `points` points in [0, 1].

    `whole` halves the values at the two ends, so that sums over points are integrals.
    """
    from scipy.fft import dct, idct

    steps = nodes.shape[-1] - 1
    waves = np.exp(-((np.pi * np.arange(steps + 1) * sigma) ** 2) / 2)
    smoothed: Float = idct(dct(nodes, type=1) * waves, type=1)
    place = np.linspace(0, steps, points)
    left = np.minimum(place.astype(np.int64), steps - 1)
    part = place - left
    seen: Float = smoothed[..., left] * (1 - part) + smoothed[..., left + 1] * part
    if whole:
        seen[..., [0, -1]] /= 2
    return seen


class Smoothing:
    """The gaps of cells at q, smoothed with a Gaussian of any width."""

    def __init__(self, q: Float, gap: Float, share: Float, *, whole: bool) -> None:
        self._q, self._gap, self._share, self._whole = q, gap, share, whole
        self._nodes = self._on_grid(NODES)

    def of(self, gap: Float) -> "Smoothing":
        """The same for other gaps of the same cells."""
        return Smoothing(self._q, gap, self._share, whole=self._whole)

    def _on_grid(self, steps: int) -> Float:
        masses = (self._gap * self._share, self._share)
        return np.array([on_grid(self._q, each, steps, whole=self._whole) for each in masses])

    def error(self, sigma: float) -> float:
        """The mean absolute smoothed gap."""
        steps = max(NODES, round(10 / sigma))
        if steps != self._nodes.shape[1] - 1:
            self._nodes = self._on_grid(steps)
        gaps, shares = smooth(self._nodes, sigma, max(POINTS, round(10 / sigma)), whole=self._whole)
        return float(np.abs(gaps).sum() / shares.sum())

    def width(self) -> float:
        """The width that equals the error, by bisection."""
        high, low = 1.0, 0.0
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            if middle < NARROWEST or middle < self.error(middle):
                low = middle
            else:
                high = middle
        return high

    def kernel(self, sigma: float) -> Float:
        """The effect of a unit gap in each cell on the smoothed gaps."""
        one = np.ones(1)
        units = np.array(
            [
                on_grid(self._q[j : j + 1], one, NODES, whole=self._whole)
                for j in range(self._q.size)
            ]
        )
        seen = smooth(units, sigma, max(POINTS, min(NODES, round(10 / sigma))), whole=self._whole)
        scaled: Float = seen / (self._share @ seen).sum()
        return scaled
