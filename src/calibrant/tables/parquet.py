"""Parquet files."""

import io
from dataclasses import dataclass
from typing import TYPE_CHECKING

from calibrant.tables.damage import readable
from calibrant.tables.sources import Source

if TYPE_CHECKING:
    import polars


@dataclass(frozen=True)
class Parquet:
    """A Parquet file."""

    source: Source

    def names(self) -> list[str]:
        """The column names in the schema."""
        import polars

        with readable(self.source):
            return list(polars.read_parquet_schema(io.BytesIO(self.source.data)))

    def header_hint(self, names: list[str]) -> str:
        """No hint: Parquet always has column names."""
        return ""

    def frame(self, wanted: list[str], rows: int | None = None) -> "polars.DataFrame":
        """Read columns with their types, from all rows or only the first ones."""
        import polars

        with readable(self.source):
            return polars.read_parquet(io.BytesIO(self.source.data), columns=wanted, n_rows=rows)

    def place(self, index: int) -> str:
        """The number of a row, counted from 1."""
        return f"row {index + 1}"
