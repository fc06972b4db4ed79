"""Make NaN null in DuckDB, where comparisons may not find it.

DuckDB answers comparisons, and even `isnan`, from the least and greatest value that a Parquet file
states for a column. These leave out NaN, so `q <= 1` may hold for it. `isfinite` looks at values.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from narwhals import LazyFrame


def with_null_for_nan(frame: "LazyFrame[Any]") -> "LazyFrame[Any]":
    """Make y, q and weight null where they are not finite, if DuckDB computes the frame."""
    import narwhals as nw

    native: Any = frame.to_native()
    if frame.implementation.is_duckdb():
        change: Callable[[Any, str], Any] = _in_duckdb
    elif frame.implementation.is_ibis() and native.get_backend().name == "duckdb":
        change = _in_ibis
    elif frame.implementation.is_sqlframe() and "duckdb" in type(native).__module__:
        change = _in_sqlframe
    else:
        return frame
    for name in frame.collect_schema().names():
        native = native if name == "label" else change(native, name)
    changed: LazyFrame[Any] = nw.from_native(native)
    return changed


def _in_duckdb(relation: Any, name: str) -> Any:  # noqa: ANN401 - relations
    return relation.project(f"* REPLACE (CASE WHEN isfinite({name}) THEN {name} END AS {name})")


def _in_ibis(table: Any, name: str) -> Any:  # noqa: ANN401 - tables of Ibis
    import ibis

    def isfinite(number: float) -> bool:
        raise NotImplementedError  # DuckDB has a function of this name

    finite = ibis.udf.scalar.builtin(isfinite)(table[name])
    return table.mutate(**{name: ibis.ifelse(finite, table[name], ibis.null())})


def _in_sqlframe(table: Any, name: str) -> Any:  # noqa: ANN401 - frames of SQLFrame
    from sqlframe.base.functions import expr

    return table.withColumn(name, expr(f"CASE WHEN isfinite({name}) THEN {name} END"))
