"""How wide predicted intervals are: from quantiles, draws, or normal distributions."""

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Float = NDArray[np.float64]
SAME = 1e-9  # levels closer than this are equal: 0.95 and 1 − 0.05 differ by rounding


class Sharpness(ABC):
    """How wide predictions are."""

    @abstractmethod
    def width(self, level: float) -> float:
        """The mean width of the central interval at this level; NaN if it is unknown."""


@dataclass(frozen=True, eq=False)
class OfQuantiles(Sharpness):
    """Predicted quantiles, a column per level."""

    levels: Float
    quantiles: Float

    def column(self, level: float) -> int | None:
        """The column of a level, or None."""
        k = int(np.argmin(np.abs(self.levels - level)))
        return k if abs(self.levels[k] - level) < SAME else None

    def width(self, level: float) -> float:
        """The mean distance between the two quantiles."""
        low, high = self.column((1 - level) / 2), self.column((1 + level) / 2)
        if low is None or high is None:
            return float("nan")
        return float(np.mean(self.quantiles[:, high] - self.quantiles[:, low]))

    def central(self) -> list[float]:
        """The levels whose two ends were both predicted."""
        lower = [each for each in self.levels if each < 0.5]
        return [
            1 - 2 * float(each) for each in reversed(lower) if self.column(1 - each) is not None
        ]


@dataclass(frozen=True, eq=False)
class OfDraws(Sharpness):
    """Draws, a row per observation."""

    samples: Float

    def width(self, level: float) -> float:
        """The distance between two quantiles of the draws; the k-th draw is at level k/(S + 1)."""
        tail = (1 - level) / 2
        if tail < 1 / (self.samples.shape[1] + 1) - SAME:
            return float("nan")
        low, high = np.quantile(self.samples, [tail, 1 - tail], axis=1, method="weibull")
        return float(np.mean(high - low))


@dataclass(frozen=True, eq=False)
class OfNormals(Sharpness):
    """Normal distributions with these standard deviations."""

    sd: Float

    def width(self, level: float) -> float:
        """2 z times the mean standard deviation."""
        from calibrant.calibration.groups.few_groups import normal_quantile

        return 2 * normal_quantile(level) * float(self.sd.mean())
