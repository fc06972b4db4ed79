"""The interface of every test."""

from abc import ABC, abstractmethod
from typing import Any, ClassVar

from calibrant.calibration.groups.few_groups import warn_few
from calibrant.checks.parameters import whole_number
from calibrant.errors import UnsupportedError
from calibrant.pairs import Pairs
from calibrant.results.estimate import signature
from calibrant.results.naming import Named
from calibrant.results.verdict import FEWEST, Finding, Verdict, check_groups, judge
from calibrant.results.wording import counted

REPLICATES = 1999  # default: the smallest p-value is 0.0005, and one of 0.05 is known to ±0.01
FEWEST_REPLICATES = 99  # with fewer, no p-value can be below 0.01
MOST_REPLICATES = 100_000  # all of them are held in memory


class Hypothesis(Named, ABC, abstract=True):
    """A test that a calibrated model produced the data."""

    kind: ClassVar[str] = "test"

    def __call__(self, pairs: Pairs) -> Verdict:
        """Test these pairs."""
        pairs = pairs.tied
        _check_units(pairs)
        warn_few(pairs.effective_groups)
        signed = signature(self.spelled(), pairs)
        return judge(repr(self), self.evaluate(pairs), pairs, signed)

    @abstractmethod
    def evaluate(self, pairs: Pairs) -> Finding:
        """The statistic, the p-value and how it was computed."""


def _check_units(pairs: Pairs) -> None:
    """Check that there are enough groups, or weighted rows, to estimate a variance."""
    if pairs.codes is not None:
        check_groups(pairs.groups)
    elif not pairs.counted and len(pairs) < FEWEST:
        raise UnsupportedError(
            f"Importance weights need at least {FEWEST} rows to estimate how much rows vary, but "
            f"there {'is' if len(pairs) == 1 else 'are'} only {counted(len(pairs), 'row')}."
        )


def check_replicates(test: Any) -> None:  # noqa: ANN401
    """Check replicates and seed, and convert them to plain numbers."""
    replicates = whole_number("replicates", test.replicates, FEWEST_REPLICATES, MOST_REPLICATES)
    object.__setattr__(test, "replicates", replicates)
    object.__setattr__(test, "seed", whole_number("seed", test.seed, 0, 2**63 - 1))
