"""What every test is."""

from abc import ABC, abstractmethod
from typing import Any, ClassVar

from calibrant.checks.parameters import whole_number
from calibrant.errors import UnsupportedError
from calibrant.pairs import Pairs
from calibrant.results.estimate import signature
from calibrant.results.naming import Named
from calibrant.results.verdict import Verdict, check_groups

REPLICATES = 1999


class Hypothesis(Named, ABC, abstract=True):
    """A test that a calibrated model produced the data."""

    kind: ClassVar[str] = "test"

    def __call__(self, pairs: Pairs) -> Verdict:
        """Test these pairs."""
        if pairs.codes is not None:
            check_groups(pairs.groups)
        if pairs.moments is not None:
            raise UnsupportedError("Compressed pairs have lost their ties: test the pairs.")
        statistic, p_value, how = self.evaluate(pairs)
        signed = signature(self.spelled(), pairs)
        p_value = min(max(p_value, 0.0), 1.0)
        return Verdict(repr(self), statistic, p_value, how, pairs.n, pairs.groups, signed)

    @abstractmethod
    def evaluate(self, pairs: Pairs) -> tuple[float, float, str]:
        """The statistic, the p-value and how it was worked out."""


def check_replicates(test: Any) -> None:  # noqa: ANN401
    """Keep replicates and seed as plain numbers."""
    object.__setattr__(test, "replicates", whole_number("replicates", test.replicates, 99, 100_000))
    object.__setattr__(test, "seed", whole_number("seed", test.seed, 0, 2**63 - 1))
