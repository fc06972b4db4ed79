"""The base class of all curve estimators."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from calibrant.calibration.curves.curve import Curve
from calibrant.calibration.gaps.gaps import Gaps
from calibrant.checks.arrays import Numbers, sum_by
from calibrant.errors import ParameterError, UnknownName, option
from calibrant.pairs import Pairs
from calibrant.results.estimate import signature
from calibrant.results.naming import Named

if TYPE_CHECKING:
    from calibrant.calibration.gaps.cell_gaps import CellGaps

Float = NDArray[np.float64]
CELLS = 50  # bars of the histogram of q, each 2 % wide
LARGE = 1 << 15  # unweighted pairs from which compiled kernels are faster than sorting


class Estimator(Named, ABC, abstract=True):
    """A way to estimate the frequency of y = 1 for every prediction."""

    kind: ClassVar[str] = "curve"
    bands: ClassVar[tuple[str, ...]]  # the first is the default
    drawn_bands: ClassVar[tuple[str, ...]] = ()  # the bands that are resampled, and use a seed
    debiasable: ClassVar[bool] = True  # whether the noise in its gaps is known

    def band(self, name: str | None) -> str:
        """The requested band, or the default."""
        if name is None:
            return self.bands[0]
        if name not in self.bands:
            raise UnknownName(f"band of {type(self).__name__}", name, self.bands)
        return name

    def refuse_idle_seed(self, seed: int | None, band: str | None) -> None:
        """Refuse a seed that would have no effect, because the band is not resampled."""
        name = self.band(band)
        if seed is None or name in self.drawn_bands:
            return
        instead = "".join(f", or use {option('band', repr(each))}" for each in self.drawn_bands)
        raise ParameterError(
            f"{option('seed')} is for bands that are resampled, but the band {name} of "
            f"{type(self).__name__} is not: leave {option('seed')} out{instead}."
        )

    @abstractmethod
    def gaps(self, pairs: Pairs) -> Gaps:
        """The gaps between predictions and the curve, from which errors are computed."""

    def cell_gaps(self, pairs: Pairs) -> "CellGaps":
        """The gaps of the cells that replicates use."""
        return self.gaps(pairs).cells

    @abstractmethod
    def columns(self, pairs: Pairs) -> Numbers:
        """The cell of each row, among the cells that replicates of `gaps` use."""

    @abstractmethod
    def estimate(self, pairs: Pairs) -> Callable[[Float], Float]:
        """The curve as a function of q."""

    @abstractmethod
    def fit(
        self, pairs: Pairs, level: float = 0.95, band: str | None = None, seed: int = 0
    ) -> Curve:
        """Fit the curve, with a band at `level`; resampled bands use `seed`."""


def signature_of(estimator: Estimator, pairs: Pairs, band: str, level: float, seed: int = 0) -> str:
    """The signature of a curve; a seed of 0, or one that the band does not use, is omitted."""
    used = seed if band in estimator.drawn_bands else 0
    how = (band, f"level={level:g}", *([f"seed={used}"] if used else []))
    return signature(repr(estimator), pairs, *how)


def support_of(pairs: Pairs) -> tuple[float, float]:
    """The smallest and the largest prediction."""
    return float(pairs.q.min()), float(pairs.q.max())


def distribution_of(pairs: Pairs) -> Float:
    """The weight of q in each of CELLS cells of equal width, cached for these pairs."""
    return pairs.remember("distribution", lambda: _distribution(pairs))


def _distribution(pairs: Pairs) -> Float:
    if pairs.weight is None and len(pairs) >= LARGE:
        from calibrant.kernels.calibration.bins.uniform import count_cells

        return count_cells(pairs.q, CELLS).astype(np.float64)
    at = np.minimum((pairs.tally.q * CELLS).astype(np.int64), CELLS - 1)
    return sum_by(at, pairs.tally.weight, CELLS)
