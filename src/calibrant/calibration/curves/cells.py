"""Aggregate pairs into cells along q or its logit, for smooth curves."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibrant.calibration.curves.estimator import LARGE
from calibrant.calibration.curves.worth import Spread
from calibrant.calibration.groups.units import (
    UnitRows,
    by_content,
    moved,
    moved_start,
    sums_by_unit,
)
from calibrant.checks.arrays import Numbers, sum_by
from calibrant.pairs import Pairs

Float = NDArray[np.float64]
Int = NDArray[np.int64]
SCALES = ("logit", "identity")


class Cells(NamedTuple):
    """Sums over cells in ascending order; the cells of exact 0 and 1 are kept apart."""

    x: Float  # mean position
    n: Float
    k: Float  # positives
    q: Float  # mean prediction
    ends_n: Float  # (2,) pairs with q of exactly 0 and exactly 1, and their positives
    ends_k: Float
    width: float  # width of a cell; 0 if each distinct q is a cell
    column: Numbers  # cell of each row or distinct q; the last two cells are exact 0 and 1

    @property
    def everything(self) -> tuple[Float, Float]:
        """Pairs and positives of every cell, with exact 0 and 1 last."""
        return np.concatenate([self.n, self.ends_n]), np.concatenate([self.k, self.ends_k])


def position(q: Float, scale: str) -> Float:
    """Where a prediction lies on the scale."""
    if scale == "identity":
        return q
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(q) - np.log1p(-q))


def unposition(x: Float, scale: str) -> Float:
    """The prediction at a position."""
    if scale == "identity":
        return x
    from scipy.special import expit

    return np.asarray(expit(x), np.float64)


def make_cells(pairs: Pairs, scale: str, grid: int | None) -> Cells:
    """Sum pairs over `grid` cells of equal width; without a grid each distinct q is a cell.

    On the logit scale 0 and 1 lie at infinity, so pairs of exactly 0 and 1 are kept apart.
    """
    apart = scale == "logit"
    if grid is not None and pairs.weight is None and len(pairs) >= LARGE:
        return _from_rows(pairs, apart, grid)
    tally = pairs.tally
    inner = (tally.q > 0) & (tally.q < 1) if apart else np.ones(tally.q.size, bool)
    x = position(tally.q[inner], scale)
    label, width = np.arange(x.size), 0.0
    if grid is not None and x.size > grid:
        width = max(float(x[-1] - x[0]) / grid, 1e-300)
        cell = np.minimum(((x - x[0]) / width).astype(np.int64), grid - 1)
        label = np.cumsum(np.concatenate([[0], np.diff(cell) > 0]))
    count = int(label[-1]) + 1 if x.size else 0
    weight, positive = tally.weight[inner], tally.positive[inner]
    n = sum_by(label, weight, count)
    column = np.where(tally.q < 0.5, count, count + 1)
    column[inner] = label
    ends = [np.flatnonzero(~inner & (tally.q == end)) for end in (0.0, 1.0)]
    return Cells(
        sum_by(label, weight * x, count) / n,
        n,
        sum_by(label, positive, count),
        sum_by(label, weight * tally.q[inner], count) / n,
        np.array([tally.weight[rows].sum() for rows in ends]),
        np.array([tally.positive[rows].sum() for rows in ends]),
        width,
        column[np.searchsorted(tally.q, pairs.q)],
    )


def _from_rows(pairs: Pairs, logit: bool, grid: int) -> Cells:
    from calibrant.calibration.gaps.bins import as_bytes
    from calibrant.kernels.calibration.bins.even_cells import inner_ends, sum_cells

    ends = np.array(inner_ends(pairs.q) if logit else (pairs.q.min(), pairs.q.max()), np.float64)
    if ends[0] > ends[1]:  # all q are 0 or 1
        ends = np.zeros(2)
    low, high = position(ends, "logit" if logit else "identity")
    width = max(float(high - low) / grid, 1e-300)
    cell, n, k, x, q = sum_cells(as_bytes(pairs.y), pairs.q, float(low), width, grid, logit)
    if not logit:  # here 0 and 1 are ordinary positions
        at = {0: 0, 1: grid - 1}
        for end, place in at.items():
            moved = n[grid + end]
            if moved:
                total = n[place] + moved
                x[place] = (x[place] * n[place] + end * moved) / total
                q[place] = (q[place] * n[place] + end * moved) / total
                n[place], k[place] = total, k[place] + k[grid + end]
                cell[cell == grid + end] = place
                n[grid + end] = k[grid + end] = 0
    used = n[:grid] > 0
    number = np.concatenate([np.cumsum(used) - 1, used.sum() + np.arange(2)])
    return Cells(
        x=x[:grid][used],
        n=n[:grid][used],
        k=k[:grid][used],
        q=q[:grid][used],
        ends_n=n[grid:],
        ends_k=k[grid:],
        width=width,
        column=number.astype(cell.dtype)[cell],
    )


@dataclass(frozen=True, slots=True, eq=False)
class GroupCells(UnitRows):
    """Sums of each group in each cell it touches."""

    n: Float  # pairs
    k: Float  # positives, or the sum of another value

    def folds(self, count: int, cells: int) -> tuple[Float, Float]:
        """Pairs and positives of `count` folds of whole groups, in each cell."""
        at = self.owner % count * cells + self.column
        shape = (count, cells)
        return (
            sum_by(at, self.n, count * cells).reshape(shape),
            sum_by(at, self.k, count * cells).reshape(shape),
        )

    def spread(self, n: Float, p: Float, alone: Float) -> Spread:
        """Sums over groups in each cell, given its weight and its frequency."""
        residual = self.k - self.n * p[self.column]
        squares, squared = (sum_by(self.column, each**2, n.size) for each in (self.n, residual))
        return Spread(n, p, alone, squares, squared)


def alone(pairs: Pairs, column: Numbers, n: Float) -> Float:
    """Σ weight² over the rows of each cell; a row that counts for several pairs is that many."""
    if pairs.counted:
        return n
    assert pairs.weight is not None
    square = pairs.weight.astype(np.float64) ** 2
    order = np.lexsort((square, column))  # sums of fractions depend on their order, so fix it
    return sum_by(column[order], square[order], n.size)


def group_cells(
    pairs: Pairs,
    column: Numbers,
    count: int,
    value: NDArray[Any] | None = None,
) -> GroupCells | None:
    """Sum y, or another value per row, by group; None if rows are independent.

    The order of the groups does not depend on their labels.
    """
    sums = sums_by_unit(pairs, column, pairs.y if value is None else value, count)
    if sums is None:
        return None
    order = by_content(sums, sums.error)
    return GroupCells(
        start=moved_start(sums.start, order),
        column=moved(sums.start, order, sums.column),
        order=order,
        n=moved(sums.start, order, sums.weight),
        k=moved(sums.start, order, sums.error),
    )


def resample_cells(
    pairs: Pairs,
    column: Numbers,
    n: Float,
    k: Float,
    replicates: int,
    seed: int = 0,
) -> tuple[Float, Float]:
    """Pairs and positives of each cell in bootstrap samples of groups, or of pairs."""
    grouped = group_cells(pairs, column, n.size)
    if grouped is None:
        generator = np.random.default_rng(seed)
        kinds = np.concatenate([k, n - k])
        drawn = generator.multinomial(round(kinds.sum()), kinds / kinds.sum(), replicates)
        positive = drawn[:, : n.size].astype(np.float64)
        return positive + drawn[:, n.size :], positive
    from calibrant.kernels.calibration.groups import resample

    none = np.zeros((grouped.groups, 0))
    many, positive = (
        resample(grouped.start, grouped.column, each, none, n.size, replicates, seed)[0]
        for each in (grouped.n, grouped.k)
    )
    return many, positive
