"""Which columns of a table a reader wants to see beside a prediction."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from calibrant.tables.predictions import Predictions, check_columns

if TYPE_CHECKING:
    import polars

MOST = 8  # columns to show if none is named
PLACES = ("begin", "end", "begin2", "end2")  # where in `text` the question is about


def shown_columns(read: Predictions, show: Sequence[str] | None) -> "polars.DataFrame":
    """The named columns, or those that hold text; with them the places to mark in `text`."""
    names = read.columns.columns
    if show is not None:
        check_columns(show, names, read.name)
        wanted = list(show)
    else:
        roles = set(read.roles.roles().values())
        wanted = [name for name in names if name not in roles and _is_text(read.columns[name])]
        wanted = [name for name in wanted if name not in PLACES][:MOST]
    marks = [name for name in PLACES if name in names] if "text" in wanted else []
    return read.columns.select(*dict.fromkeys([*wanted, *marks]))


def _is_text(column: "polars.Series") -> bool:
    """Whether a column holds text that is not the same, or a number, in every row."""
    import polars

    if isinstance(column.dtype, polars.List | polars.Struct):
        return True
    if column.dtype not in (polars.String, polars.Categorical, polars.Enum):
        return False
    text = column.cast(polars.String)
    if text.n_unique() == 1 and text.len() > 1:
        return False
    there = text.drop_nulls()
    return there.cast(polars.Float64, strict=False).null_count() > 0
