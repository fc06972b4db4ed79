"""Smoothing on [0, 1] with a Gaussian that is reflected at both ends, by cosine transforms."""

import numpy as np
from numpy.typing import NDArray

Float = NDArray[np.float64]
# with these four, numbers agree with those of the authors' package
NODES = 1000  # steps of the grid that mass is put on, for all but the narrowest Gaussians
POINTS = 200  # at least, at which the result is evaluated
NARROWEST = 0.001  # width that is tried
HALVINGS = 10  # of the width, from 1


def on_grid(q: Float, mass: Float, steps: int, *, whole: bool) -> Float:
    """Share the mass at each q between the two nearest of steps + 1 nodes.

    A node at an end is its own mirror image. The reflected Gaussian counts its mass twice, as
    `whole` does; else it counts once.
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
    """Smooth mass on nodes (the last axis), seen at `points` points from 0 to 1.

    So that sums over points are integrals, `whole` halves what is seen at the two ends.
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

    def width(self, scale: float = 1.0) -> float:
        """Where the error of gaps `scale` times as large equals the width, by halvings."""
        high, low = 1.0, 0.0
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            if middle < NARROWEST or middle < scale * self.error(middle):
                low = middle
            else:
                high = middle
        return high

    def kernel(self, sigma: float) -> Float:
        """What a gap of one in each cell adds to the smoothed gaps, so that sizes sum to errors."""
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
