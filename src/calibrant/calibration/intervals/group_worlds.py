"""Simulate forecasters with few or many groups of dependent pairs.

Groups are never drawn again: each keeps its pairs, and the sign (or the size) of what it adds to
the gaps is drawn. So a group with a quarter of the pairs is in every replicate once, as in the
data. `ImposedWorlds` is for lower limits: under the hypothesis that the gaps are c times a pattern,
what a group adds beyond that could as well have had the other sign. `AroundWorlds` is for upper
limits: noise around a pattern that may be larger than the observed one.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import repeat

import numpy as np
from numpy.typing import NDArray

from calibrant.calibration.gaps.cell_gaps import CellGaps, Family
from calibrant.calibration.gaps.clusters import Clusters
from calibrant.calibration.gaps.norms import Norm, Quadratic, Squared
from calibrant.calibration.groups.few_groups import (
    FEW,
    MOST_LEVERAGE,
    least_effective,
    worth_less,
)
from calibrant.calibration.intervals.blocks import NoiseBlocks
from calibrant.calibration.intervals.draws import Draws
from calibrant.calibration.intervals.worlds import MOST_COMPOSITION
from calibrant.checks.arrays import sum_by

Float = NDArray[np.float64]
WIDE = 1 << 14  # bins: with more, noise has no main direction that matters, and takes long to find
SKEWED = 2.0  # with less, limits lie below the truth in over 5 % of samples with rare positives
MANY = 20  # equal groups with positives: the sums of more are hardly skewed
STEPS = 30  # most power iterations for the main direction: it need not be exact
SETTLED = 1e-4  # change of the direction in one step, relative to its length, that ends them


def composition_spread(norm: Norm, gaps: CellGaps, clusters: Clusters) -> float:
    """The standard deviation of the sum due to how groups happen to be spread over bins."""
    from calibrant.kernels.calibration.groups import sum_groups

    spread = norm.spread(gaps.gap, gaps.share)
    beyond = spread - gaps.share @ spread
    each = np.zeros(clusters.groups)
    sum_groups(clusters.start, clusters.column, clusters.weight, clusters.n.sum(), beyond, each)
    found = float(np.sqrt(np.sum(each**2)))
    return min(found, MOST_COMPOSITION * gaps.plain(norm))


@dataclass(frozen=True, eq=False)
class GroupNoise:
    """Noise of the gaps: the values of compressed rows, with a random factor for each group."""

    gaps: CellGaps
    clusters: Clusters
    draws: Draws
    normal: bool  # whether the factors are normal variables, not signs

    def blocks(self, own: float, shift: Float, value: Float | None = None) -> NoiseBlocks:
        """One row of noise per replicate: own · value + shift[bin] · weight of compressed rows.

        The default of `value` is the residual.
        """
        from calibrant.kernels.calibration.groups import Effects, flip

        clusters = self.clusters
        value = clusters.residual if value is None else value
        effects = Effects(value, clusters.weight, own, shift, self.gaps.cell_scale)

        if self.gaps.mixing and clusters.groups < self.gaps.gap.size:
            # spread out what few groups add, not the noise of many replicates
            spread = self.gaps.spread_out(clusters.dense(effects.of_rows(clusters.column)))
            return NoiseBlocks(
                lambda rows: self._factors[rows] @ spread,
                self.draws.replicates,
                self.gaps.gap.size,
                costly=True,
            )

        def make(rows: slice) -> Float:
            noise = flip(
                start=clusters.start,
                column=clusters.column,
                effects=effects,
                replicates=rows.stop - rows.start,
                seed=self.draws.seed,
                normal=self.normal,
                first=rows.start,
            )
            return self.gaps.spread_out(noise)

        bins = self.gaps.gap.size
        return NoiseBlocks(make, self.draws.replicates, bins, costly=self.gaps.mixing)

    @cached_property
    def _factors(self) -> Float:
        """The factor of each group in each replicate."""
        from calibrant.kernels.calibration.groups import Effects, flip

        own = np.arange(self.clusters.groups)
        return flip(
            start=np.arange(own.size + 1),
            column=own,
            effects=Effects.plain(np.ones(own.size), own.size),
            replicates=self.draws.replicates,
            seed=self.draws.seed,
            normal=self.normal,
        )


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
    def noise(self) -> NoiseBlocks:
        """The noise of all bins; none in silent ones."""
        groups = GroupNoise(self.gaps, self.clusters, self.draws, normal=True)
        shift = (1 - self.shrunk) * self.clusters.mean
        loud = groups.blocks(1.0, shift)
        if self.corrected:
            loud = groups.blocks(1.0, np.zeros(shift.size), self._corrected(shift))
        silent = self.silent > 0

        def make(rows: slice) -> Float:
            found = loud.make(rows)
            found[:, silent] = 0.0
            return found

        return replace(loud, make=make)

    def _corrected(self, shift: Float) -> Float:
        """Values of compressed rows that grow with the share that a group has of a bin."""
        weight, column = self.clusters.weight, self.clusters.column
        share = weight / self.clusters.n[column]
        value = self.clusters.residual + weight * shift[column]
        return np.asarray(value / np.sqrt(1 - np.minimum(share, MOST_LEVERAGE)))

    @cached_property
    def noisier(self) -> float:
        """By how much the noise may be larger than it looks: 1 if half of the outcomes are yes.

        Sums of rare outcomes are skewed, so that most samples show too little noise. The sums of
        many groups are not: what counts is over how many the outcomes are spread that the
        predictions promise.
        """
        clusters, bins = self.clusters, self.gaps.bins
        promised = clusters.weight * bins.q[clusters.column]
        held = [promised, clusters.weight - promised]
        spread = least_effective([sum_by(clusters.owner, each, clusters.groups) for each in held])
        rate = float(self.gaps.share @ bins.p)
        return 1 + SKEWED * (1 - 2 * rate) ** 2 * min(MANY / spread, 1.0)

    def scale(self, supposed: Float) -> float:
        """The variance of outcomes if these were the gaps, relative to the observed one."""
        outcomes, mean = self.clusters.outcomes, self.clusters.mean
        if outcomes is None:
            return 1.0
        return outcomes.ratio(self.gaps.bins, mean, supposed, self.shrunk * mean)

    def main_direction(self, norm: Norm) -> Float:
        """The direction in which the noise moves gaps the most, one standard deviation long.

        "Most" is in terms of the norm if it is quadratic, else of squared gaps. The direction is
        found by power iteration.
        """
        metric = norm if isinstance(norm, Quadratic) else Squared()
        noise, share = list(self.noise), self.gaps.share  # a list, because every step needs it
        sizes = [metric.plain(each, share) for each in noise]
        largest = max(range(len(noise)), key=lambda k: sizes[k].max())
        along = noise[largest][np.argmax(sizes[largest])]
        for _ in range(STEPS):
            length = float(np.sqrt(metric.plain(along, share)))
            if length == 0:
                return np.zeros_like(share)
            before = along / length
            towards = metric.slope(before, share) / 2
            moved = np.sum([(each @ towards) @ each for each in noise], axis=0)
            along = moved / self.draws.replicates
            size = float(np.sqrt(metric.plain(along, share)))
            if size == 0 or metric.plain(along / size - before, share) < SETTLED**2:
                break
        # along is now the direction times the variance of the noise in it
        found: Float = along / np.sqrt(float(np.sqrt(metric.plain(along, share))) or 1.0)
        return found

    def visible(self, norm: Norm) -> bool:
        """Whether the observed gaps are not much smaller than noise alone would make them.

        Errors of groups may cancel by chance. What is left has a shape that says nothing, and
        would have to be scaled up without limit.
        """
        gaps = self.gaps
        alone = self.noise.over(lambda noise: norm.plain(gaps.refitted(noise), gaps.share))
        return gaps.plain(norm) >= float(np.median(alone))


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
