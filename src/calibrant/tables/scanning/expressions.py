"""Cells of predictions and folds of integers, as expressions that an engine computes.

All arithmetic is exact in double precision: comparisons, products with powers of two, 1 − q for
q > ½, `floor`. Columns are made step by step, because Dask sums only columns, and because other
engines would compute an expression as often as it is used.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from calibrant.kernels.pairs.cells import MANTISSA, OCTAVES, PART, half_cells
from calibrant.kernels.pairs.folds import FIRST, LEADING, MOST, PRIME, SECOND

if TYPE_CHECKING:
    from narwhals import Expr, LazyFrame

FINE = 1.0  # the state of rows to be summed
BAD = -1.0  # the state and the cell of rows with a wrong y, q or weight
MISSING = -2.0  # the state and the cell of rows without a group
COARSE = 8  # octaves in a first step towards the mantissa; the second step finds the octave


def with_cells(frame: "LazyFrame[Any]", bits: int) -> "LazyFrame[Any]":
    """Add the cell of each row, and what is summed in it.

    The frame has numbers y, q and perhaps weight, and a column `state`. Rows whose state is not
    `FINE` count as zeros, because engines refuse to convert NaN to integers.
    """
    import narwhals as nw

    numbers = [name for name in ("y", "q", "weight") if name in frame.collect_schema().names()]
    fine = nw.col("state") == FINE
    frame = frame.with_columns(
        **{name: nw.when(fine).then(nw.col(name)).otherwise(nw.lit(0.0)) for name in numbers}
    )
    upper = nw.col("q") > 0.5
    frame = frame.with_columns(r=nw.when(upper).then(1.0 - nw.col("q")).otherwise(nw.col("q")))
    return _with_sums(_with_rest(_with_mantissa(frame), bits), bits)


def _with_mantissa(frame: "LazyFrame[Any]") -> "LazyFrame[Any]":
    """Add m = r · 2^below, from ½ to 1 (less if r is tiny), and `below`, the octaves above r.

    Most predictions fall into the first ranges, and engines look no further for them. Powers are
    looked up with the steps: logarithms would take engines longer than all the rest.
    """
    import narwhals as nw

    far = [COARSE * step for step in range(OCTAVES // COARSE)]
    frame = frame.with_columns(far=_lookup("r", far, COARSE), lift=_lookup("r", far, COARSE, 2.0))
    frame = frame.with_columns(m=nw.col("r") * nw.col("lift"))
    near = list(range(COARSE))
    frame = frame.with_columns(near=_lookup("m", near, 1), lift=_lookup("m", near, 1, 2.0))
    return frame.with_columns(m=nw.col("m") * nw.col("lift"), below=nw.col("far") + nw.col("near"))


def _lookup(name: str, steps: Sequence[int], reach: int, base: float | None = None) -> "Expr":
    """The smallest of ascending steps for which column · 2^step is at least 2^−reach.

    The last if there is none. With a base, the base to the power of the step.
    """
    import narwhals as nw

    def told(step: int) -> "Expr":
        return nw.lit(float(step) if base is None else base**step)

    found = told(steps[-1])
    for step in reversed(steps[:-1]):
        found = nw.when(nw.col(name) >= 2.0 ** -(reach + step)).then(told(step)).otherwise(found)
    return found


def _with_rest(frame: "LazyFrame[Any]", bits: int) -> "LazyFrame[Any]":
    """Add the octave, the step in it, and the rest of the mantissa."""
    import narwhals as nw

    leading = (nw.col("m") * 2.0 - 1.0) * 2.0**MANTISSA
    frame = frame.with_columns(
        octave=(OCTAVES - 1.0) - nw.col("below"),
        mantissa=nw.when(nw.col("m") >= 0.5).then(leading).otherwise(nw.lit(0.0)),
    )
    frame = frame.with_columns(step=(nw.col("mantissa") * 2.0 ** (bits - MANTISSA)).floor())
    return frame.with_columns(rest=nw.col("mantissa") - nw.col("step") * 2.0 ** (MANTISSA - bits))


def _with_sums(frame: "LazyFrame[Any]", bits: int) -> "LazyFrame[Any]":
    """Add the cell and the columns to be summed: whole numbers, except those of f."""
    import narwhals as nw

    y, f, high = nw.col("y"), nw.col("f"), nw.col("high")
    place = 1.0 + nw.col("octave") * 2.0**bits + nw.col("step")
    frame = frame.with_columns(
        half=nw.when(nw.col("r") == 0.0).then(nw.lit(0.0)).otherwise(place),
        f=nw.col("rest") * 2.0 ** (bits - MANTISSA),
        high=(nw.col("rest") * 2.0**-PART).floor(),
    )
    last = 2.0 * half_cells(bits) - 1.0
    cell = nw.when(nw.col("q") > 0.5).then(last - nw.col("half")).otherwise(nw.col("half"))
    whole = {"positive": y, "high": high, "low": nw.col("rest") - high * 2.0**PART}
    real = {"square": f * f, "cross": f * y}
    whole["n"] = nw.lit(1.0)
    if "weight" in frame.collect_schema().names():
        whole, real = ({k: v * nw.col("weight") for k, v in s.items()} for s in (whole, real))
        whole["count"] = nw.lit(1)  # rows; without weights there are as many pairs
    return frame.with_columns(
        cell=nw.when(nw.col("state") == FINE).then(cell).otherwise(nw.col("state")).cast(nw.Int64),
        **{name: column.cast(nw.Int64) for name, column in whole.items()},
        **real,
    )


def with_integer_folds(frame: "LazyFrame[Any]", folds: int) -> "LazyFrame[Any]":
    """Replace the integers of column `label` by their folds."""
    import narwhals as nw

    x = nw.col("label")
    if frame.collect_schema()["label"] == nw.UInt64:
        frame = frame.with_columns(label=(x % PRIME).cast(nw.Int64))
    else:
        frame = frame.with_columns(label=x.cast(nw.Int64) % PRIME)
    steps = [
        (x + PRIME) % PRIME,  # engines disagree about the remainders of negative numbers
        (x * FIRST[0] + FIRST[1]) % PRIME,
        (x * x) % PRIME,
        (x * SECOND[0] + SECOND[1]) % PRIME,
        quotient(x, (MOST // folds) << LEADING),
    ]
    for step in steps:
        frame = frame.with_columns(label=step)
    return frame


def quotient(number: "Expr", divisor: int) -> "Expr":
    """Divide numbers of at least 0; engines disagree about `//`."""
    import narwhals as nw

    return ((number - number % divisor) / divisor).cast(nw.Int64)
