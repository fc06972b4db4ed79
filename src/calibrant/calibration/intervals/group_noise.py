"""Noise of gaps, from the errors of groups.

`GroupNoise` gives each group a random sign or size. `AroundNoise` is the noise for upper limits:
how far groups are from gaps that may be larger than the observed ones.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from calibrant.calibration.gaps.cell_gaps import CellGaps
from calibrant.calibration.gaps.clusters import Clusters
from calibrant.calibration.gaps.norms import Norm, Quadratic, Squared
from calibrant.calibration.groups.few_groups import MOST_LEVERAGE, least_effective
from calibrant.calibration.groups.limits import skewed_reach
from calibrant.calibration.groups.pooling import ENOUGH, Expected, Pooled
from calibrant.calibration.intervals.blocks import NoiseBlocks
from calibrant.calibration.intervals.draws import Draws
from calibrant.checks.arrays import sum_by

Float = NDArray[np.float64]
WIDE = 1 << 14  # bins: with more, noise has no main direction that matters, and takes long to find
SKEWED = 2.0  # with less, limits lie below the truth in over 5 % of samples with rare positives
MANY = 20  # equal groups with positives: the sums of more are hardly skewed
USUAL = 0.95  # the level at which noise is skewed: it is the same for all levels
NOTHING = 1e-100  # a smaller variance is none: predictions are certain
STEPS = 30  # most power iterations for the main direction: it need not be exact
SETTLED = 1e-4  # change of the direction in one step, relative to its length, that ends them


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
    skewed: bool = True  # whether noise grows towards the side to which groups are skewed

    @cached_property
    def silent(self) -> NDArray[np.int64]:
        """How many groups are in each bin that shows no noise; 0 for other bins."""
        return np.where(self.gaps.silent(self.clusters), self.clusters.present, 0)

    @cached_property
    def noise(self) -> NoiseBlocks:
        """The noise of all bins, pooled over groups; none in silent bins."""
        return self._shown.scaled(self._pooling)

    @cached_property
    def _shown(self) -> NoiseBlocks:
        """The noise that each group shows by itself."""
        groups = GroupNoise(self.gaps, self.clusters, self.draws, normal=True)
        if self.corrected:
            loud = groups.blocks(1.0, np.zeros(self._shift.size), self._corrected)
        else:
            loud = groups.blocks(1.0, self._shift)
        silent = self.silent > 0

        def make(rows: slice) -> Float:
            found = loud.make(rows)
            found[:, silent] = 0.0
            return found

        return replace(loud, make=make)

    @property
    def _shift(self) -> Float:
        """What the shrunken gaps leave of the observed ones."""
        return np.asarray((1 - self.shrunk) * self.clusters.mean)

    @property
    def _around(self) -> Float:
        """The distance of each compressed row from the shrunken gaps."""
        clusters = self.clusters
        return np.asarray(clusters.residual + clusters.weight * self._shift[clusters.column])

    @cached_property
    def _corrected(self) -> Float:
        """The same, growing with the share that a group has of a bin."""
        share = self.clusters.weight / self.clusters.n[self.clusters.column]
        return np.asarray(self._around / np.sqrt(1 - np.minimum(share, MOST_LEVERAGE)))

    @cached_property
    def _pooling(self) -> float:
        """The factor of the noise that pools what groups show along its main direction."""
        pooled = self._pooled
        return 1.0 if pooled is None else float(np.sqrt(1 + pooled.correction / pooled.shown))

    @cached_property
    def _pooled(self) -> Pooled | None:
        """The variance along the main direction; None if pooling would not change it."""
        clusters, gaps = self.clusters, self.gaps
        if clusters.lone or clusters.effective > ENOUGH or gaps.gap.size > WIDE:
            return None
        if not self._effects.any():
            return None
        slope = np.abs(self._contrast)[clusters.column]
        spread = slope * np.sqrt(self._chance)[clusters.column]
        alone, together = (
            sum_by(clusters.owner, clusters.weight * each, clusters.groups)
            for each in (spread**2, spread)
        )
        return Expected.of(alone, together).pooled(self._effects**2)

    @cached_property
    def _effects(self) -> Float:
        """What each group adds to the gap along the main direction."""
        clusters = self.clusters
        rows = self._corrected if self.corrected else self._around
        return sum_by(clusters.owner, rows * self._contrast[clusters.column], clusters.groups)

    @cached_property
    def _contrast(self) -> Float:
        """How the sums of errors of bins enter the gap along the main direction."""
        return np.asarray(self.gaps.share * self._main_direction / self.gaps.cell_scale)

    def _further(self, supposed: Float) -> float:
        """How much further limits reach towards these gaps if groups are skewed to that side.

        Most samples lack the groups that add the most, and their noise. What is pooled does not
        depend on these few groups.
        """
        if not self.skewed or self._pooled is None:
            return 1.0
        side = int(np.sign(self.gaps.share @ (supposed * self._main_direction)))
        return 1 + self._pooled.own * (skewed_reach(self._effects, side, USUAL) - 1)

    @property
    def _chance(self) -> Float:
        """The variance of single outcomes in each bin, as large on the whole as was seen."""
        clusters, bins = self.clusters, self.gaps.bins
        about = self.shrunk * clusters.mean
        p = np.clip(bins.q - about, 0.0, 1.0)
        chance = p * (1 - p)
        supposed = float(bins.n @ chance)
        if clusters.outcomes is None or supposed < NOTHING:
            return np.asarray(chance)
        return np.asarray(clusters.outcomes.seen(bins, clusters.mean, about) / supposed * chance)

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
        """The variance of the noise if these were the gaps, relative to the observed one."""
        outcomes, mean = self.clusters.outcomes, self.clusters.mean
        if outcomes is None:
            return 1.0
        ratio = outcomes.ratio(self.gaps.bins, mean, supposed, self.shrunk * mean)
        return ratio * self._further(supposed) ** 2

    def main_direction(self, norm: Norm) -> Float:
        """The direction in which the noise moves gaps the most, one standard deviation long.

        "Most" is in terms of the norm if it is quadratic, else of squared gaps. The direction is
        found by power iteration.
        """
        if isinstance(norm, Quadratic) and not isinstance(norm, Squared):
            return self._direction(norm, self.noise)
        return self._pooling * self._main_direction

    @cached_property
    def _main_direction(self) -> Float:
        """The main direction of the noise that each group shows, in terms of squared gaps."""
        return self._direction(Squared(), self._shown)

    def _direction(self, metric: Quadratic, blocks: NoiseBlocks) -> Float:
        noise, share = list(blocks), self.gaps.share  # a list, because every step needs it
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
