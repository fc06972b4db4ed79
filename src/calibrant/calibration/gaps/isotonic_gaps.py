"""Gaps along an isotonic curve, which is refitted to every replicate."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from calibrant.calibration.gaps.cell_gaps import CellGaps, Over
from calibrant.calibration.gaps.norms import Norm

Float = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class IsotonicGaps(CellGaps):
    """The gaps of the cells of an isotonic curve; their noise cannot be removed."""

    reshapable = False  # frequencies with another pattern might decrease

    def total(self, norm: Norm, part: float = 1.0) -> float:
        """The plain sum over cells."""
        return self.plain(norm)

    def parabolic(self, norm: Norm) -> bool:
        """False: the curve is refitted to every replicate, so the sum is not a parabola."""
        return False

    def slope(self, norm: Norm) -> Float | None:
        """None: which cells the curve pools changes with the gaps."""
        return None

    def refitted(self, gap: Float) -> Float:
        """The gaps of the isotonic curve of frequencies with these gaps."""
        return self._gap_of(self.bins.q - gap)

    def frequencies(self, n: Float, positive: Float) -> Float:
        """The curve of each replicate with n pairs, some of them positive, in its cells."""
        from calibrant.kernels.calibration.pav import fit_rows

        raw = np.where(n > 0, positive / np.maximum(n, 1e-9), self.bins.p)
        for r in range(raw.shape[0]):
            fit_rows(raw[r : r + 1], np.maximum(n[r], 1e-9))
        return np.clip(raw, 0.0, 1.0)

    def replicated(self, norm: Norm, c: float, over: Over, composition: Float) -> Float:
        """The score of each replicate if gaps were c times as large, with a curve fitted to it."""
        q, gap, share = self.bins.q, self.gap, self.share
        return over(lambda noise: norm.plain(self._gap_of(q - c * gap - noise), share))

    def _gap_of(self, frequency: Float) -> Float:
        """Fit a curve to each row of frequencies, in place, and return its gaps."""
        from calibrant.kernels.calibration.pav import fit_rows

        fit_rows(frequency, self.bins.n)
        return self.bins.q - frequency
