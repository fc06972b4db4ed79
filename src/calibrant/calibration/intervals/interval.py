"""The interface of every interval."""

from abc import ABC, abstractmethod
from typing import ClassVar

from calibrant.calibration.gaps.evidence import Evidence
from calibrant.calibration.scores.score import Score
from calibrant.results.naming import Named

FEWEST = 100  # replicates: fewer do not reach the tails of an interval
MOST = 100_000  # replicates: all are held in memory, and more would not be seen in a limit


class Interval(Named, ABC, abstract=True):
    """A way to find an interval for a score."""

    kind: ClassVar[str] = "interval"

    holds_value: ClassVar[bool] = True  # whether it is extended to contain the value

    def around(
        self, value: float, score: Score, evidence: Evidence, level: float
    ) -> tuple[float, float]:
        """Lower and upper limit at `level`, for a score with this value."""
        low, high = self.limits(score, evidence, level)
        return holding(value, low, high) if self.holds_value else (low, high)

    def shown(self, value: float, low: float) -> float:
        """The value, or the lower limit if the data rule out the value."""
        return max(value, low) if self.holds_value else value

    @abstractmethod
    def limits(self, score: Score, evidence: Evidence, level: float) -> tuple[float, float]:
        """Lower and upper limit at `level`."""


def holding(value: float, low: float, high: float) -> tuple[float, float]:
    """Limits that contain the value.

    A lower limit above 0 stays there, even if the value is 0 or less after noise is removed: the
    data rule 0 out.
    """
    return (low if low > 0 >= value else min(low, value)), max(high, value)
