"""Sum the rows of a relation of DuckDB, which can read the bits of a float.

The leading bits of r, with a sign for the upper half, are the key that rows are grouped by. This
takes fewer steps than the arithmetic that other engines need.
"""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from calibrant.kernels.pairs.cells import LOWEST, MANTISSA, OCTAVES, PART, half_cells
from calibrant.tables.scanning.expressions import BAD, MISSING
from calibrant.tables.scanning.table_rows import LARGEST_WEIGHT, computed
from calibrant.tables.scanning.totals import Totals

if TYPE_CHECKING:
    from narwhals import LazyFrame

Int = NDArray[np.int64]
TINY = f"{2.0**-OCTAVES!r}::DOUBLE"  # smaller r share the first cell
R = f"CASE WHEN q > 0.5 THEN -(1 - q) WHEN q >= {TINY} THEN q WHEN q > 0 THEN {TINY} ELSE 0 END"
# `isfinite` looks at values, unlike comparisons; see `not_numbers`
GOOD = "(y = 0 OR y = 1) AND isfinite(y) AND q >= 0 AND q <= 1 AND isfinite(q)"
WHOLE = "weight = floor(weight) AND isfinite(weight)"
GOOD_WEIGHT = f"weight >= 1 AND weight <= {LARGEST_WEIGHT:.0f} AND {WHOLE}"


def relation_totals(frame: "LazyFrame[Any]", bits: int) -> Totals:
    """What the relation sums over each cell and label; wrong rows have other cells.

    The frame has columns y, q, perhaps weight and label, a missing label being null.
    """
    import narwhals as nw

    names = frame.collect_schema().names()
    keys = "label, key" if "label" in names else "key"
    relation = _with_parts(frame.to_native(), names, bits)
    found = computed(nw.from_native(relation.aggregate(f"{keys}, {_aggregates(names)}", keys)))
    totals = Totals.of(found.rename({"key": "cell"}))
    bad = found["key"].is_null().to_numpy()
    cell = np.where(bad, BAD, _cells(found["key"].fill_null(0).to_numpy(), bits))
    if totals.label is not None:
        cell = np.where(totals.label.is_null().to_numpy(), MISSING, cell)
    return totals._replace(cell=cell.astype(np.int64))


def _with_parts(relation: Any, names: list[str], bits: int) -> Any:  # noqa: ANN401 - relations
    """Add the key, both parts of the rest of the mantissa, and the place f of r in its cell."""
    kept = ", ".join(name for name in names if name != "q")
    good = f"{GOOD} AND {GOOD_WEIGHT}" if "weight" in names else GOOD
    size = MANTISSA - bits
    rest, high, low = (1 << size) - 1, (1 << (size - PART)) - 1, (1 << PART) - 1
    relation = relation.project(f"{kept}, CASE WHEN {good} THEN {R} END AS r")
    relation = relation.project(f"{kept}, r::BIT::BIGINT AS bits")
    return relation.project(
        f"{kept}, (bits >> {size})::INTEGER AS key, ((bits >> {PART}) & {high})::INTEGER AS high, "
        f"(bits & {low})::INTEGER AS low, (bits & {rest})::DOUBLE * {2.0**-size!r}::DOUBLE AS f"
    )


def _aggregates(names: list[str]) -> str:
    """All sums of good rows; other rows are counted, and their sums are not used."""
    weighted = "weight" in names
    whole_weight = "TRY_CAST(weight AS BIGINT)"  # null in wrong rows, if it is not a number
    times = f"{whole_weight} * " if weighted else ""
    positive = "(y = 1)::INTEGER"
    whole = {
        "count": "count(*)",
        "n": f"sum({whole_weight})" if weighted else "count(*)",
        "positive": f"sum({times}{positive})",
        "high": f"sum({times}high)",
        "low": f"sum({times}low)",
    }
    real = {"square": f"sum({times}f * f)", "cross": f"sum({times}f * {positive})"}
    terms = [f"({sum_})::BIGINT AS {name}" for name, sum_ in whole.items()]
    return ", ".join([*terms, *(f"{sum_} AS {name}" for name, sum_ in real.items())])


def _cells(key: Int, bits: int) -> Int:
    """The cell of each key: the leading bits of r, negative in the upper half."""
    leading = key.astype(np.int64) & ((1 << (63 - MANTISSA + bits)) - 1)
    half = np.where(leading == 0, 0, 1 + leading - (LOWEST << bits))
    assert ((half >= 0) & (half < half_cells(bits) + (1 << bits))).all(), "not the bits of r"
    return np.where(key < 0, 2 * half_cells(bits) - 1 - half, half)
