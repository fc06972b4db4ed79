"""What results with columns share: a table, a frame, and a form for notebooks."""

from abc import abstractmethod
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from calibrant.results.tabular import Tabular

if TYPE_CHECKING:
    import polars


class Columns(Tabular):
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
        texts = [_texts(column) for column in columns.values()]
        return list(columns), [list(row) for row in zip(*texts, strict=True)]

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.signature}>\n{self}"

    @property
    def note(self) -> str:
        """What notebooks show above the table."""
        return self.signature


def _texts(column: NDArray[Any]) -> list[str]:
    """Whole numbers as they are, others with as many decimals as the column deserves."""
    if column.dtype.kind in "iu":
        return [str(value) for value in column.tolist()]
    size = np.abs(column[np.isfinite(column)]).max(initial=0.0)
    decimals = 3 if size < 10 else 1
    return ["" if np.isnan(value) else f"{value:.{decimals}f}" for value in column.tolist()]
