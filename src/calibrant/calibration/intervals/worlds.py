"""Simulate forecasters whose gaps are multiples of one pattern.

A world is a function of c. It returns the family of replicates whose noise is drawn for a
forecaster with gaps c times the pattern. This module has the worlds of independent pairs;
`group_worlds` has those of groups.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from calibrant.calibration.gaps.cell_gaps import ALMOST, CellGaps, Family
from calibrant.calibration.gaps.norms import Norm
from calibrant.calibration.intervals.blocks import NoiseBlocks, blocks
from calibrant.calibration.intervals.draws import Draws

Float = NDArray[np.float64]
MOST_COMPOSITION = 0.3  # of the sum itself, which cannot become negative: gaps that balance in a
# kernel form would have to be scaled up without limit
MIXED = 0x2545F491  # added to the seed of how pairs are spread over bins


@dataclass(frozen=True, eq=False)
class Parabolas:
    """The debiased squared score of each replicate as a function of c."""

    square: Float
    slope: Float
    rest: Float

    def __call__(self, c: float) -> Float:
        """The score of each replicate if gaps were c times as large."""
        found: Float = c * c * self.square + 2 * c * self.slope + self.rest
        return found


@dataclass(frozen=True, eq=False)
class PairWorlds:
    """Binomial counts around the frequencies that the scaled pattern implies."""

    norm: Norm
    gaps: CellGaps
    draws: Draws

    @cached_property
    def composition(self) -> Float:
        """The effect of the random number of pairs per bin on the sum of each replicate."""
        share = self.gaps.share
        spread = self.norm.spread(self.gaps.gap, share)
        variance = max(share @ spread**2 - (share @ spread) ** 2, 0.0)
        generator = np.random.default_rng(self.draws.seed + MIXED)
        normal = generator.standard_normal(self.draws.replicates)
        sd = float(np.sqrt(variance / self.gaps.bins.n.sum()))
        return np.asarray(min(sd, MOST_COMPOSITION * self.gaps.plain(self.norm)) * normal)

    @cached_property
    def skew(self) -> float:
        """The factor that corrects the slopes for skew."""
        return self.gaps.skew_factor()

    def __call__(self, c: float) -> Family:
        """Replicates of forecasters with gaps c times as large."""
        norm, gaps = self.norm, self.gaps
        if not gaps.parabolic(norm):
            drawn = self.draws.binomial(gaps, c, gaps.bins.n)
            noise = NoiseBlocks(drawn.noise, drawn.replicates, gaps.share.size, costly=gaps.mixing)
            return lambda c: gaps.replicated(norm, c, noise.over, self.composition)
        slope, rest = self._mixed(c) if gaps.mixing else self.draws.parabola(gaps, c)
        return Parabolas(gaps.plain(norm) + self.composition, self.skew * slope, rest)

    def _mixed(self, c: float) -> tuple[Float, Float]:
        """What `Draws.parabola` finds, if the noise of a cell also moves the gaps of others."""
        norm, gaps, share = self.norm, self.gaps, self.gaps.share
        drawn = self.draws.binomial(gaps, c, gaps.bins.n)
        slope, rest = np.empty((2, drawn.replicates))
        for rows in blocks(drawn.replicates, share.size):
            noise, variance = drawn.with_variance(rows)
            rest[rows] = norm.debiased(noise, share, ALMOST * variance)
            slope[rows] = noise @ (share * gaps.gap)
        return slope, rest
