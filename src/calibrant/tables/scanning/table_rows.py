"""Rows of a table in an engine: which are right, and messages about those that are not."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from calibrant.checks.arrays import advice
from calibrant.errors import FileError, printable
from calibrant.tables.checking import RULES
from calibrant.tables.columns import Columns
from calibrant.tables.scanning.expressions import BAD, FINE, MISSING
from calibrant.tables.scanning.not_numbers import with_null_for_nan

if TYPE_CHECKING:
    from narwhals import DataFrame, Expr, LazyFrame
    from narwhals.dtypes import DType

Float = NDArray[np.float64]
TABLE = "The table"  # what messages call it
LARGEST_WEIGHT = 2.0**36  # times a part of a mantissa of 26 bits, it stays below 2^62
EXAMPLES = 1000  # wrong rows that are looked at for a message
LONGEST = 300  # characters of a message of an engine


def chosen_rows(table: "LazyFrame[Any]", columns: Columns) -> "LazyFrame[Any]":
    """The numbers y, q and weight, as floats, and the label of the group."""
    schema = table.collect_schema()
    roles = {role: (name, schema[name]) for role, name in columns.roles().items()}
    group = roles.pop("group", None)
    chosen = {role: _number(role, *found) for role, found in roles.items()}
    return table.select(**chosen) if group is None else table.select(**chosen, label=_label(*group))


def rated_rows(frame: "LazyFrame[Any]", columns: Columns) -> "LazyFrame[Any]":
    """Add the state of each row; missing numbers become NaN, missing labels "" or 0."""
    import narwhals as nw

    numbers = [name for name in frame.collect_schema().names() if name != "label"]
    frame = with_null_for_nan(frame).with_columns(nw.col(*numbers).fill_null(float("nan")))
    if columns.group is None:
        return frame.with_columns(state=_state(columns))
    text = frame.collect_schema()["label"] == nw.String
    missing = nw.col("label").is_null()
    missing = missing | (nw.col("label") == "") if text else missing
    state = nw.when(missing).then(nw.lit(MISSING)).otherwise(_state(columns))
    return frame.with_columns(state=state, label=nw.col("label").fill_null("" if text else 0))


def _number(role: str, name: str, dtype: "DType") -> "Expr":
    import narwhals as nw

    if not (dtype.is_numeric() or dtype == nw.Boolean):
        raise FileError(
            f"{TABLE}, column {name}: {role} must be {RULES[role]}, but the column holds {dtype} "
            "values. Convert it to numbers first."
        )
    return nw.col(name).cast(nw.Float64)


def _label(name: str, dtype: "DType") -> "Expr":
    import narwhals as nw

    if dtype in (nw.Categorical, nw.Enum):
        return nw.col(name).cast(nw.String)
    if dtype == nw.String or (dtype.is_integer() and dtype not in (nw.Int128, nw.UInt128)):
        return nw.col(name)
    raise FileError(
        f"{TABLE}, column {name}: group must hold integers of at most 64 bits or strings, but the "
        f"column holds {dtype} values."
    )


def _state(columns: Columns) -> "Expr":
    """`FINE` or `BAD`, by y, q and weight; NaN is not less than 1 in any engine."""
    import narwhals as nw

    y, q, weight = nw.col("y"), nw.col("q"), nw.col("weight")
    good = ((y == 0.0) | (y == 1.0)) & (q >= 0.0) & (q <= 1.0)
    if columns.weight is not None:
        good = good & (weight >= 1.0) & (weight <= LARGEST_WEIGHT) & (weight == weight.floor())
    return nw.when(good).then(nw.lit(FINE)).otherwise(nw.lit(BAD))


def computed(frame: "LazyFrame[Any]") -> "DataFrame[Any]":
    """The result of a query."""
    with in_engine(frame):
        return frame.collect()


@contextmanager
def in_engine(frame: "LazyFrame[Any]") -> Iterator[None]:
    """Turn what goes wrong in the engine of a frame into a `FileError`."""
    try:
        yield
    except ImportError:
        raise
    except Exception as error:  # engines have no base class of errors in common
        raise FileError(
            f"{frame.implementation.name.title()} could not sum the rows of the table: "
            f"{_reason(str(error) or type(error).__name__)}."
        ) from error


def _reason(text: str) -> str:
    """The line of a message that names a file, or else the first; Spark adds those of Java."""
    lines = [line.strip() for line in text.strip().splitlines()]
    told = [line for line in lines if not line.startswith("at ")]
    best = next((line for line in told if re.search(r"\bfile\b", line)), lines[0])
    return printable(best.removeprefix("Caused by: "))[:LONGEST].rstrip(".")


def no_label(columns: Columns, missing: int, rows: int) -> FileError:
    """The error about rows without a group."""
    return FileError(
        f"{TABLE}, column {columns.group}: group must be a label, but it is missing in {missing} "
        f"of {rows} rows."
    )


def fault(frame: "LazyFrame[Any]", columns: Columns, bad: int, rows: int) -> FileError:
    """The error about rows with a wrong y, q or weight, with the value of one of them."""
    import narwhals as nw

    wrong = computed(frame.filter(nw.col("state") == BAD).head(EXAMPLES))
    roles = [role for role in ("q", "y", "weight") if getattr(columns, role) is not None]
    values = {role: wrong[role].to_numpy().astype(np.float64) for role in roles}
    role = next(role for role in roles if not is_good(role, values[role]).all())
    value = values[role][np.argmin(is_good(role, values[role]))]
    found = "is missing or not a number" if np.isnan(value) else f"is {value:g}"
    many = f"{bad} of {rows} rows are bad" if bad > 1 else f"the only bad one of {rows} rows"
    hint = _advice(values["q"]) if role == "q" else ""
    return FileError(
        f"{TABLE}, column {getattr(columns, role)}: {role} must be {_rule(role)}, but one {found} "
        f"({many}).{hint}"
    )


def is_good(role: str, values: Float) -> NDArray[np.bool_]:
    """Which values obey the rule of their role."""
    if role == "y":
        good = (values == 0) | (values == 1)
    elif role == "q":
        good = (values >= 0) & (values <= 1)
    else:
        good = (values >= 1) & (values <= LARGEST_WEIGHT) & (values == np.floor(values))
    return np.asarray(good)


def _rule(role: str) -> str:
    return f"a whole number from 1 to {LARGEST_WEIGHT:.0f}" if role == "weight" else RULES[role]


def _advice(q: Float) -> str:
    """What the wrong predictions may be, if they are numbers."""
    finite = q[np.isfinite(q)]
    return f" {advice(float(finite.min()), float(finite.max()))}" if finite.size else ""
