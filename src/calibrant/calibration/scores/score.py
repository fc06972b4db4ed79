"""The interface of every score."""

from abc import ABC, abstractmethod
from typing import Any, ClassVar

from calibrant.calibration.gaps.evidence import Evidence
from calibrant.calibration.gaps.gaps import Gaps
from calibrant.calibration.gaps.norms import Placed
from calibrant.checks.parameters import real_number
from calibrant.errors import ParameterError
from calibrant.pairs import Pairs
from calibrant.results.naming import Named


class Score(Named, ABC, abstract=True):
    """A named function of pairs; smaller is better.

    A score first reduces pairs to `evidence`, from which its value, its plug-in value and any
    interval follow without the pairs. `above` and `below` restrict it to above < q ≤ below.
    """

    kind: ClassVar[str] = "score"
    above: float | None
    below: float | None

    @abstractmethod
    def evidence(self, pairs: Pairs) -> Evidence:
        """Extract what the value and its interval are computed from, for pairs in range."""

    @abstractmethod
    def value(self, evidence: Any) -> float:  # noqa: ANN401 - depends on the score
        """The value of the score."""

    def plugin(self, evidence: Any) -> float | None:  # noqa: ANN401 - likewise
        """The plug-in value, for scores that are debiased."""
        return None

    def __call__(self, pairs: Pairs) -> float:
        """The value for these pairs, without an interval."""
        return self.value(self.evidence(self.within(pairs)))

    def reaches(self, pairs: Pairs) -> bool:
        """Whether any pair lies within the range of the score."""
        above = pairs.q > (-1.0 if self.above is None else self.above)
        below = pairs.q <= (1.0 if self.below is None else self.below)
        return bool((above & below).any())

    def within(self, pairs: Pairs) -> Pairs:
        """The pairs the score is restricted to."""
        if self.above is None and self.below is None:
            return pairs
        return pairs.select(self.above, self.below)


class GapScore(Score, abstract=True):
    """A score that summarises the gaps between predictions and frequencies."""

    @property
    @abstractmethod
    def norm(self) -> Placed:
        """The norm that summarises the gaps."""

    @abstractmethod
    def evidence(self, pairs: Pairs) -> Gaps:
        """The gaps and their uncertainty."""

    def scale(self, total: float) -> float:
        """Convert the sum over bins to the scale of the reported score."""
        return total


def check_range(above: float | None, below: float | None) -> tuple[float | None, float | None]:
    """Check that a range of q is valid and not empty."""
    low = None if above is None else real_number("above", above)
    high = None if below is None else real_number("below", below)
    for name, value in (("above", low), ("below", high)):
        if value is not None and not 0 <= value <= 1:
            raise ParameterError(f"{name} must lie in [0, 1], but it is {value!r}.")
    if low is not None and high is not None and low >= high:
        raise ParameterError(f"above must be less than below, but above={low}, below={high}.")
    return low, high
