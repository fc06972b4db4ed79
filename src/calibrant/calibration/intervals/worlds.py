"""Simulate forecasters whose gaps are multiples of one pattern.

A world is a function of c. It returns the family of replicates whose noise is drawn for a
forecaster with gaps c times the pattern.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibrant.calibration.gaps.cell_gaps import ALMOST, CellGaps, Family
from calibrant.calibration.gaps.clusters import Clusters
from calibrant.calibration.gaps.norms import Norm
from calibrant.calibration.intervals.contributions import Contributions, contributions, slope_factor
from calibrant.calibration.intervals.inversion import Search, Worlds
from calibrant.checks.arrays import sum_by

Float = NDArray[np.float64]
WIDE = 1 << 14  # number of bins times replicates to hold in memory at once


@dataclass(frozen=True, eq=False)
class Draws:
    """How replicates are drawn: how many, and from which seed."""

    replicates: int
    seed: int

    def binomial(
        self,
        generator: np.random.Generator,
        gaps: CellGaps,
        c: float,
        counts: NDArray[np.generic],
        piece: slice = slice(None),
    ) -> tuple[Float, Float]:
        """The noise of the gaps, and its variance, for `counts` pairs per bin and scale c.

        Bins without pairs have no noise.
        """
        p = np.clip(gaps.bins.q - c * gaps.gap, 0.0, 1.0)[piece]
        n = np.rint(counts[piece].astype(np.float64)).astype(np.int64)
        # bin by bin: numpy sets up a binomial distribution again whenever it changes
        positive = generator.binomial(n[:, None], p[:, None], (n.size, self.replicates)).T
        return gaps.noise_of_counts(n, p, positive)


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


class Resampled(NamedTuple):
    """The contributions of resampled groups."""

    noise: Float  # (replicates, bins): to the gaps
    lines: Float  # (replicates, 3): the columns of `Contributions.linear`

    @property
    def slope(self) -> Float:
        """The contribution to the sum that is proportional to the gaps."""
        return self.lines[:, 0]

    @property
    def square(self) -> Float:
        """The contribution to the sum that does not depend on the gaps."""
        return self.lines[:, 1]

    @property
    def composition(self) -> Float:
        """The contribution to the sum from how groups are spread over bins."""
        return self.lines[:, 2]


@dataclass(frozen=True, eq=False)
class PairWorlds:
    """Binomial counts around the frequencies that the scaled pattern implies."""

    norm: Norm
    gaps: CellGaps
    draws: Draws

    @cached_property
    def mixture(self) -> float:
        """The standard deviation of the sum due to the random number of pairs per bin."""
        share = self.gaps.share
        spread = self.norm.spread(self.gaps.gap, share)
        variance = max(share @ spread**2 - (share @ spread) ** 2, 0.0)
        return float(np.sqrt(variance / self.gaps.bins.n.sum()))

    @cached_property
    def skew(self) -> float:
        """The factor that corrects the slopes for skew."""
        return self.gaps.skew_factor()

    def __call__(self, c: float) -> Family:
        """Replicates of forecasters with gaps c times as large."""
        norm, gaps, share = self.norm, self.gaps, self.gaps.share
        generator = np.random.default_rng(self.draws.seed)
        composition = self.mixture * generator.standard_normal(self.draws.replicates)
        noise, variance = self.draws.binomial(generator, gaps, c, gaps.bins.n)
        if not gaps.parabolic(norm):
            return gaps.family(norm, noise, composition)
        quadratic = norm.debiased(noise, share, ALMOST * variance)
        slope = self.skew * (noise @ (share * gaps.gap))
        return Parabolas(gaps.plain(norm) + composition, slope, quadratic)


@dataclass(frozen=True, eq=False)
class GroupWorlds:
    """Noise from whole groups, each relative to the gaps of the other groups.

    A bin in which all outcomes are equal shows no noise. It gets the noise of one independent pair
    per group, at the frequency that the scaled pattern implies.
    """

    norm: Norm
    gaps: CellGaps
    clusters: Clusters
    observed: float
    draws: Draws

    def __call__(self, c: float) -> Family:
        """Replicates of forecasters with gaps c times as large."""
        gaps, share = self.gaps, self.gaps.share
        generator = np.random.default_rng(self.draws.seed)
        if not gaps.parabolic(self.norm):
            noise, _ = self.draws.binomial(generator, gaps, c, self.silent)
            return gaps.family(self.norm, self.whole.noise + noise, self.whole.composition)
        slope, rest = self.parabolas.slope, self.parabolas.rest
        for piece in self.pieces:
            noise, variance = self.draws.binomial(generator, gaps, c, self.silent, piece)
            slope = slope + noise @ (share * gaps.gap)[piece]
            rest = rest + self.norm.debiased(noise, share[piece], ALMOST * variance)
        return Parabolas(self.parabolas.square, slope, rest)

    @property
    def pieces(self) -> list[slice]:
        """Split the bins into pieces that fit in memory, if sums over pieces can be added."""
        whole = self.gaps.gap.size
        step = WIDE if self.gaps.apart(self.norm) else whole
        return [slice(first, min(first + step, whole)) for first in range(0, whole, step)]

    @cached_property
    def silent(self) -> NDArray[np.int64]:
        """How many groups are in each bin that shows no noise; 0 for other bins."""
        return np.where(self.gaps.silent(self.clusters), self.clusters.present, 0)

    @cached_property
    def parts(self) -> Contributions:
        """The contribution of each group."""
        return contributions(self.norm, self.gaps, self.clusters)

    @cached_property
    def whole(self) -> Resampled:
        """Replicates of all bins at once."""
        return self.resampled(slice(0, self.gaps.gap.size))

    def resampled(self, piece: slice) -> Resampled:
        """Replicates of a piece of the bins: the same groups are drawn for every piece."""
        from calibrant.kernels.calibration.groups import resample

        start, column, noise = self.clusters.within(self.parts.noise, piece)
        count, draws = piece.stop - piece.start, self.draws
        sums, lines = resample(
            start=start,
            column=column,
            value=noise,
            linear=self.parts.linear,
            bins=count,
            replicates=draws.replicates,
            seed=draws.seed,
        )
        sums -= sum_by(column, noise, count)
        return Resampled(self.gaps.spread_out(sums), lines)

    @cached_property
    def parabolas(self) -> Parabolas:
        """Replicates as functions of c, without the noise of bins that show none."""
        drawn = [self._squares(piece) for piece in self.pieces]
        squares = sum(each for each, _ in drawn)
        lines = drawn[0][1]  # the same for every piece
        rest = squares - ALMOST * lines.square
        plain = self.gaps.plain(self.norm)
        slope = lines.slope - self.parts.slope.sum()
        slope = slope * slope_factor(self.parts.slope, rest, self.observed, plain)
        return Parabolas(plain + lines.composition, slope, rest)

    def _squares(self, piece: slice) -> tuple[Float, Resampled]:
        drawn = self.resampled(piece)
        squares = self.norm.plain(drawn.noise, self.gaps.share[piece])
        return squares, drawn._replace(noise=np.zeros(0))  # frees memory


@dataclass(frozen=True, eq=False)
class Forecasters:
    """Hypothetical forecasters whose gaps share one pattern, and the observed sum."""

    norm: Norm
    pattern: CellGaps
    observed: float  # the observed sum over bins
    draws: Draws

    @cached_property
    def worlds(self) -> Worlds:
        """The worlds of these forecasters; both limits share their noise."""
        if self.pattern.clusters is None:
            return PairWorlds(self.norm, self.pattern, self.draws)
        return GroupWorlds(
            self.norm, self.pattern, self.pattern.clusters, self.observed, self.draws
        )

    def limit(self, search: Search, level: float) -> float:
        """A limit of the sum over bins."""
        gap, share, q = self.pattern.gap, self.pattern.share, self.pattern.bins.q
        if self.pattern.nothing(self.norm):
            return 0.0
        plain, power = self.pattern.plain(self.norm), self.norm.power
        best = (max(self.observed, 0.0) / plain) ** (1 / power)
        furthest = np.where(gap == 0, 0.0, np.maximum(q, 1 - q))  # no gap can be larger
        most = (float(self.norm.plain(furthest, share)) / plain) ** (1 / power)
        return float(search(self.worlds, self.observed, best, most, level) ** power * plain)
