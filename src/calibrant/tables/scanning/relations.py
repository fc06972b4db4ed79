"""Sum the rows of a relation of DuckDB, batch by batch.

DuckDB runs in this process, so its rows are here: the compiled loops that sum files sum them too,
faster than a query that groups by cells. NaN is looked for in the values, not in statistics.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant.errors import UnsupportedError
from calibrant.pairs.cell_sums import NO_GROUP
from calibrant.pairs.rows import Moments
from calibrant.tables.columns import Columns
from calibrant.tables.scanning.batches import ROWS
from calibrant.tables.scanning.streaming import Stream
from calibrant.tables.scanning.table_rows import (
    fault,
    in_engine,
    is_good,
    no_label,
    rated_rows,
)

if TYPE_CHECKING:
    import polars
    from narwhals import LazyFrame


def add_relation(frame: "LazyFrame[Any]", columns: Columns, stream: Stream) -> None:
    """Add all rows to a stream; refuse a table with wrong rows.

    The frame has floats y, q and perhaps weight, and a label if there are groups.
    """
    missing = bad = 0
    for rows in _batches(frame):
        stream.rows += rows.height
        labelled = _labelled(rows)
        missing += rows.height - labelled.height
        bad += _add(labelled, stream)
    if missing:
        raise no_label(columns, missing, stream.rows)
    if bad:
        raise fault(rated_rows(frame, columns), columns, bad, stream.rows)


def _batches(frame: "LazyFrame[Any]") -> Iterator["polars.DataFrame"]:
    """The rows as frames of polars."""
    import polars

    native: Any = frame.to_native()
    open_reader = getattr(native, "to_arrow_reader", None) or native.fetch_record_batch
    try:
        with in_engine(frame):
            reader = iter(open_reader(ROWS))
    except ImportError as error:
        raise UnsupportedError(
            'Relations of DuckDB are read through pyarrow: pip install "calibrant[duckdb]".'
        ) from error
    while True:
        with in_engine(frame):
            batch = next(reader, None)
        if batch is None:
            return
        found = polars.from_arrow(batch)
        assert isinstance(found, polars.DataFrame)
        yield found


def _labelled(rows: "polars.DataFrame") -> "polars.DataFrame":
    """The rows that have a group, if there are groups."""
    import polars

    if "label" not in rows.columns:
        return rows
    label = polars.col("label")
    if rows.schema["label"] == polars.String:
        return rows.filter(label.is_not_null() & (label != ""))
    return rows.filter(label.is_not_null())


def _add(rows: "polars.DataFrame", stream: Stream) -> int:
    """Add the rows that are right; returns how many are wrong."""
    values = {
        role: rows[role].fill_null(float("nan")).to_numpy()
        for role in ("y", "q", "weight")
        if role in rows.columns
    }
    slot = NO_GROUP
    if "label" in rows.columns:
        slot = stream.slots.number(rows["label"], stream.sums)
    if "weight" not in values:
        return stream.sums.add(values["y"], values["q"], slot).many
    good = np.all([is_good(role, each) for role, each in values.items()], axis=0)
    y, q, weight = (values[role][good] for role in ("y", "q", "weight"))
    slots = slot if slot is NO_GROUP else slot[good]
    stream.sums.add_means(y, q, weight, Moments(q * q, q * y), slots)
    return int((~good).sum())
