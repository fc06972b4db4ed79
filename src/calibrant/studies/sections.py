"""The results of a study: tables with named columns, figures, facts and findings."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from calibrant.results.estimate import Estimate
from calibrant.results.tabular import Tabular

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Cell = str | int | float | Estimate | None
Row = TypeVar("Row")


@dataclass(frozen=True, eq=False, repr=False)
class Section(Tabular, Generic[Row]):
    """One table of a study.

    Attributes
    ----------
    name
        The name of its file.
    title
        Its heading in the report.
    columns
        A mapping from attributes to column headings. An attribute may be nested ("compared.p").
        An attribute that is a mapping gives one column per key, which the heading includes
        ("F1, {}").
    rows
        Objects with these attributes.
    text
        The text above the table in the report.
    in_report
        Whether the report shows it; long tables are only written as files.
    only_files
        Further columns that only the files have, such as signatures.

    Examples
    --------
    >>> class City(NamedTuple):
    ...     name: str
    ...     people: dict[int, float]
    >>> rows = [City("Ghent", {2000: 0.22, 2020: 0.26})]
    >>> print(Section("cities", "Cities", {"name": "city", "people": "in {}"}, rows))
    city   in 2000  in 2020
    Ghent     0.22     0.26
    """

    name: str
    title: str
    columns: Mapping[str, str]
    rows: Sequence[Row]
    text: str = ""
    in_report: bool = True
    only_files: Mapping[str, str] = field(default_factory=dict)

    @property
    def header(self) -> tuple[str, ...]:
        """The headings of the columns."""
        if self.rows:
            return tuple(self._cells(self.rows[0], self.columns))
        return tuple(self.columns.values())

    def table(self) -> tuple[list[str], list[list[str]]]:
        """Header and rows as text; an estimate is its value and interval."""
        return list(self.header), [
            [_shown(cell) for cell in self._cells(row, self.columns).values()] for row in self.rows
        ]

    def records(self) -> list[dict[str, Any]]:
        """One dictionary per row; an estimate becomes several numbers."""
        return [
            {
                key: value
                for name, cell in self._cells(row, {**self.columns, **self.only_files}).items()
                for key, value in _numbers(name, cell).items()
            }
            for row in self.rows
        ]

    def _cells(self, row: Row, columns: Mapping[str, str]) -> dict[str, Cell]:
        found: dict[str, Cell] = {}
        for attribute, heading in columns.items():
            value = attrgetter(attribute)(row)
            if isinstance(value, Mapping):
                found |= {heading.format(key): each for key, each in value.items()}
            else:
                found[heading] = value
        return found


class Drawn(NamedTuple):
    """A figure of a study: its file name, its caption in the report, and its axes."""

    name: str
    words: str
    axes: "Axes"


@dataclass(frozen=True, eq=False)
class Draft:
    """The results of a study, before they are written."""

    title: str
    sections: Sequence[Section[Any]]
    findings: Sequence[str]
    facts: Mapping[str, Any]
    figures: Sequence[Drawn] = ()


@dataclass(frozen=True, eq=False)
class Study:
    """The results of a study, and the files it wrote."""

    sections: Sequence[Section[Any]]
    findings: Sequence[str]
    files: Sequence[Path] = field(default_factory=tuple)


def _shown(cell: Cell) -> str:
    if isinstance(cell, Estimate):
        return f"{cell.text('value')} {cell.interval}".strip()
    if isinstance(cell, float):
        return f"{cell:.4g}"
    return "" if cell is None else str(cell)


def _numbers(name: str, cell: Cell) -> dict[str, Any]:
    if not isinstance(cell, Estimate):
        return {name: cell}
    fields = {"": "value", " low": "low", " high": "high", " plug-in": "plugin"}
    return {name + ending: getattr(cell, field) for ending, field in fields.items()}
