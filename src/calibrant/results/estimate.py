"""`Estimate`: a value with its interval and signature; `Estimates`: a table of them."""

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol

from calibrant.results.digits import decimals_of, fixed, limit_text
from calibrant.results.tabular import Tabular, count_text, without_empty_columns
from calibrant.version import __version__

if TYPE_CHECKING:
    import polars

WHOLE = 100  # effective groups: above it a decimal says nothing


class Sample(Protocol):
    """Data that a signature describes: how many observations, groups and effective groups."""

    @property
    def n(self) -> float: ...  # noqa: D102
    @property
    def groups(self) -> int: ...  # noqa: D102
    @property
    def effective_groups(self) -> float: ...  # noqa: D102


def effective_text(number: float) -> str:
    """An effective number of groups with one decimal, or none if it is large."""
    return f"{number:.1f}" if number < WHOLE else f"{number:.0f}"


def signature(what: str, of: Sample, *how: str) -> str:
    """Describe in one line what was computed, from how many pairs, how, and by which version."""
    groups = []
    if of.groups:
        kind = "groups" if getattr(of, "folds", None) is None else "folds"
        groups = [f"{kind}={of.groups}", f"effective={effective_text(of.effective_groups)}"]
    return "|".join([what, f"n={count_text(of.n)}", *groups, *how, f"calibrant={__version__}"])


@dataclass(frozen=True, slots=True, repr=False)
class Estimate:
    """A score's value, its interval, and the signature that reproduces both.

    Attributes
    ----------
    score
        The printed form of the score.
    value
        Its value, which `float(estimate)` also returns.
    low
        Lower end of the interval; None if no interval was computed.
    high
        Upper end of the interval.
    level
        The confidence level of the interval.
    n
        The number of pairs.
    groups
        The number of groups; 0 if the pairs have no groups.
    plugin
        The plug-in value of a calibration error; None for other scores.
    too_small
        The number of bins that were too small to be debiased.
    signature
        Score, interval, level, n, groups, effective groups and version, in one line.
    effective
        How many groups of equal size the groups are worth, 1 / Σ share²; 0 if there are none.
    """

    score: str
    value: float
    low: float | None
    high: float | None
    level: float
    n: float
    groups: int
    plugin: float | None
    too_small: int
    signature: str
    effective: float = 0.0

    def __float__(self) -> float:
        return self.value

    def __str__(self) -> str:
        return f"{self.score} {self.text('value')}" + (f" {self.interval}" if self.interval else "")

    def __repr__(self) -> str:
        return f"<{self} | {self.signature}>"

    def turned(self) -> "Estimate":
        """The difference the other way round: b − a instead of a − b."""
        low, high = (None if each is None else -each for each in (self.high, self.low))
        names = " − ".join(reversed(self.score.split(" − ")))
        return replace(self, score=names, value=-self.value, low=low, high=high)

    @property
    def interval(self) -> str:
        """The interval as text; empty if there is none."""
        return self.interval_text(self.decimals)

    def interval_text(self, decimals: int) -> str:
        """The interval with this number of decimals."""
        if self.low is None:
            return ""
        return f"[{self.text('low', decimals)}, {self.text('high', decimals)}]"

    def text(self, name: str, decimals: int | None = None) -> str:
        """Format a field (default: with the decimals that suit the estimate).

        Limits of an interval that excludes 0 are not shown as 0.
        """
        value, decimals = getattr(self, name), self.decimals if decimals is None else decimals
        if name in ("low", "high") and self._excludes_0:
            return limit_text(value, decimals)
        return fixed(value, decimals)

    @property
    def _excludes_0(self) -> bool:
        """Whether there is an interval on one side of 0."""
        return self.low is not None and self.high is not None and (self.low > 0 or self.high < 0)

    @property
    def decimals(self) -> int:
        """How many decimals to print for the value and its interval."""
        width = None if self.low is None or self.high is None else self.high - self.low
        return decimals_of((self.value, self.high, self.plugin), width)

    def _repr_html_(self) -> str:
        return Estimates([self])._repr_html_()

    def to_dict(self) -> dict[str, Any]:
        """All fields by name."""
        return asdict(self) | {"n": int(self.n) if float(self.n).is_integer() else self.n}

    def to_frame(self) -> "polars.DataFrame":
        """A polars frame of one row."""
        return Estimates([self]).to_frame()


class Estimates(Tabular, tuple[Estimate, ...]):
    """Several estimates, shown as a table."""

    __slots__ = ()

    def __new__(cls, estimates: Iterable[Estimate]) -> "Estimates":
        """Collect estimates."""
        return super().__new__(cls, estimates)

    def __iter__(self) -> Iterator[Estimate]:
        return super().__iter__()

    def table(self) -> tuple[list[str], list[list[str]]]:
        """Header and rows as text."""
        levels = {estimate.level for estimate in self}
        level = f"{100 * levels.pop():g} % interval" if len(levels) == 1 else "interval"
        header = ["score", "value", level, "plug-in", "n", "groups", "effective"]
        rows = [
            [
                e.score,
                e.text("value"),
                e.interval,
                e.text("plugin"),
                count_text(e.n),
                str(e.groups or ""),
                effective_text(e.effective) if e.effective else "",
            ]
            for e in self
        ]
        return without_empty_columns(header, rows, always=header[:2])

    def __repr__(self) -> str:
        return self.render()

    @property
    def signature(self) -> str:
        """The signatures of the estimates, one line each."""
        return "\n".join(estimate.signature for estimate in self)

    @property
    def note(self) -> str:
        """The line that notebooks show above the table."""
        return self[0].signature if len(self) == 1 else ""

    def to_frame(self) -> "polars.DataFrame":
        """One row per estimate."""
        import polars

        return polars.DataFrame([estimate.to_dict() for estimate in self])
