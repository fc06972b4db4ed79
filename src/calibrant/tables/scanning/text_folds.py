"""Folds of text, computed by an engine: the leading digits of the MD5 as a number."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from calibrant.errors import UnsupportedError
from calibrant.kernels.pairs.folds import DIGITS, MOST
from calibrant.tables.scanning.expressions import quotient

if TYPE_CHECKING:
    from narwhals import LazyFrame

HEXADECIMAL = "0123456789abcdef"
SIZES = [16 ** (DIGITS - 1 - place) for place in range(DIGITS)]
SQL = " + ".join(  # `instr` counts from 1, and is 0 for the digit 0, which is not in its text
    f"{size} * instr('{HEXADECIMAL[1:]}', substr(md5(label), {place + 1}, 1))"
    for place, size in enumerate(SIZES)
)


def with_text_folds(frame: "LazyFrame[Any]", folds: int) -> "LazyFrame[Any]":
    """Replace the texts of column `label` by their folds."""
    import narwhals as nw

    engine = frame.implementation.name
    if engine not in ENGINES:
        raise refusal(engine.title())
    others = [name for name in frame.collect_schema().names() if name != "label"]
    folded: LazyFrame[Any] = nw.from_native(ENGINES[engine](frame.to_native(), others))
    return folded.with_columns(label=quotient(nw.col("label").cast(nw.Int64), MOST // folds))


def refusal(engine: str) -> UnsupportedError:
    """The error about an engine without MD5."""
    return UnsupportedError(
        f"Text cannot be folded in {engine}: number the groups, or pass group as integers."
    )


def _in_spark(table: Any, names: list[str]) -> Any:  # noqa: ANN401 - a frame of Spark
    return table.selectExpr(*names, f"{SQL} AS label")


def _in_sqlframe(table: Any, names: list[str]) -> Any:  # noqa: ANN401 - a frame of SQLFrame
    from sqlframe.base.functions import expr

    return table.select(*names, expr(SQL).alias("label"))


def _in_ibis(table: Any, names: list[str]) -> Any:  # noqa: ANN401 - a table of Ibis
    import ibis

    if not table.get_backend().has_operation(ibis.expr.operations.HexDigest):
        raise refusal(f"the backend {table.get_backend().name} of Ibis")
    digits, digest = ibis.literal(HEXADECIMAL), table["label"].hexdigest("md5")
    fold = sum(digits.find(digest.substr(at, 1)) * size for at, size in enumerate(SIZES))
    return table.mutate(label=fold)


ENGINES: dict[str, Callable[[Any, list[str]], Any]] = {
    "PYSPARK": _in_spark,
    "PYSPARK_CONNECT": _in_spark,
    "SQLFRAME": _in_sqlframe,
    "IBIS": _in_ibis,
}
