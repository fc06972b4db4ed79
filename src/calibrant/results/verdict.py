"""`Verdict`: the result of a test, and `Verdicts`: several, as a table."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibrant.errors import UnsupportedError
from calibrant.results.digits import p_cell, p_text
from calibrant.results.estimate import Sample
from calibrant.results.tabular import Tabular
from calibrant.results.wording import counted

if TYPE_CHECKING:
    import polars

Float = NDArray[np.float64]
FEWEST = 10  # groups: with fewer, the variance between groups is too uncertain
STRONG = 0.01  # p-values below it are strong evidence
SOME = 0.05  # p-values below it are evidence, by the usual convention
RARE = 0.05  # per cent of samples: smaller percentages are reported as a bound
ROUNDING = 1e-12  # replicates that are smaller by rounding alone count as equal to the data
CERTAINTY = "certainty"  # the method of an exact p-value of 0 or 1


class Finding(NamedTuple):
    """The statistic of a test, its p-value and method, and the smallest p-value possible."""

    statistic: float
    p_value: float
    how: str
    least: float = 0.0


@dataclass(frozen=True, slots=True)
class Verdict:
    """The result of a test of calibration.

    Attributes
    ----------
    test
        The printed form of the test.
    statistic
        Its statistic.
    p_value
        How often a calibrated model would show a statistic at least this large.
    how
        How the p-value was computed.
    n
        The number of pairs, or of observations.
    groups
        The number of groups; 0 if there are none.
    signature
        Test, n, groups and version, in one line.
    least
        The smallest p-value that the test can give: 1/(replicates + 1) if it resamples, else 0.
    """

    test: str
    statistic: float
    p_value: float
    how: str
    n: float
    groups: int
    signature: str
    least: float = 0.0

    def __float__(self) -> float:
        return self.p_value

    @property
    def p_text(self) -> str:
        """The p-value in words: `p = 0.250`, `p < 1e-9`, or `p ≤ 0.0005` if resampled."""
        return p_text(self.p_value, self.least)

    @property
    def sentence(self) -> str:
        """The meaning of the result, in one sentence."""
        if self.p_value == 0 and self.how.endswith(CERTAINTY):
            return "Certain miscalibration: something happened that had been given probability 0."
        return (
            f"{self._evidence} of miscalibration: a calibrated model would look this wrong in "
            f"{self._share} of samples."
        )

    @property
    def _evidence(self) -> str:
        if self.p_value < STRONG:
            return "Strong evidence"
        return "Evidence" if self.p_value < SOME else "No evidence"

    @property
    def _share(self) -> str:
        """The p-value as a percentage."""
        percent = 100 * self.p_value
        if percent < RARE:
            return f"less than {RARE:g} %"
        share = f"{percent:.0f} %" if percent >= 9.5 else f"{percent:.1g} %"
        return f"at most {share}" if self.p_value <= self.least else share

    def __str__(self) -> str:
        return f"{self.test}: {self.p_text}. {self.sentence}"

    def _repr_html_(self) -> str:
        return f"<p><code>{self.test}</code>: {str(self).split(': ', 1)[1]}</p>"

    def to_dict(self) -> dict[str, Any]:
        """All fields by name."""
        return {
            "test": self.test,
            "statistic": self.statistic,
            "p_value": self.p_value,
            "sentence": self.sentence,
            "how": self.how,
            "n": int(self.n) if float(self.n).is_integer() else self.n,
            "groups": self.groups,
            "signature": self.signature,
        }

    def to_frame(self) -> "polars.DataFrame":
        """A polars frame of one row."""
        import polars

        return polars.DataFrame([self.to_dict()])


class Verdicts(Tabular, tuple[Verdict, ...]):
    """Several verdicts on the same pairs, shown as a table."""

    __slots__ = ()

    def __new__(cls, verdicts: Iterable[Verdict]) -> "Verdicts":
        """Collect verdicts."""
        return super().__new__(cls, verdicts)

    def __iter__(self) -> Iterator[Verdict]:
        return super().__iter__()

    @property
    def signature(self) -> str:
        """What reproduces the verdicts, one line each."""
        return "\n".join(verdict.signature for verdict in self)

    @property
    def note(self) -> str:
        """What notebooks show above the table."""
        return self[0].signature if len(self) == 1 else ""

    def table(self) -> tuple[list[str], list[list[str]]]:
        """Header and rows as text."""
        rows = [[v.test, f"{v.statistic:.3f}", p_cell(v.p_value, v.least), v.how] for v in self]
        return ["test", "statistic", "p", "by"], rows

    def __repr__(self) -> str:
        return self.render()

    def to_frame(self) -> "polars.DataFrame":
        """One row per verdict."""
        import polars

        return polars.DataFrame([verdict.to_dict() for verdict in self])


def judge(test: str, found: Finding, of: Sample, signature: str) -> Verdict:
    """Turn the finding of a test on this sample into a verdict."""
    if not found.p_value >= 0:  # NaN as well
        raise UnsupportedError(f"{test} has no p-value for these data: their variance is unknown.")
    p_value = min(found.p_value, 1.0)
    return Verdict(
        test=test,
        statistic=found.statistic,
        p_value=p_value,
        how=found.how,
        n=of.n,
        groups=of.groups,
        signature=signature,
        least=found.least,
    )


def certain(wrong: bool) -> Finding:
    """The finding for predictions of only 0 and 1: p is 0 if any is wrong, else 1."""
    return Finding(np.inf, 0.0, CERTAINTY) if wrong else Finding(0.0, 1.0, CERTAINTY)


def resampled(statistic: float, drawn: Float, observed: float, how: str) -> Finding:
    """The finding of a resampling test: p is the share of replicates at least as large."""
    return Finding(statistic, share_beyond(drawn, observed), how, least=1 / (1 + drawn.size))


def check_groups(groups: int, fewest: int = FEWEST) -> None:
    """Refuse a test over too few groups to estimate how much they vary."""
    if groups < fewest:
        be = "is" if groups == 1 else "are"
        raise UnsupportedError(
            f"There {be} only {counted(groups, 'group')}, too few to estimate how much groups "
            f"vary (at least {fewest} are needed)."
        )


def share_beyond(drawn: Float, observed: float) -> float:
    """The share of replicates at least as large, with the data counted as one of them."""
    return float((1 + np.sum(drawn >= observed * (1 - ROUNDING))) / (1 + drawn.size))
