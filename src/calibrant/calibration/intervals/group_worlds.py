"""Simulate forecasters with few or many groups of dependent pairs.

Groups are never drawn again: each keeps its pairs, and the sign (or the size) of what it adds to
the gaps is drawn. So a group with a quarter of the pairs is in every replicate once, as in the
data. `ImposedWorlds` is for lower limits: under the hypothesis that the gaps are c times a pattern,
what a group adds beyond that could as well have had the other sign. `AroundWorlds` is for upper
limits: noise around a pattern that may be larger than the observed one.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import repeat

import numpy as np
from numpy.typing import NDArray

from calibrant.calibration.gaps.cell_gaps import CellGaps, Family
from calibrant.calibration.gaps.clusters import Clusters
from calibrant.calibration.gaps.norms import Norm, Quadratic
from calibrant.calibration.groups.few_groups import FEW, worth_less
from calibrant.calibration.intervals.blocks import NoiseBlocks
from calibrant.calibration.intervals.draws import Draws
from calibrant.calibration.intervals.group_noise import AroundNoise, GroupNoise
from calibrant.calibration.intervals.worlds import MOST_COMPOSITION

Float = NDArray[np.float64]


def composition_spread(norm: Norm, gaps: CellGaps, clusters: Clusters) -> float:
    """The standard deviation of the sum due to how groups happen to be spread over bins."""
    from calibrant.kernels.calibration.groups import sum_groups

    spread = norm.spread(gaps.gap, gaps.share)
    beyond = spread - gaps.share @ spread
    each = np.zeros(clusters.groups)
    sum_groups(clusters.start, clusters.column, clusters.weight, clusters.n.sum(), beyond, each)
    found = float(np.sqrt(np.sum(each**2)))
    return min(found, MOST_COMPOSITION * gaps.plain(norm))


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

    @cached_property
    def _errors(self) -> NoiseBlocks:
        """Noise from the errors of groups."""
        return self._noise.blocks(1.0, self.clusters.mean)

    @cached_property
    def _pattern(self) -> NoiseBlocks:
        """Noise to subtract in proportion to c."""
        return self._noise.blocks(0.0, self.gaps.gap)

    def _over(self, sums: Callable[[Float, Float], Float]) -> Float:
        """What `sums` makes of both kinds of noise of each replicate."""
        both = zip(self._errors, self._pattern, strict=True)
        return np.concatenate([sums(errors, pattern) for errors, pattern in both], axis=-1)

    def _direct(self, c: float) -> Float:
        """The sum of each replicate, for any norm."""
        root, supposed = np.sqrt(self._scale(c)), c * self.gaps.gap

        def sums(errors: Float, pattern: Float) -> Float:
            noise = self.gaps.grown(errors - c * pattern, self.clusters.mean, supposed)
            return self.norm.plain(self.gaps.refitted(supposed + root * noise), self.gaps.share)

        return np.asarray(self._over(sums) + c**self.norm.power * self._composition)

    @cached_property
    def _alone(self) -> Float:
        """The sum of each replicate of a calibrated forecaster, before scaling."""
        return self._errors.over(lambda errors: self.norm.plain(errors, self.gaps.share))

    @cached_property
    def _forms(self) -> Float:
        """Products of the pattern, the errors and the pattern's noise."""
        half, share, plain = half_slope(self.norm, self.gaps), self.gaps.share, self.norm.plain

        def sums(errors: Float, pattern: Float) -> Float:
            own, other = plain(errors, share), plain(pattern, share)
            across = (own + other - plain(errors - pattern, share)) / 2
            return np.array([errors @ half, pattern @ half, own, across, other])

        return self._over(sums)

    def _quadratic(self, c: float) -> Float:
        """The same without the gaps of each replicate: a polynomial in c."""
        scale = self._scale(c)
        if c == 0:  # the noise of the pattern, which takes as long to draw, is not needed
            return scale * self._alone
        linear, linear_c, own, both, other = self._forms
        straight = 2 * c * np.sqrt(scale) * (linear - c * linear_c)
        squares = scale * (own - 2 * c * both + c * c * other)
        found = c * c * (self.gaps.plain(self.norm) + self._composition) + straight + squares
        return np.asarray(found)


@dataclass(frozen=True, eq=False)
class AroundWorlds:
    """Gaps c times a pattern, with normal noise of the size that groups show.

    Silent bins get the noise of one independent pair per group, at the frequency that the scaled
    pattern implies.
    """

    norm: Norm
    gaps: CellGaps  # with the pattern as gaps
    around: AroundNoise
    beside: Float | float = 0.0  # gaps that are supposed as well, whatever c is

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
        forms = np.zeros((3, 1)) if silent is None else self._silent_forms(silent)
        return lambda c: self._quadratic(c, *forms)

    def _silent(self, c: float) -> NoiseBlocks | None:
        """The noise of silent bins; None if there are none."""
        if not self.around.silent.any():
            return None
        drawn = self.around.draws.binomial(self.gaps, c, self.around.silent)
        bins = self.gaps.gap.size
        return NoiseBlocks(drawn.noise, drawn.replicates, bins, costly=self.gaps.mixing)

    def _silent_forms(self, silent: NoiseBlocks) -> Float:
        """The product with the pattern, the sum alone, and the product with the other noise.

        The two kinds of noise share no bins, so sums of squares have no such product.
        """
        half, share, plain = half_slope(self.norm, self.gaps), self.gaps.share, self.norm.plain
        own = silent.over(lambda noise: np.array([noise @ half, plain(noise, share)]))
        if self.norm.additive:
            return np.concatenate([own, np.zeros((1, own.shape[1]))])
        both = [plain(a + b, share) for a, b in zip(self.around.noise, silent, strict=True)]
        across = (np.concatenate(both) - self._forms[1] - own[1]) / 2
        return np.concatenate([own, across[None]])

    def scale(self, c: float) -> float:
        """The factor of the variance that gaps c times as large ask for."""
        return self.around.scale(c * self.gaps.gap + self.beside)

    @cached_property
    def _composition(self) -> Float:
        draws = self.around.draws
        spread = composition_spread(self.norm, self.gaps, self.around.clusters)
        return spread * np.random.default_rng(draws.seed).standard_normal(draws.replicates)

    def _direct(self, c: float, silent: NoiseBlocks | None) -> Float:
        """The sum of each replicate, for any norm."""
        root, own = np.sqrt(self.scale(c)), c * self.gaps.gap
        others: Iterable[Float | float] = repeat(0.0) if silent is None else silent
        found = [
            self.norm.plain(self.gaps.refitted(own + root * noise + other), self.gaps.share)
            for noise, other in zip(self.around.noise, others, strict=False)
        ]
        return np.asarray(np.concatenate(found) + c**self.norm.power * self._composition)

    @cached_property
    def _forms(self) -> Float:
        """The product of noise and pattern, and the sum of the noise alone."""
        half, share, plain = half_slope(self.norm, self.gaps), self.gaps.share, self.norm.plain
        return self.around.noise.over(lambda noise: np.array([noise @ half, plain(noise, share)]))

    def _quadratic(self, c: float, straight: Float, square: Float, across: Float) -> Float:
        """The same without the gaps of each replicate: a polynomial in c."""
        linear, own = self._forms
        scale = self.scale(c)
        root = np.sqrt(scale)
        slope = 2 * c * (root * linear + straight)
        rest = scale * own + 2 * root * across + square
        return np.asarray(c * c * (self.gaps.plain(self.norm) + self._composition) + slope + rest)
