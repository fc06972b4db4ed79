"""The base class of results that are made of columns, with a table, a frame and HTML."""

from abc import abstractmethod
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from calibrant.results.digits import decimals_of, fixed
from calibrant.results.tabular import Tabular

if TYPE_CHECKING:
    import polars

LARGE = 10  # from here on values are counts, or widths in units of y: one decimal is enough


class ColumnTable(Tabular):
    """A result that is a table of named columns."""

    __slots__ = ()
    signature: str

    @abstractmethod
    def columns(self) -> dict[str, NDArray[Any]]:
        """The result as named columns."""

    def to_frame(self) -> "polars.DataFrame":
        """The result as a polars frame."""
        import polars

        return polars.DataFrame(self.columns())

    def table(self) -> tuple[list[str], list[list[str]]]:
        """Header and rows as text."""
        columns = self.columns()
        decimals = _decimals(columns)
        texts = [_texts(column, decimals) for column in columns.values()]
        return list(columns), [list(row) for row in zip(*texts, strict=True)]

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.signature}>\n{self}"

    @property
    def note(self) -> str:
        """The line that notebooks show above the table."""
        return self.signature


def _decimals(columns: dict[str, NDArray[Any]]) -> int:
    """Choose the number of decimals from the typical width of the intervals, if any."""
    if "low" not in columns or "high" not in columns:
        return decimals_of([])
    return decimals_of([], float(np.median(columns["high"] - columns["low"])))


def _texts(column: NDArray[Any], decimals: int) -> list[str]:
    """Format whole numbers as they are, large ones with one decimal, others with `decimals`."""
    if column.dtype.kind in "iu":
        return [str(value) for value in column.tolist()]
    size = np.abs(column[np.isfinite(column)]).max(initial=0.0)
    shown = decimals if size < LARGE else 1
    return ["" if np.isnan(value) else fixed(value, shown) for value in column.tolist()]
