"""`Counts`: how many, for each category and in total, with intervals."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from calibrant.calibration.counting.contrasts import Contrast, difference, trend
from calibrant.errors import UnknownName
from calibrant.results.digits import decimals_of, fixed
from calibrant.results.tabular import Tabular, count_text, html_table, without_empty_columns

if TYPE_CHECKING:
    import polars

Float = NDArray[np.float64]
TOTAL = "total"


@dataclass(frozen=True, slots=True)
class Count:
    """How many yes answers one category has.

    Attributes
    ----------
    name
        The category, or "total".
    asked
        The number of questions: the denominator of shares.
    naive
        The number of best guesses that are yes; None if they are not known.
    expected
        The sum of the model's probabilities.
    count, count_low, count_high
        The estimated number of yes answers, with its interval.
    share, low, high
        The same as a share of the questions. None if there are too few labels to tell.
    labels
        How many labelled rows are behind it.
    effective
        How many labelled units of equal weight it is worth; 0 if it needs no labels.
    calibration
        What the labels say about the model's mean error: "rejected", "cannot tell", "not rejected".
    bias
        The mean of the model's probability minus the truth on the labels; None without any.
    """

    name: str
    asked: float
    naive: float | None
    expected: float
    count: float | None
    count_low: float | None
    count_high: float | None
    share: float | None
    low: float | None
    high: float | None
    labels: int
    effective: float
    calibration: str
    bias: float | None

    @property
    def naive_share(self) -> float | None:
        """The naive count as a share of the questions."""
        return None if self.naive is None or not self.asked else self.naive / self.asked

    def to_dict(self) -> dict[str, Any]:
        """All numbers by name."""
        return asdict(self) | {"naive_share": self.naive_share}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Counts(Tabular):
    """How many, by category and in total.

    Index it by name: `counts["2019-03"]`, `counts["total"]`.

    Attributes
    ----------
    rows
        A `Count` for each category, in their order, and the total last.
    by
        What the categories are of; "" without any.
    estimator
        "posterior", "rectified", "recalibrated" or "shifted".
    assumption
        What must hold for the intervals to be right, in one sentence.
    target
        "collection" if counts are those of these very units, "population" if shares are those of
        the population that the groups are a sample of.
    level
        The level of the intervals.
    covariance
        That of the errors of all shares, the total last; differences and trends use it.
    warnings
        What deserves attention.
    signature
        What reproduces the numbers, in one line.
    """

    rows: tuple[Count, ...]
    by: str
    estimator: str
    assumption: str
    target: str
    level: float
    covariance: Float
    signature: str
    warnings: tuple[str, ...] = ()
    times: tuple[float, ...] = field(default=())  # of periods, in years; empty without dates

    def __iter__(self) -> Iterator[Count]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, name: str | int) -> Count:
        """A row by its name, or by its place."""
        return self.rows[name if isinstance(name, int) else self._place(name)]

    def _place(self, name: str) -> int:
        names = [each.name for each in self.rows]
        if name not in names:
            raise UnknownName("category", str(name), names)
        return len(names) - 1 - names[::-1].index(name) if name == TOTAL else names.index(name)

    @property
    def total(self) -> Count:
        """All categories together."""
        return self.rows[-1]

    @property
    def categories(self) -> tuple[Count, ...]:
        """The rows without the total; the total alone if there are no categories."""
        return self.rows[:-1] if len(self.rows) > 1 else self.rows

    def difference(self, one: str, other: str) -> Contrast:
        """The share of one category minus that of another.

        The interval knows that both rest on the same labels, or on the same map.
        """
        return difference(self, self._place(one), self._place(other))

    def trend(self) -> Contrast:
        """By how much the share changes per category, or per year if categories are periods.

        It is the slope of a weighted regression line through the shares, whose weights are the
        numbers of questions. Rows that cannot be estimated are left out.
        """
        return trend(self)

    @property
    def sentence(self) -> str:
        """The total in words, and what it assumes."""
        e = self.total
        if e.share is None:
            return f"There are too few labels to tell. {self.assumption}"
        width = None if e.low is None or e.high is None else e.high - e.low
        digits = decimals_of([e.share], width)
        share = f"a share of {fixed(e.share, digits)}"
        limits = ""
        if e.low is not None and e.high is not None:
            limits = f" [{fixed(e.low, digits)}, {fixed(e.high, digits)}]"
        many = "" if e.count is None else f"{e.count:.0f} of {count_text(e.asked)}, "
        return f"{self.estimator.capitalize()}: {many}{share}{limits}. {self.assumption}"

    def table(self) -> tuple[list[str], list[list[str]]]:
        """Header and rows as text."""
        level = f"{100 * self.level:g} % interval"
        header = [self.by or "", "asked", "naive", "expected", "count", level]
        header += ["naive share", "share", level, "labels", "calibration"]
        widths = [r.high - r.low for r in self.rows if r.low is not None and r.high is not None]
        digits = decimals_of([], float(np.median(widths)) if widths else None)
        if self.target == "population":
            header[4] = header[5] = ""
        rows = [_cells(each, digits) for each in self.rows]
        return without_empty_columns(header, rows, always=[self.by or "", "share"])

    def __str__(self) -> str:
        told = [f"Warning: {each}" for each in self.warnings]
        return "\n".join([self.render(), "", self.sentence, *told])

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return html_table(*self.table(), note=" ".join([self.sentence, *self.warnings]))

    @property
    def note(self) -> str:
        """The line that notebooks show above the table."""
        return self.signature

    def to_dicts(self) -> list[dict[str, Any]]:
        """One record per row."""
        rest = {
            "estimator": self.estimator,
            "target": self.target,
            "level": self.level,
            "signature": self.signature,
        }
        return [each.to_dict() | rest for each in self.rows]

    def to_dict(self) -> dict[str, Any]:
        """Everything by name."""
        return {
            "by": self.by,
            "assumption": self.assumption,
            "warnings": list(self.warnings),
            "rows": self.to_dicts(),
        }

    def to_frame(self) -> "polars.DataFrame":
        """One row per category, the total last."""
        import polars

        return polars.DataFrame(self.to_dicts(), infer_schema_length=None)


def _cells(each: Count, digits: int) -> list[str]:
    def whole(value: float | None) -> str:
        return "" if value is None else f"{value:.0f}"

    def pair(low: float | None, high: float | None, show: Any) -> str:  # noqa: ANN401
        return "" if low is None or high is None else f"[{show(low)}, {show(high)}]"

    def share(value: float | None) -> str:
        return "–" if value is None else fixed(value, digits)

    return [
        each.name,
        count_text(each.asked),
        whole(each.naive),
        whole(each.expected),
        whole(each.count),
        pair(each.count_low, each.count_high, whole),
        "" if each.naive_share is None else share(each.naive_share),
        share(each.share),
        pair(each.low, each.high, share),
        str(each.labels or ""),
        each.calibration,
    ]
