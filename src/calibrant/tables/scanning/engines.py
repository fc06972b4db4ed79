"""Sum the rows of tables that other engines hold: DuckDB, Dask, Spark, Ibis and the like.

The engine computes cells and folds with arithmetic that is exact in double precision, groups by
them and sums. Only the sums come here, so every engine gives the same numbers.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from calibrant.errors import InputError
from calibrant.pairs import Pairs
from calibrant.pairs.summary_size import MOST_GROUPS, finest_bits
from calibrant.tables.columns import SEEN, Columns, Given, choose_columns
from calibrant.tables.scanning.expressions import with_cells, with_integer_folds
from calibrant.tables.scanning.partitions import partition_sums
from calibrant.tables.scanning.relations import add_relation
from calibrant.tables.scanning.streaming import open_stream
from calibrant.tables.scanning.table_rows import (
    TABLE,
    chosen_rows,
    computed,
    fault,
    no_label,
    rated_rows,
)
from calibrant.tables.scanning.text_folds import with_text_folds
from calibrant.tables.scanning.totals import REAL, WHOLE, Totals

if TYPE_CHECKING:
    from narwhals import LazyFrame

FIRST_ROWS = 1 << 18  # if these have too many groups, so has the table


def is_lazy(source: object) -> bool:
    """Whether a table is computed by an engine when it is asked for."""
    import narwhals

    return isinstance(narwhals.from_native(source, pass_through=True), narwhals.LazyFrame)


def scan_engine(source: Any, given: Given, folds: int | None, rows: int) -> Pairs:  # noqa: ANN401
    """Summarise the pairs of a table in its engine."""
    import narwhals

    table: LazyFrame[Any] = narwhals.from_native(source)
    columns = _columns(table, given)
    frame = chosen_rows(table, columns)
    if frame.implementation.is_duckdb():
        stream = open_stream(columns, folds, rows)
        add_relation(frame, columns, stream)
        _refuse_empty(stream.rows)
        return stream.pairs()
    groups = 0 if columns.group is None or folds is not None else _count_groups(frame)
    if groups > MOST_GROUPS:
        groups, folds = 0, MOST_GROUPS
    stream = open_stream(columns, folds, rows)
    if groups:
        stream.sums.coarsen_to(finest_bits(groups, rows))
    if columns.group is not None:
        stream.slots.kind = _kind(frame)
    totals = _totals(frame, columns, folds, stream.sums.bits)
    _check(totals, columns, frame)
    stream.rows = totals.rows
    return stream.pairs_of(totals.of_cells(stream.slots))


def _columns(table: "LazyFrame[Any]", given: Given) -> Columns:
    """Choose the columns of pairs; look at the first rows only if names leave a choice."""

    def look(names: list[str]) -> Mapping[str, Sequence[object]]:
        first = computed(table.select(*names).head(SEEN))
        return {name: first[name].to_list() for name in names}

    return choose_columns(table.collect_schema().names(), given, TABLE, look).columns


def _count_groups(frame: "LazyFrame[Any]") -> int:
    """How many groups there are; if the first rows have too many, how many these have."""
    import narwhals as nw

    for some in (frame.select("label").head(FIRST_ROWS), frame):
        count = int(computed(some.select(nw.col("label").n_unique()))["label"][0])
        if count > MOST_GROUPS:
            break
    return count


def _totals(frame: "LazyFrame[Any]", columns: Columns, folds: int | None, bits: int) -> Totals:
    """What the engine sums over each cell and group."""
    if frame.implementation.is_dask():
        return Totals.of(computed(partition_sums(frame, folds, bits)))
    return _grouped(with_cells(_with_slots(rated_rows(frame, columns), folds), bits))


def _grouped(rows: "LazyFrame[Any]") -> Totals:
    """The sums over rows with the same cell and label."""
    import narwhals as nw

    names = rows.collect_schema().names()
    keys = [name for name in ("label", "cell") if name in names]
    summed = [name for name in ("count", *WHOLE, *REAL) if name in names]
    totals = rows.select(*keys, *summed).group_by(*keys).agg(nw.col(*summed).sum())
    # sums of integers are wider than 64 bits in some engines
    whole = nw.col("cell", *(name for name in summed if name not in REAL)).cast(nw.Int64)
    return Totals.of(computed(totals.with_columns(whole)))


def _with_slots(frame: "LazyFrame[Any]", folds: int | None) -> "LazyFrame[Any]":
    """Fold labels, if they are to be folded."""
    import narwhals as nw

    schema = frame.collect_schema()
    if folds is None or "label" not in schema.names():
        return frame
    fold = with_text_folds if schema["label"] == nw.String else with_integer_folds
    return fold(frame, folds)


def _check(totals: Totals, columns: Columns, frame: "LazyFrame[Any]") -> None:
    """Refuse a table with wrong rows, or without rows."""
    _refuse_empty(totals.rows)
    missing, bad = totals.wrong
    if missing:
        raise no_label(columns, missing, totals.rows)
    if bad:
        raise fault(rated_rows(frame, columns), columns, bad, totals.rows)


def _kind(frame: "LazyFrame[Any]") -> str:
    """What labels are: "integers" or "text"."""
    return "integers" if frame.collect_schema()["label"].is_integer() else "text"


def _refuse_empty(rows: int) -> None:
    if not rows:
        raise InputError(f"There must be at least one pair, but {TABLE.lower()} is empty.")
