"""Compress pairs: represent the same distribution by fewer rows."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from calibrant.pairs.rows import Float, Moments, Rows, run_starts
from calibrant.pairs.summary_size import finest_bits

Int = NDArray[np.int64]
CHUNK = 1 << 20  # rows converted to floats at a time


def compress_distinct(rows: Rows, codes: Int | None, bits: int | None = None) -> Rows:
    """Merge rows with the same q, or in the same cell, and the same group.

    `codes` numbers the groups of the rows. Weights may be fractions.
    """
    place = rows.q if bits is None else _cells(rows.q, bits)
    order = np.lexsort((rows.q, place) if codes is None else (rows.q, codes, place))
    begins = _runs(place[order], None if codes is None else codes[order])
    ordered = rows.q[order].astype(np.float64, copy=False)
    weights = rows.weights()[order].astype(np.float64, copy=False)
    total = np.add.reduceat(weights, begins)
    moments = rows.means()

    def mean(values: Float) -> Float:
        return np.asarray(np.add.reduceat(weights * values, begins) / total)

    least = ordered[begins]  # average offsets from it, so that means near 1 keep their precision
    beyond = ordered - np.repeat(least, np.diff(np.append(begins, ordered.size)))
    merged = Rows(
        y=mean(rows.y[order]),
        q=least + mean(beyond),
        weight=total,
        moments=Moments(mean(moments.square[order]), mean(moments.cross[order])),
    )
    return _with_groups(merged, rows, order[begins])


def _cells(q: NDArray[Any], bits: int) -> Int:
    from calibrant.kernels.pairs.cells import cells

    found: Int = cells(q, bits)
    return found


def _runs(place: NDArray[Any], codes: Int | None) -> Int:
    begins = run_starts(place)
    return begins if codes is None else np.union1d(begins, run_starts(codes))


def compress_cells(rows: Rows, codes: Int | None, bits: int, most: int) -> Rows:
    """Merge rows in the same cell and group; weights are whole numbers.

    With more than `most` rows, cells have fewer bits.
    """
    from calibrant.pairs.cell_sums import NO_GROUP, CellSums

    groups = 1 if codes is None else int(codes.max()) + 1
    sums = CellSums(min(bits, finest_bits(groups, most)) if groups > 1 else bits, most)
    weighted = rows.weight is not None or rows.moments is not None
    for first in range(0, rows.q.size, CHUNK):
        part = slice(first, first + CHUNK)
        slot = NO_GROUP if codes is None else codes[part]
        y, q = rows.y[part].astype(np.float64), rows.q[part].astype(np.float64)
        if weighted:
            chunk = rows.take(np.arange(first, min(first + CHUNK, rows.q.size)))
            sums.add_means(y, q, chunk.weights().astype(np.float64), chunk.means(), slot)
        else:
            sums.add(y, q, slot)
    found = sums.rows()
    merged = Rows(y=found.y, q=found.q, weight=found.weight, moments=found.moments)
    return merged if codes is None else _with_groups(merged, rows, _first(codes)[found.slot])


def _first(codes: Int) -> Int:
    """A row of each group."""
    where = np.empty(int(codes.max()) + 1, np.int64)
    where[codes] = np.arange(codes.size)
    return where


def _with_groups(merged: Rows, rows: Rows, where: Int) -> Rows:
    """Add the groups of the rows at `where`."""
    if rows.group is None:
        return merged
    marks = None if rows.numbered is None else rows.numbered[where]
    return merged._replace(
        group=rows.group[where],
        numbered=marks,
        folds=rows.folds,
        folded_from=rows.folded_from,
    )


def by_outcome(rows: Rows, whole: bool) -> Rows:
    """Split each row into one per outcome, with equal q: the members of a row become ties."""
    share = np.concatenate([rows.y, 1 - rows.y]) * np.tile(rows.weights(), 2)
    if whole:
        share = np.rint(share)  # undoes the rounding of the means
    used = np.flatnonzero(share > 0)
    y = np.repeat(np.array([1, 0], np.int8), rows.q.size)[used]
    both = rows._replace(moments=None).take(used % rows.q.size)
    return both._replace(y=y, weight=share[used])
