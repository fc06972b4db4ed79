"""`Draws`: how replicates are drawn."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from calibrant.calibration.gaps.cell_gaps import CellGaps

Float = NDArray[np.float64]
UPWARD = 0x5DEECE66D  # added to the seed of upper limits, so that they have noise of their own


@dataclass(frozen=True, eq=False)
class Draws:
    """How replicates are drawn: how many, and from which seed."""

    replicates: int
    seed: int

    def upward(self) -> "Draws":
        """The draws for upper limits."""
        return Draws(self.replicates, self.seed + UPWARD)

    def binomial(
        self, gaps: CellGaps, c: float, counts: NDArray[np.generic]
    ) -> tuple[Float, Float]:
        """The noise of the gaps, and its variance, for `counts` pairs per bin and scale c.

        Bins without pairs have no noise. The bins are drawn in an order that does not depend on
        which answer is called yes.
        """
        generator = np.random.default_rng(self.seed)
        p = np.clip(gaps.bins.q - c * gaps.gap, 0.0, 1.0)
        n = np.rint(counts.astype(np.float64)).astype(np.int64)
        turned = slice(None, None, -1) if gaps.turned else slice(None)
        chance = 1 - p[::-1] if gaps.turned else p
        # bin by bin: numpy sets up a binomial distribution again whenever it changes
        drawn = generator.binomial(n[turned, None], chance[:, None], (n.size, self.replicates)).T
        positive = n - drawn[:, ::-1] if gaps.turned else drawn
        return gaps.noise_of_counts(n, p, positive)
