"""`Slices`: how well predictions are calibrated in each slice of the data."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from calibrant.calibration.slicing.cuts import Parts, rows_of
from calibrant.checks.arrays import Label
from calibrant.pairs import Pairs
from calibrant.results.digits import decimals_of, fixed, p_cell
from calibrant.results.estimate import Estimate, effective_text
from calibrant.results.tabular import Tabular, count_text, html_table, without_empty_columns
from calibrant.results.verdict import Verdict
from calibrant.results.wording import counted, joined

if TYPE_CHECKING:
    import polars

NAMED = 3  # slices named in the sentence


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Slice:
    """One slice: its rows, what was measured there, and what was tested.

    Attributes
    ----------
    parts
        The part of each column that the slice lies in.
    whole
        The pairs of which it is a slice.
    n, effective
        The number of pairs (their weight), and of groups of equal size that its groups are worth.
    groups
        The number of groups.
    excess
        Mean q − frequency of y = 1, with its interval: above 0, predictions are too high.
    score
        The score, with its interval; None if it could not be computed.
    verdict
        The test of calibration in this slice; None if it was not tested.
    adjusted
        Its p-value, adjusted for the number of slices; None if it was not tested.
    p_rest, adjusted_rest
        The p-value of "calibrated as the rest is", and the same adjusted for the number of
        slices; None if it was not tested.
    detectable
        The smallest error (all frequencies too low, or too high, by this much) that the test would
        have found with 80 % power at its adjusted level. Infinite if no error can be found.
    reason
        Why the slice was not tested, or not compared with the rest; empty if it was.
    """

    parts: Parts
    whole: Pairs
    n: float
    groups: int
    effective: float
    excess: Estimate
    score: Estimate | None = None
    verdict: Verdict | None = None
    adjusted: float | None = None
    p_rest: float | None = None
    adjusted_rest: float | None = None
    detectable: float | None = None
    reason: str = ""

    @property
    def name(self) -> str:
        """The slice in words: `genre = news, length = 1 to 12`."""
        return ", ".join(map(str, self.parts))

    @property
    def where(self) -> dict[str, str]:
        """The value of each column, by its name."""
        return {part.cut.column: part.label for part in self.parts}

    @property
    def rows(self) -> NDArray[np.int64]:
        """The rows of the source, counted from 0, in ascending order."""
        return rows_of(self.parts)

    @property
    def pairs(self) -> Pairs:
        """The pairs of the slice, which remember their rows; they are selected anew each time."""
        return pairs_of(self.whole, self.parts)

    @property
    def tested(self) -> bool:
        """Whether the slice was large enough for a test."""
        return self.verdict is not None

    @property
    def p_value(self) -> float | None:
        """The p-value of "calibrated here", not adjusted; None if it was not tested."""
        return None if self.verdict is None else self.verdict.p_value

    def __repr__(self) -> str:
        p = "not tested" if self.adjusted is None else f"adjusted p {p_cell(self.adjusted)}"
        return f"<Slice {self.name}: {counted(self.n, 'pair')}, {p}>"

    def to_dict(self) -> dict[str, Any]:
        """All numbers by name; those that do not exist are None."""
        e, score = self.excess, self.score
        return {
            "slice": self.name,
            "n": int(self.n) if float(self.n).is_integer() else self.n,
            "groups": self.groups,
            "effective": self.effective,
            "excess": e.value,
            "excess_low": e.low,
            "excess_high": e.high,
            "score": None if score is None else score.score,
            "value": None if score is None else score.value,
            "low": None if score is None else score.low,
            "high": None if score is None else score.high,
            "p_value": self.p_value,
            "adjusted": self.adjusted,
            "p_rest": self.p_rest,
            "adjusted_rest": self.adjusted_rest,
            "detectable": self.detectable,
            "reason": self.reason,
        }


def positions(whole: Pairs, parts: Parts) -> NDArray[np.int64]:
    """The positions of the pairs whose rows of the source lie in all parts."""
    rows = rows_of(parts)
    if whole.origin is None:
        return rows
    inside = np.zeros(parts[0].cut.codes.size, bool)
    inside[rows] = True
    return np.flatnonzero(inside[whole.origin])


def pairs_of(whole: Pairs, parts: Parts) -> Pairs:
    """The pairs whose rows of the source lie in all parts."""
    return whole.take(positions(whole, parts))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Slices(Tabular):
    """What was measured in every slice, the worst first.

    First come slices with significant miscalibration, the largest score first; then the others by
    their p-value; then those that could not be tested, with the reason.

    Attributes
    ----------
    slices
        The slices, the worst first.
    level
        The level of the intervals; 1 − level is the chance of any false alarm among all slices.
    looked_at
        How many slices were tested, for which the p-values are adjusted.
    searched
        How many slices a search looked at, in the other half of the groups; 0 without a search.
    signature
        What reproduces the numbers, in one line.
    left_out
        Columns that a search left out, with the reason.
    """

    slices: tuple[Slice, ...]
    level: float
    looked_at: int
    signature: str
    left_out: Mapping[str, str] = field(default_factory=dict)
    searched: int = 0

    def __iter__(self) -> Iterator[Slice]:
        return iter(self.slices)

    def __len__(self) -> int:
        return len(self.slices)

    def __getitem__(self, key: int | Label) -> Slice:
        """A slice by its place, or by its name."""
        if isinstance(key, int):
            return self.slices[key]
        for each in self.slices:
            if each.name == key:
                return each
        raise KeyError(key)

    @property
    def miscalibrated(self) -> tuple[Slice, ...]:
        """The slices with significant miscalibration, by their adjusted p-values."""
        alpha = 1 - self.level
        return tuple(s for s in self if s.adjusted is not None and s.adjusted < alpha)

    @property
    def different(self) -> tuple[Slice, ...]:
        """The slices that differ significantly from the rest, by their adjusted p-values."""
        alpha = 1 - self.level
        return tuple(s for s in self if s.adjusted_rest is not None and s.adjusted_rest < alpha)

    @property
    def sentence(self) -> str:
        """What was found, in one or two sentences."""
        tested = [each for each in self if each.tested]
        if not tested:
            return f"None of {counted(len(self), 'slice')} is large enough to be tested."
        return f"{self._found()} {self._silence(tested)}".rstrip()

    def _found(self) -> str:
        bad, many = self.miscalibrated, counted(self.looked_at, "slice")
        if self.searched:
            many = f"the worst {self.looked_at} of {counted(self.searched, 'slice')}"
        if not bad:
            return f"No miscalibration is significant among {many}, adjusted for looking at all."
        names = [_quoted(each) for each in bad[:NAMED]]
        names += [f"{len(bad) - NAMED} more"] * (len(bad) > NAMED)
        verb = "is" if len(bad) == 1 else "are"
        return f"{joined(names)} {verb} miscalibrated ({many} tested, p-values adjusted)."

    def _silence(self, tested: list[Slice]) -> str:
        """How large an error the slices without a finding may hide."""
        bad = {id(each) for each in self.miscalibrated}
        quiet = [each.detectable for each in tested if id(each) not in bad]
        sizes = sorted(size for size in quiet if size is not None)
        if not sizes:
            return ""
        which = "In the other slices, an" if bad else "An"
        low, high = (_detectable(size) for size in (sizes[0], sizes[-1]))
        if sizes[-1] > 1:
            return f"{which} error can go unnoticed: some slices are too small to show any."
        reach = low if low == high else f"{low} to {high}, depending on the slice"
        return f"{which} error can go unnoticed if it is smaller than {reach}."

    def table(self) -> tuple[list[str], list[list[str]]]:
        """Header and rows as text."""
        level = f"{100 * self.level:g} % interval"
        score = next((s.score.score for s in self if s.score is not None), "score")
        header = ["slice", "n", "groups", "effective", "mean q − frequency", level]
        header += [score, level, "adjusted p", "adjusted p, rest", "detectable"]
        rows = [_cells(each) for each in self]
        header, rows = without_empty_columns([*header, "not tested"], rows)
        return header, rows

    def __str__(self) -> str:
        return f"{self.render()}\n\n{self.sentence}"

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return html_table(*self.table(), note=self.sentence)

    @property
    def note(self) -> str:
        """The line that notebooks show above the table."""
        return self.signature

    def to_dicts(self) -> list[dict[str, Any]]:
        """One record per slice."""
        rest = {"level": self.level, "looked_at": self.looked_at, "signature": self.signature}
        return [each.to_dict() | rest for each in self]

    def to_frame(self) -> "polars.DataFrame":
        """One row per slice, the worst first."""
        import polars

        return polars.DataFrame(self.to_dicts(), infer_schema_length=None)


def _quoted(each: Slice) -> str:
    return f"“{each.name}”"


def _cells(each: Slice) -> list[str]:
    score = each.score
    return [
        each.name,
        count_text(each.n),
        str(each.groups or ""),
        effective_text(each.effective) if each.effective else "",
        each.excess.text("value"),
        each.excess.interval,
        "" if score is None else score.text("value"),
        "" if score is None else score.interval,
        *("" if p is None else p_cell(p) for p in (each.adjusted, each.adjusted_rest)),
        _detectable(each.detectable),
        each.reason,
    ]


def _detectable(size: float | None) -> str:
    if size is None:
        return ""
    return fixed(size, decimals_of([size])) if size <= 1 else "none"
