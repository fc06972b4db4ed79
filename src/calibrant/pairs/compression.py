"""Compress pairs: represent the same distribution by fewer rows."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibrant.pairs.rows import Float, Moments, run_starts

SMALLEST = -64  # q with smaller binary exponents, below 1e-19, share a cell


class Compressed(NamedTuple):
    """Rows that each represent several pairs: mean y and q, weight, and moments."""

    y: Float
    q: Float
    weight: Float
    moments: Moments


def compress_rows(
    y: NDArray[Any], q: NDArray[Any], weight: NDArray[Any], moments: Moments, bits: int | None
) -> Compressed:
    """Merge rows with the same q, or in the same cell of relative width 2^−bits."""
    order = np.argsort(q, kind="stable")
    ordered = q[order].astype(np.float64, copy=False)
    weights = weight[order].astype(np.float64, copy=False)
    begins = run_starts(ordered if bits is None else _cells(ordered, bits))
    total = np.add.reduceat(weights, begins)

    def mean(values: Float) -> Float:
        return np.asarray(np.add.reduceat(weights * values, begins) / total)

    least = ordered[begins]  # average offsets from it, so that means near 1 keep their precision
    beyond = ordered - np.repeat(least, np.diff(np.append(begins, ordered.size)))
    return Compressed(
        y=mean(y[order]),
        q=least + mean(beyond),
        weight=total,
        moments=Moments(mean(moments.square[order]), mean(moments.cross[order])),
    )


def _cells(q: Float, bits: int) -> NDArray[np.int64]:
    """The cell of each q: half, exponent and leading mantissa bits of q or 1 − q."""
    upper = q > 0.5
    r = np.where(upper, 1.0 - q, q)
    exponent = np.maximum(np.frexp(r)[1], SMALLEST)
    steps = np.floor(np.ldexp(r, bits + 1 - exponent)).astype(np.int64)
    cell = np.where(r > 0, ((exponent - SMALLEST + 1) << (bits + 1)) + steps + 1, 0)
    return np.where(upper, -cell - 1, cell)
