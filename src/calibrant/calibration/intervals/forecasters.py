"""Hypothetical forecasters, and which of them the data do not rule out."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from calibrant.calibration.gaps.cell_gaps import ALMOST, CellGaps
from calibrant.calibration.gaps.norms import GapQuantile, Norm, Quadratic, Squared
from calibrant.calibration.gaps.patterns import Patterns, patterns
from calibrant.calibration.intervals.draws import Draws
from calibrant.calibration.intervals.group_noise import WIDE, AroundNoise
from calibrant.calibration.intervals.group_worlds import AroundWorlds, ImposedWorlds
from calibrant.calibration.intervals.inversion import Worlds, lower_limit, upper_limit
from calibrant.calibration.intervals.parts import Parts
from calibrant.calibration.intervals.worlds import PairWorlds
from calibrant.kernels.threads import at_once

Float = NDArray[np.float64]
WORTH_THREADS = 1 << 18  # counts to draw: fewer take less time than waking threads
MOVED = 2.0  # standard deviations of noise by which the observed pattern may be off: with fewer,
# upper limits lie below the truth too often
SMALLEST = 1e-300  # a lower limit of this size says only that the score is not 0


@dataclass(frozen=True, eq=False)
class Forecasters:
    """Forecasters whose gaps are multiples of patterns, beside the observed gaps."""

    norm: Norm
    gaps: CellGaps
    draws: Draws

    @cached_property
    def patterns(self) -> Patterns:
        """The patterns whose limits form the interval."""
        return patterns(self.norm, self.gaps)

    @cached_property
    def value(self) -> float:
        """The observed sum, with its noise removed if the norm allows it."""
        return 0.0 if self.gaps.nothing(self.norm) else self.gaps.total(self.norm)

    @cached_property
    def observed(self) -> float:
        """The sum that is compared with replicates: plain with groups, debiased without."""
        if self.gaps.nothing(self.norm):
            return 0.0
        if self.gaps.clusters is not None:
            return self.gaps.plain(self.norm)
        return self.gaps.total(self.norm, ALMOST)

    @cached_property
    def _unsurprising(self) -> float:
        """The observed sum, but not less than noise alone would make it.

        Errors of groups may cancel by chance; then the data look better than any model is.
        """
        if self.gaps.clusters is None:
            return self.observed
        alone = float(np.mean(self._upper(self.gaps)(0.0)(0.0)))
        if self.norm.debiasable:
            alone *= self._around.noisier ** (self.norm.power / 2)
        return max(self.observed, alone)

    def null(self) -> Float:
        """The sum in replicates of a calibrated forecaster."""
        return self._lower(self.patterns.both)(0.0)(0.0)

    def limits(self, level: float) -> tuple[float, float]:
        """The smallest and the largest score, before any root, that the data do not rule out.

        Draws for many bins take long, so both are found at the same time.
        """
        gaps = self.gaps
        many = gaps.gap.size * self.draws.replicates >= WORTH_THREADS
        if not many or gaps.mixing or gaps.clusters is not None or not gaps.parabolic(self.norm):
            return self.low(level), self.high(level)
        found, ends = [0.0, 0.0], (self.low, self.high)

        def find(end: int) -> None:
            found[end] = ends[end](level)

        at_once(find, range(2))
        return found[0], found[1]

    def low(self, level: float) -> float:
        """The smallest score, before any root, that the data do not rule out."""
        chosen = [self.patterns.both, *self.patterns.lower]
        return min(self._lowest(each, level) for each in chosen)

    def high(self, level: float) -> float:
        """The largest score, before any root, that the data do not rule out."""
        parts = self._parts
        if parts is not None and parts.spread > 0:
            return parts.high(level)
        moved = self._moved()
        chosen = [*self.patterns.upper, *moved]
        if not moved or self._around.visible(self.norm):
            chosen.append(self.patterns.both)
        found = 0.0
        for each in chosen:
            found = max(found, self._highest(each, level, found))
        beyond = self._smoothed_away
        return min(found + beyond, self._largest) if beyond > 0 else found

    @property
    def _largest(self) -> float:
        """The largest score that probabilities allow."""
        q = self.gaps.bins.q
        return float(self.norm.plain(np.maximum(q, 1 - q), self.gaps.share))

    @property
    def _smoothed_away(self) -> float:
        """By how much a quantile of gaps may be too small because a curve smooths them.

        Smoothing lowers peaks, and with them a quantile. Smoothing the curve again shows by how
        much (Tukey's twicing).
        """
        if not isinstance(self.norm, GapQuantile):
            return 0.0
        sharper = 2 * self.gaps.gap - self.gaps.smoothed()
        return max(float(self.norm.plain(sharper, self.gaps.share)) - self.gaps.plain(self.norm), 0)

    @cached_property
    def _parts(self) -> Parts | None:
        """The gaps in two parts, for sums of squares of bins over groups.

        Norms that mix bins are left out: nearly all of their noise lies in the main direction, so
        the parts gain little, and limits lie below the truth too often if positives are rare.
        """
        gaps, norm = self.gaps, self.norm
        if gaps.clusters is None or not isinstance(norm, Squared) or gaps.nothing(norm):
            return None
        if not gaps.reshapable or gaps.gap.size > WIDE:
            return None
        return Parts(norm, gaps, self._around, self.value)

    def _lowest(self, pattern: CellGaps, level: float) -> float:
        plain, power = pattern.plain(self.norm), self.norm.power
        if pattern.nothing(self.norm):
            return 0.0
        best = (max(self.value, 0.0) / plain) ** (1 / power)
        most = self._most(pattern)
        c = lower_limit(self._lower(pattern), self.observed, best, most, level)
        found = self.norm.settled(c**power * plain, pattern.gap, pattern.share)
        return max(found, SMALLEST) if c > 0 else 0.0

    def _highest(self, pattern: CellGaps, level: float, least: float) -> float:
        """The largest score of this pattern, or any score up to `least` if it is no larger."""
        plain, power = pattern.plain(self.norm), self.norm.power
        if pattern.nothing(self.norm):
            return 0.0
        best = (max(self.value, 0.0) / plain) ** (1 / power)
        most = self._most(pattern)
        known = 0.0 if self.norm.settles else (least / plain) ** (1 / power)
        c = upper_limit(self._upper(pattern), self._unsurprising, best, most, level, known)
        return self.norm.settled(c**power * plain, pattern.gap, pattern.share)

    def _most(self, pattern: CellGaps) -> float:
        """The largest multiple of the pattern that probabilities allow."""
        q = pattern.bins.q
        furthest = np.where(pattern.gap == 0, 0.0, np.maximum(q, 1 - q))
        top = float(self.norm.plain(furthest, pattern.share))
        return float((top / pattern.plain(self.norm)) ** (1 / self.norm.power))

    def _lower(self, pattern: CellGaps) -> Worlds:
        clusters = self.gaps.clusters
        if clusters is None:
            return PairWorlds(self.norm, pattern, self.draws)
        return ImposedWorlds(self.norm, pattern, clusters, self.draws)

    def _upper(self, pattern: CellGaps) -> Worlds:
        if self.gaps.clusters is None:
            return PairWorlds(self.norm, pattern, self.draws)
        return AroundWorlds(self.norm, pattern, self._around)

    @cached_property
    def _shrunk(self) -> float:
        """The share of the observed gaps that is not noise, by their sum of squares."""
        squared = Squared()
        if self.gaps.nothing(squared):
            return 0.0
        left = max(self.gaps.total(squared), 0.0) / self.gaps.plain(squared)
        return float(min(np.sqrt(left), 1.0))

    @cached_property
    def _around(self) -> AroundNoise:
        clusters = self.gaps.clusters
        assert clusters is not None  # only groups have such noise
        return AroundNoise(
            self.gaps,
            clusters,
            self.draws.upward(),
            self._shrunk,
            corrected=not isinstance(self.norm, Quadratic),
            skewed=not isinstance(self.norm, Squared),
        )

    def _moved(self) -> list[CellGaps]:
        """The shrunken pattern, moved both ways along the main direction of the noise."""
        if self.gaps.clusters is None or not self.gaps.reshapable or self.gaps.gap.size > WIDE:
            return []
        step = MOVED * self._around.main_direction(self.norm)
        middle = self._shrunk * self.gaps.gap
        moved = [self.gaps.with_gaps(middle + sign * step) for sign in (-1, 1)]
        return [each for each in moved if not each.nothing(self.norm)]
