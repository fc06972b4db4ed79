"""`Draws`: how replicates are drawn."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calibrant.calibration.gaps.cell_gaps import CellGaps
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
        generator = np.random.default_rng(self.seed)
        p = np.clip(gaps.bins.q - c * gaps.gap, 0.0, 1.0)
        n = np.rint(counts.astype(np.float64)).astype(np.int64)
        drawn = np.empty((n.size, self.replicates), np.min_scalar_type(int(n.max())))
        turned = gaps.turned
        order = np.arange(n.size)[:: -1 if turned else 1]
        chance = 1 - p if turned else p
        step = max(AT_ONCE // self.replicates, 1)
        for first in range(0, n.size, step):
            some = order[first : first + step]
            found = _positives(generator, n[some], chance[some], self.replicates)
            drawn[some] = n[some, None] - found if turned else found
        return Binomial(gaps, n, p, drawn)


def _positives(
    generator: np.random.Generator, n: NDArray[np.int64], p: Float, replicates: int
) -> Float:
    """Binomial counts of n with probability p, one row each; large ones by a normal variable."""
    variance = n * p * (1 - p)
    large = variance >= LARGE
    found = np.empty((n.size, replicates))
    # bin by bin: numpy sets up a binomial distribution again whenever it changes
    small = (n[~large, None], p[~large, None], (int((~large).sum()), replicates))
    found[~large] = generator.binomial(*small)
    # 0 and n are at least 50 standard deviations away
    normal = generator.standard_normal((int(large.sum()), replicates), dtype=np.float32)
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
