"""What all estimators of a curve share."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from calibrant.calibration.curves.curve import Curve
from calibrant.calibration.gaps.gaps import Gaps
from calibrant.checks.arrays import sum_by
from calibrant.errors import UnknownName
from calibrant.pairs import Pairs
from calibrant.results.estimate import signature
from calibrant.results.naming import Named

Float = NDArray[np.float64]
CELLS = 50  # bars that show the distribution of q
LARGE = 1 << 15  # plain pairs from this many on are summed up by the compiled kernels


class Estimator(Named, ABC, abstract=True):
    """A way to estimate the frequency of y = 1 for every prediction."""

    kind: ClassVar[str] = "curve"
    bands: ClassVar[tuple[str, ...]]  # the first is the default
    debiasable: ClassVar[bool] = True  # whether the noise in its gaps is known

    def band(self, name: str | None) -> str:
        """The band asked for, or the default."""
        if name is None:
            return self.bands[0]
        if name not in self.bands:
            raise UnknownName(f"band of {type(self).__name__}", name, self.bands)
        return name

    @abstractmethod
    def gaps(self, pairs: Pairs) -> Gaps:
        """How far predictions are from the curve: what calibration errors are taken from."""

    @abstractmethod
    def columns(self, pairs: Pairs) -> NDArray[np.int64]:
        """The cell of each row, among those that replicates of `gaps` live on."""

    @abstractmethod
    def estimate(self, pairs: Pairs) -> Callable[[Float], Float]:
        """The curve as a function of q."""

    @abstractmethod
    def fit(
        self, pairs: Pairs, level: float = 0.95, band: str | None = None, seed: int = 0
    ) -> Curve:
        """The curve of these pairs, with a band at `level`; bands that are drawn take `seed`."""


def signature_of(estimator: Estimator, pairs: Pairs, band: str, level: float, seed: int = 0) -> str:
    """What reproduces a curve; a seed of 0, the default, goes without saying."""
    how = (band, f"level={level:g}", *([f"seed={seed}"] if seed else []))
    return signature(repr(estimator), pairs, *how)


def support_of(pairs: Pairs) -> tuple[float, float]:
    """The smallest and the largest prediction."""
    return float(pairs.q.min()), float(pairs.q.max())


def distribution_of(pairs: Pairs) -> Float:
    """How much weight q has in each of CELLS cells of equal width, counted once for these pairs."""
    return pairs.remember("distribution", lambda: _distribution(pairs))


def _distribution(pairs: Pairs) -> Float:
    if pairs.weight is None and len(pairs) >= LARGE:
        from calibrant.kernels.calibration.uniform import count_cells

        return count_cells(pairs.q, CELLS).astype(np.float64)
    at = np.minimum((pairs.tally.q * CELLS).astype(np.int64), CELLS - 1)
    return sum_by(at, pairs.tally.weight, CELLS)
