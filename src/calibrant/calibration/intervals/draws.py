"""`Draws`: how replicates are drawn."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibrant.calibration.gaps.cell_gaps import ALMOST, CellGaps
from calibrant.calibration.intervals.blocks import AT_ONCE

Float = NDArray[np.float64]
LARGE = 2500  # variance of a count: its skewness is below 0.02, and a normal variable draws as well
UPWARD = 0x5DEECE66D  # added to the seed of upper limits, so that they have noise of their own


@dataclass(frozen=True, eq=False)
class Draws:
    """How replicates are drawn: how many, and from which seed."""

    replicates: int
    seed: int

    def upward(self) -> "Draws":
        """The draws for upper limits."""
        return Draws(self.replicates, self.seed + UPWARD)

    def binomial(self, gaps: CellGaps, c: float, counts: NDArray[np.generic]) -> "Binomial":
        """Draw positives for `counts` pairs per bin, if the gaps were c times as large.

        The bins are drawn in an order that does not depend on which answer is called yes.
        """
        chances = _Chances.of(gaps, c, counts)
        n, turned = chances.n, gaps.turned
        drawn = np.empty((n.size, self.replicates), np.min_scalar_type(int(n.max())))
        generator = np.random.default_rng(self.seed)
        for some in self._in_order(n.size, turned):
            found = _positives(generator, n[some], chances.first[some], self.replicates)
            drawn[some] = n[some, None] - found if turned else found
        return Binomial(gaps, n, chances.p, drawn)

    def parabola(self, gaps: CellGaps, c: float) -> tuple[Float, Float]:
        """Σ share · gap · noise, and Σ share · (noise² − most of its variance), by replicate.

        The counts are those of `binomial`, but none is kept.
        """
        chances = _Chances.of(gaps, c, gaps.bins.n)
        forms, constant = _forms(gaps, chances)
        slope, rest = np.zeros(self.replicates), np.full(self.replicates, constant)
        generator = np.random.default_rng(self.seed)
        for some in self._in_order(chances.n.size, gaps.turned):
            n, p = chances.n[some], chances.first[some]
            _add_noise(generator, n, p, forms[:, some], slope, rest)
        return slope, rest

    def _in_order(self, bins: int, turned: bool) -> Iterator[NDArray[np.int64]]:
        """Blocks of bins, in the order in which they are drawn."""
        order = np.arange(bins)[:: -1 if turned else 1]
        step = max(AT_ONCE // self.replicates, 1)
        return (order[first : first + step] for first in range(0, bins, step))


class _Chances(NamedTuple):
    """What counts are drawn from."""

    n: NDArray[np.int64]
    p: Float  # of yes
    first: Float  # of the answer that is drawn: no, if answers are turned

    @classmethod
    def of(cls, gaps: CellGaps, c: float, counts: NDArray[np.generic]) -> "_Chances":
        """The chances if the gaps were c times as large."""
        p = np.clip(gaps.bins.q - c * gaps.gap, 0.0, 1.0)
        n = np.rint(counts.astype(np.float64)).astype(np.int64)
        return cls(n, p, 1 - p if gaps.turned else p)


def _forms(gaps: CellGaps, chances: _Chances) -> tuple[Float, float]:
    """What `add_noise` multiplies the noise of the count of each bin by, and a constant.

    Noise x of a frequency p has the estimated variance (p + x)(1 − p − x) / (n − 1), which is 0
    for fewer than two pairs.
    """
    n, share, p = np.maximum(chances.n, 1), gaps.share, chances.first
    removed = np.where(n > 1, ALMOST * share / np.maximum(n - 1, 1), 0.0)
    linear = (share if gaps.turned else -share) * gaps.gap / n
    straight = -removed * (1 - 2 * p) / n
    square = (share + removed) / n / n
    return np.array([linear, straight, square]), -float(removed @ (p * (1 - p)))


def _add_noise(
    generator: np.random.Generator,
    n: NDArray[np.int64],
    p: Float,
    forms: Float,
    slope: Float,
    rest: Float,
) -> None:
    """Draw the counts of `_positives`, and add what their noise contributes to both sums."""
    from calibrant.kernels.calibration.count_noise import add_noise

    mean, variance = n * p, n * p * (1 - p)
    large = variance >= LARGE
    one, none = np.ones(n.size), np.zeros(n.size)
    small, normal = _drawn(generator, n, p, large, slope.size)
    for some, drawn, scale, centre in (
        (~large, small, one, none),
        (large, normal, np.sqrt(variance), mean),
    ):
        add_noise(drawn, scale[some], centre[some], mean[some], *forms[:, some], slope, rest)


def _drawn(
    generator: np.random.Generator,
    n: NDArray[np.int64],
    p: Float,
    large: NDArray[np.bool_],
    replicates: int,
) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """Counts of bins with a small variance, and standard normal variables for the others."""
    # bin by bin: numpy sets up a binomial distribution again whenever it changes
    small = (n[~large, None], p[~large, None], (int((~large).sum()), replicates))
    counts = generator.binomial(*small)
    normal = generator.standard_normal((int(large.sum()), replicates), dtype=np.float32)
    return counts, normal


def _positives(
    generator: np.random.Generator, n: NDArray[np.int64], p: Float, replicates: int
) -> Float:
    """Binomial counts of n with probability p, one row each; large ones by a normal variable."""
    variance = n * p * (1 - p)
    large = variance >= LARGE
    found = np.empty((n.size, replicates))
    found[~large], normal = _drawn(generator, n, p, large, replicates)
    # 0 and n are at least 50 standard deviations away
    moved = np.multiply(normal, np.sqrt(variance[large, None]), dtype=np.float64)
    moved += (n * p)[large, None]
    found[large] = np.rint(moved, out=moved)
    return found


@dataclass(frozen=True, eq=False)
class Binomial:
    """Numbers of positives in every bin and replicate, in as few bytes as hold them."""

    gaps: CellGaps
    n: NDArray[np.int64]
    p: Float  # expected frequency of each bin
    positive: NDArray[np.unsignedinteger[Any]]  # (bins, replicates)

    @property
    def replicates(self) -> int:
        """How many were drawn."""
        return int(self.positive.shape[1])

    def noise(self, rows: slice) -> Float:
        """The noise of the gaps in some of the replicates; none in bins without pairs."""
        return self.with_variance(rows)[0]

    def with_variance(self, rows: slice) -> tuple[Float, Float]:
        """The noise of the gaps in some of the replicates, and its variance."""
        # counts become floats before they are turned: small integers would overflow
        positive = self.positive[:, rows].astype(np.float64).T
        return self.gaps.noise_of_counts(self.n, self.p, positive)
