"""Sum the partitions of a Dask frame, each on its worker.

A partition is a frame of pandas, so the compiled loops that sum files sum it too. They are faster
than the many steps that other engines need for a cell. Workers must have calibrant installed.
"""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from calibrant.kernels.pairs.folds import fold_labels
from calibrant.pairs.cell_sums import NO_GROUP, CellSums, Sums
from calibrant.pairs.given_sums import add_equal
from calibrant.pairs.rows import Moments
from calibrant.tables.scanning.expressions import BAD, MISSING
from calibrant.tables.scanning.table_rows import is_good

if TYPE_CHECKING:
    from narwhals import LazyFrame

Int = NDArray[np.int64]
ALL_ROWS = 1 << 62  # of a summary: partitions must not become coarser than others
GOOD = -3  # like `BAD` and `MISSING` it stands in the place of a cell, beside a number of rows
AT_ONCE = 4  # frames that are added at once: few, because they are copied
STATES = (GOOD, int(BAD), int(MISSING))


def partition_sums(frame: "LazyFrame[Any]", folds: int | None, bits: int) -> "LazyFrame[Any]":
    """The sums over the cells and groups of all partitions, and the numbers of rows.

    Sums of partitions are added by sorting: to group frames of pandas takes longer.
    """
    import narwhals as nw

    native: Any = frame.to_native()
    how = {"folds": folds}
    total = native.reduction(
        _sum_rows,
        _add_frames,
        _add_frames,
        chunk_kwargs={**how, "bits": bits},
        combine_kwargs=how,
        aggregate_kwargs=how,
        split_every=AT_ONCE,
    )
    sums: LazyFrame[Any] = nw.from_native(total)
    return sums


def _sum_rows(rows: Any, folds: int | None, bits: int) -> Any:  # noqa: ANN401 - frames of pandas
    """The sums of a partition; the last rows count good, bad and unlabelled rows."""
    state = _states(rows)
    good = rows[state == GOOD]
    slot, labels = _slots(good, folds) if "label" in rows else (NO_GROUP, None)
    sums = _sums(good, slot, bits)
    return _as_frame(type(rows), sums, labels, [int((state == each).sum()) for each in STATES])


def _add_frames(rows: Any, folds: int | None) -> Any:  # noqa: ANN401 - of pandas
    """Add what `_sum_rows` made of several partitions."""
    cell = rows["cell"].to_numpy()
    many = [int(rows["count"].to_numpy()[cell == each].sum()) for each in STATES]
    summed = rows[cell >= 0]
    slot, labels = np.zeros(len(summed), np.int64), None
    if "label" in rows and folds is not None:
        slot, labels = summed["label"].to_numpy(np.int64), np.arange(folds)
    elif "label" in rows:
        slot, labels = _slots(summed, None)
    given = Sums(slot, *(summed[name].to_numpy() for name in Sums._fields[1:]))
    return _as_frame(type(rows), add_equal(given), labels, many)


def _as_frame(kind: Any, sums: Sums, labels: Any, many: list[int]) -> Any:  # noqa: ANN401
    """A frame of sums, with a row for each state that has the number of its rows."""
    more = np.zeros(len(STATES), np.int64)
    columns = {name: np.append(column, more) for name, column in sums._asdict().items()}
    columns["cell"][-more.size :] = STATES
    columns["count"] = np.append(0 * sums.n, many)
    slots = columns.pop("slot")
    return kind(columns if labels is None else {"label": labels.take(slots), **columns})


def _states(rows: Any) -> Int:  # noqa: ANN401 - a frame of pandas
    """Whether each row is good, bad or has no group."""
    good = np.ones(len(rows), np.bool_)
    missing = ~good
    for role in rows.columns:
        if role == "label":
            missing = np.asarray(rows[role].isna() | (rows[role] == "").fillna(True), np.bool_)
        else:
            good &= is_good(role, _numbers(rows, role))
    return np.where(missing, MISSING, np.where(good, GOOD, BAD)).astype(np.int64)


def _numbers(rows: Any, role: str) -> NDArray[np.float64]:  # noqa: ANN401 - a frame of pandas
    return np.asarray(rows[role].to_numpy(np.float64, na_value=np.nan))


def _slots(rows: Any, folds: int | None) -> tuple[Int, Any]:  # noqa: ANN401 - of pandas
    """The slot of each row, and the label of each slot."""
    code, labels = rows["label"].factorize()
    if folds is not None:
        return fold_labels(labels.to_numpy(), folds)[code], np.arange(folds)
    if not len(labels):  # the label of rows that are counted
        labels = labels.insert(0, 0 if labels.dtype.kind in "iuf" else "")
    return np.asarray(code, np.int64), labels


def _sums(rows: Any, slot: Int, bits: int) -> Sums:  # noqa: ANN401 - a frame of pandas
    sums = CellSums(bits, ALL_ROWS)
    y, q = _numbers(rows, "y"), _numbers(rows, "q")
    if "weight" in rows:
        sums.add_means(y, q, _numbers(rows, "weight"), Moments(q * q, q * y), slot)
    else:
        sums.add(y, q, slot)
    return sums.sums()
