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
        return (min(low, value), max(high, value)) if self.holds_value else (low, high)

    @abstractmethod
    def limits(self, score: Score, evidence: Evidence, level: float) -> tuple[float, float]:
        """Lower and upper limit at `level`."""
