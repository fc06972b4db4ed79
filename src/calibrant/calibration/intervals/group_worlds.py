"""Simulate forecasters with few or many groups of dependent pairs.

Groups are never drawn again: each keeps its pairs, and the sign (or the size) of what it adds to
the gaps is drawn. So a group with a quarter of the pairs is in every replicate once, as in the
data. `ImposedWorlds` is for lower limits: under the hypothesis that the gaps are c times a pattern,
what a group adds beyond that could as well have had the other sign. `AroundWorlds` is for upper
limits: noise around a pattern that may be larger than the observed one.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from calibrant.calibration.gaps.cell_gaps import CellGaps, Family
from calibrant.calibration.gaps.clusters import Clusters
from calibrant.calibration.gaps.norms import Norm, Quadratic, Squared
from calibrant.calibration.groups.few_groups import FEW, MOST_LEVERAGE, worth_less
from calibrant.calibration.intervals.draws import Draws
from calibrant.calibration.intervals.worlds import MOST_COMPOSITION
from calibrant.checks.arrays import sum_by

Float = NDArray[np.float64]
Int = NDArray[np.int64]
WIDE = 1 << 14  # number of bins to hold in memory at once, times replicates
STEPS = 30  # power iterations for the main direction: it need not be exact


def composition_spread(norm: Norm, gaps: CellGaps, clusters: Clusters) -> float:
    """The standard deviation of the sum due to how groups happen to be spread over bins."""
    spread = norm.spread(gaps.gap, gaps.share)
    beyond = spread - gaps.share @ spread
    each = clusters.weight / clusters.n.sum() * beyond[clusters.column]
    found = float(np.sqrt(np.sum(sum_by(clusters.owner, each, clusters.groups) ** 2)))
    return min(found, MOST_COMPOSITION * gaps.plain(norm))


@dataclass(frozen=True, eq=False)
class GroupNoise:
    """Noise of the gaps: the values of compressed rows, with a random factor for each group."""

    gaps: CellGaps
    clusters: Clusters
    draws: Draws
    normal: bool  # whether the factors are normal variables, not signs

    def __call__(self, value: Float, piece: slice) -> Float:
        """One row of noise per replicate, for a piece of the bins."""
        effect = self.gaps.per_cell(self.clusters, value)
        if self.gaps.mixing and self.clusters.groups < self.gaps.gap.size:
            # spread out what few groups add, not the noise of many replicates
            return self._factors @ self.gaps.spread_out(self.clusters.dense(effect))
        start, column, inside = self.clusters.within(effect, piece)
        return self.gaps.spread_out(self._flip(start, column, inside, piece.stop - piece.start))

    @cached_property
    def _factors(self) -> Float:
        """The factor of each group in each replicate."""
        own = np.arange(self.clusters.groups)
        start = np.arange(self.clusters.groups + 1)
        return self._flip(start, own, np.ones(own.size), own.size)

    def _flip(self, start: Int, column: Int, value: Float, bins: int) -> Float:
        from calibrant.kernels.calibration.groups import flip

        draws = self.draws
        return flip(start, column, value, bins, draws.replicates, draws.seed, normal=self.normal)


def pieces(norm: Norm, gaps: CellGaps) -> list[slice]:
    """Split the bins into pieces that fit in memory, if sums over pieces can be added."""
    whole = gaps.gap.size
    step = WIDE if gaps.apart(norm) else whole
    return [slice(first, min(first + step, whole)) for first in range(0, whole, step)]


def half_slope(norm: Norm, gaps: CellGaps) -> Float:
    """Half the derivative of a quadratic sum by each gap, so that noise @ it is a product."""
    towards = norm.slope(gaps.gap, gaps.share)
    assert towards is not None  # quadratic norms have slopes
    return towards / 2


@dataclass(frozen=True, eq=False)
class ImposedWorlds:
    """Gaps c times a pattern, and for each group its distance from that with a random sign."""

    norm: Norm
    gaps: CellGaps  # with the pattern as gaps
    clusters: Clusters  # of the data
    draws: Draws

    def __call__(self, _: float) -> Family:
        """Replicates as a function of c; their noise depends on c by itself."""
        quadratic = isinstance(self.norm, Quadratic) and self.gaps.parabolic(self.norm)
        return self._quadratic if quadratic and not self.gaps.grows else self._direct

    def _scale(self, c: float) -> float:
        """The factor of the noise that the hypothesis asks for."""
        outcomes, supposed = self.clusters.outcomes, c * self.gaps.gap
        if outcomes is None:
            return 1.0
        found = outcomes.ratio(self.gaps.bins, self.clusters.mean, supposed, supposed)
        return max(found, 1.0) if self._few else found

    @cached_property
    def _few(self) -> bool:
        """Whether groups are too few to tell that they vary more than the hypothesis allows.

        If one group has most of the pairs, large errors may be its own effect, not evidence.
        """
        return worth_less(self.clusters.effective, FEW)

    @cached_property
    def _composition(self) -> Float:
        normal = np.random.default_rng(self.draws.seed).standard_normal(self.draws.replicates)
        spread = composition_spread(self.norm, self.gaps, self.clusters)
        return np.asarray(spread * normal)

    @cached_property
    def _noise(self) -> GroupNoise:
        return GroupNoise(self.gaps, self.clusters, self.draws, normal=False)

    def _parts(self, piece: slice) -> tuple[Float, Float]:
        """Noise from the errors of groups, and noise to subtract in proportion to c."""
        pattern = self.clusters.weight * self.gaps.gap[self.clusters.column]
        return self._noise(self.clusters.error, piece), self._noise(pattern, piece)

    @cached_property
    def _whole(self) -> tuple[Float, Float]:
        return self._parts(slice(0, self.gaps.gap.size))

    def _direct(self, c: float) -> Float:
        """The sum of each replicate, for any norm."""
        errors, pattern = self._whole
        supposed = c * self.gaps.gap
        gap = self.gaps.grown(errors - c * pattern, self.clusters.mean, supposed)
        gap *= np.sqrt(self._scale(c))
        gap += supposed
        found = self.norm.plain(self.gaps.refitted(gap), self.gaps.share)
        return np.asarray(found + c**self.norm.power * self._composition)

    @cached_property
    def _forms(self) -> Float:
        """Products of the pattern, the errors and the pattern's noise, summed over pieces."""
        return sum(map(self._forms_of, pieces(self.norm, self.gaps)), np.zeros((5, 1)))

    def _forms_of(self, piece: slice) -> Float:
        errors, pattern = self._parts(piece)
        share, half = self.gaps.share[piece], half_slope(self.norm, self.gaps)[piece]
        own, across = self.norm.plain(errors, share), self.norm.plain(errors - pattern, share)
        other = self.norm.plain(pattern, share)
        return np.array([errors @ half, pattern @ half, own, (own + other - across) / 2, other])

    def _quadratic(self, c: float) -> Float:
        """The same without the gaps of each replicate: a polynomial in c."""
        linear, linear_c, own, both, other = self._forms
        scale = self._scale(c)
        straight = 2 * c * np.sqrt(scale) * (linear - c * linear_c)
        squares = scale * (own - 2 * c * both + c * c * other)
        found = c * c * (self.gaps.plain(self.norm) + self._composition) + straight + squares
        return np.asarray(found)


@dataclass(frozen=True, eq=False)
class AroundNoise:
    """Normal noise of the size that groups show, which all patterns of an upper limit share.

    The noise of a group is measured around the observed gaps, shrunk by the factor `shrunk` to
    what of them is not noise. Bins in which all outcomes are equal show no noise: they are silent.
    """

    gaps: CellGaps  # of the data
    clusters: Clusters
    draws: Draws
    shrunk: float
    corrected: bool = False  # whether residuals grow with the share of a bin of the group (CR2)

    @cached_property
    def silent(self) -> NDArray[np.int64]:
        """How many groups are in each bin that shows no noise; 0 for other bins."""
        return np.where(self.gaps.silent(self.clusters), self.clusters.present, 0)

    @cached_property
    def whole(self) -> Float:
        """The noise of all bins."""
        return self.of(slice(0, self.gaps.gap.size))

    def of(self, piece: slice) -> Float:
        """The noise of a piece of the bins; none in silent bins."""
        clusters = self.clusters
        towards = clusters.weight * clusters.mean[clusters.column]
        value = clusters.residual + (1 - self.shrunk) * towards
        if self.corrected:
            share = clusters.weight / clusters.n[clusters.column]
            value = value / np.sqrt(1 - np.minimum(share, MOST_LEVERAGE))
        found = GroupNoise(self.gaps, clusters, self.draws, normal=True)(value, piece)
        found[:, self.silent[piece] > 0] = 0.0
        return found

    def main_direction(self, norm: Norm) -> Float:
        """The direction in which the noise moves gaps the most, one standard deviation long.

        "Most" is in terms of the norm if it is quadratic, else of squared gaps. The direction is
        found by power iteration.
        """
        metric = norm if isinstance(norm, Quadratic) else Squared()
        noise, share = self.whole, self.gaps.share
        along = noise[np.argmax(metric.plain(noise, share))]
        for _ in range(STEPS):
            length = float(np.sqrt(metric.plain(along, share)))
            if length == 0:
                return np.zeros_like(share)
            along = (noise @ (metric.slope(along / length, share) / 2)) @ noise / noise.shape[0]
        # along is now the direction times the variance of the noise in it
        found: Float = along / np.sqrt(float(np.sqrt(metric.plain(along, share))) or 1.0)
        return found

    def visible(self, norm: Norm) -> bool:
        """Whether the observed gaps are not much smaller than noise alone would make them.

        Errors of groups may cancel by chance. What is left has a shape that says nothing, and
        would have to be scaled up without limit.
        """
        typical = float(np.median(norm.plain(self.gaps.refitted(self.whole), self.gaps.share)))
        return self.gaps.plain(norm) >= typical


@dataclass(frozen=True, eq=False)
class AroundWorlds:
    """Gaps c times a pattern, with normal noise of the size that groups show.

    Silent bins get the noise of one independent pair per group, at the frequency that the scaled
    pattern implies.
    """

    norm: Norm
    gaps: CellGaps  # with the pattern as gaps
    around: AroundNoise

    def __call__(self, c: float) -> Family:
        """Replicates whose silent bins have the noise of gaps c times as large."""
        return self._family(c) if self.around.silent.any() else self._quiet

    @cached_property
    def _quiet(self) -> Family:
        """The replicates where no bin is silent, whose noise is the same for all c."""
        return self._family(0.0)

    def _family(self, c: float) -> Family:
        quadratic = isinstance(self.norm, Quadratic) and self.gaps.parabolic(self.norm)
        silent = self._silent(c)
        if not quadratic:
            return lambda c: self._direct(c, silent)
        half = half_slope(self.norm, self.gaps)
        straight, square = silent @ half, self.norm.plain(silent, self.gaps.share)
        across = self._across(silent)
        return lambda c: self._quadratic(c, straight, square, across)

    def _silent(self, c: float) -> Float:
        """The noise of silent bins; a single row of zeros if there are none."""
        if not self.around.silent.any():
            return np.zeros((1, self.gaps.gap.size))
        return self.around.draws.binomial(self.gaps, c, self.around.silent)[0]

    def _across(self, silent: Float) -> Float:
        """The product of both kinds of noise; they share no bins, so sums of squares have none."""
        if self.norm.additive or not silent.any():
            return np.zeros(1)
        noise, share, plain = self.around.whole, self.gaps.share, self.norm.plain
        both = plain(noise + silent, share)
        return np.asarray((both - plain(noise, share) - plain(silent, share)) / 2)

    def _scale(self, c: float) -> float:
        outcomes, mean = self.around.clusters.outcomes, self.around.clusters.mean
        if outcomes is None:
            return 1.0
        about = self.around.shrunk * mean
        return outcomes.ratio(self.gaps.bins, mean, c * self.gaps.gap, about)

    @cached_property
    def _composition(self) -> Float:
        draws = self.around.draws
        spread = composition_spread(self.norm, self.gaps, self.around.clusters)
        return spread * np.random.default_rng(draws.seed).standard_normal(draws.replicates)

    def _direct(self, c: float, silent: Float) -> Float:
        """The sum of each replicate, for any norm."""
        gap = np.sqrt(self._scale(c)) * self.around.whole
        gap += c * self.gaps.gap + silent
        found = self.norm.plain(self.gaps.refitted(gap), self.gaps.share)
        return np.asarray(found + c**self.norm.power * self._composition)

    @cached_property
    def _forms(self) -> tuple[Float, Float]:
        """The product of noise and pattern, and the sum of the noise alone."""
        half, share = half_slope(self.norm, self.gaps), self.gaps.share
        parts = pieces(self.norm, self.gaps)
        if len(parts) == 1:
            return self.around.whole @ half, self.norm.plain(self.around.whole, share)
        linear = square = np.zeros(1)
        for piece in parts:
            noise = self.around.of(piece)
            linear = linear + noise @ half[piece]
            square = square + self.norm.plain(noise, share[piece])
        return linear, square

    def _quadratic(self, c: float, straight: Float, square: Float, across: Float) -> Float:
        """The same without the gaps of each replicate: a polynomial in c."""
        linear, own = self._forms
        scale = self._scale(c)
        root = np.sqrt(scale)
        slope = 2 * c * (root * linear + straight)
        rest = scale * own + 2 * root * across + square
        return np.asarray(c * c * (self.gaps.plain(self.norm) + self._composition) + slope + rest)
