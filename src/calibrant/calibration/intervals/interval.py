"""What every interval is."""

from abc import ABC, abstractmethod
from typing import Any, ClassVar, Protocol

from calibrant.calibration.gaps.evidence import Gaps, Losses
from calibrant.calibration.gaps.norms import Placed
from calibrant.results.naming import Named

MOST = 100_000  # replicates: all are held in memory, and more would not be seen in a limit


class Scored(Protocol):
    """What an interval needs to know of a calibration error."""

    norm: ClassVar[Placed]

    def scale(self, total: float) -> float:
        """From the sum over bins to the scale the score is reported on."""


class Interval(Named, ABC, abstract=True):
    """A way to an interval for a score."""

    kind: ClassVar[str] = "interval"

    holds_value: ClassVar[bool] = True  # whether it is stretched to the value, if need be

    def around(
        self,
        value: float,
        score: Any,  # noqa: ANN401
        evidence: Gaps | Losses,
        level: float,
    ) -> tuple[float, float]:
        """Low and high end at `level`, for a score of this value."""
        low, high = self.limits(score, evidence, level)
        return (min(low, value), max(high, value)) if self.holds_value else (low, high)

    @abstractmethod
    def limits(self, score: Any, evidence: Gaps | Losses, level: float) -> tuple[float, float]:  # noqa: ANN401
        """Low and high end at `level`."""
