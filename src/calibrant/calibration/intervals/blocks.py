"""Noise in blocks of replicates, so that memory does not grow with replicates times bins."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Float = NDArray[np.float64]
AT_ONCE = 1 << 20  # values of noise that are computed at once: 8 MB
HELD = 1 << 22  # values of noise that are kept for the next use; more are computed again
IN_CACHE = 1 << 15  # values of noise that are worked on at once: a quarter of a megabyte
LANES = 8  # blocks hold a multiple of this many replicates, which kernels draw together


def blocks(replicates: int, bins: int) -> list[slice]:
    """Ranges of replicates whose noise fits in memory at once."""
    step = max(AT_ONCE // max(bins, 1) // LANES, 1) * LANES
    return [slice(r, min(r + step, replicates)) for r in range(0, replicates, step)]


@dataclass(frozen=True, eq=False)
class NoiseBlocks:
    """The noise of every bin, a block of replicates at a time.

    Little noise is kept, and more is computed again at every use, unless `costly` says that this
    would take too long.
    """

    make: Callable[[slice], Float]  # one row of noise for each replicate of a range
    replicates: int
    bins: int
    costly: bool = False

    @cached_property
    def kept(self) -> list[Float]:
        """All blocks, in memory."""
        return [self.make(rows) for rows in blocks(self.replicates, self.bins)]

    def scaled(self, factor: float) -> "NoiseBlocks":
        """The same noise times a factor, from what is kept of this one."""
        if not self._holds:
            return replace(self, make=lambda rows: factor * self.make(rows))
        places = blocks(self.replicates, self.bins)
        return replace(self, make=lambda rows: factor * self.kept[places.index(rows)])

    def __iter__(self) -> Iterator[Float]:
        """Views of a few replicates each: what is computed from them stays in the cache."""
        step = max(IN_CACHE // max(self.bins, 1), 1)
        for block in self._made():
            for first in range(0, block.shape[0], step):
                yield block[first : first + step]

    def _made(self) -> Iterable[Float]:
        """All blocks, kept or computed anew."""
        if self._holds:
            return self.kept
        return map(self.make, blocks(self.replicates, self.bins))

    @property
    def _holds(self) -> bool:
        """Whether all noise is kept."""
        return self.costly or self.replicates * self.bins <= HELD

    def over(self, sums: Callable[[Float], Float]) -> Float:
        """What `sums` makes of the noise of each replicate; replicates are the last axis."""
        return np.concatenate([sums(noise) for noise in self], axis=-1)
