"""Scores of the same data without one group, or without one fold of many groups."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibrant.calibration.curves import BinnedCurve
from calibrant.calibration.gaps.bin_gaps import BinGaps
from calibrant.calibration.gaps.bins import columns
from calibrant.calibration.gaps.cell_gaps import CellGaps
from calibrant.calibration.gaps.clusters import Clusters, clusters
from calibrant.calibration.gaps.norms import Absolute, Norm, WeightedSquares
from calibrant.calibration.groups.exact_sums import order_free
from calibrant.calibration.scores import CalibrationError, MeanLoss, Score
from calibrant.calibration.scores.score import GapScore
from calibrant.checks.arrays import sum_by
from calibrant.errors import UnsupportedError
from calibrant.pairs import Pairs

Float = NDArray[np.float64]
Int = NDArray[np.int64]
MOST = 1000  # units left out one by one; more are left out in folds
FOLDS = 500  # enough that a standard error is known to 3 %
SMALLEST = 1e-100  # smaller gaps are none
NEGLIGIBLE = 1e-9  # share of a bin that is rounding error
AT_ONCE = 1 << 20  # sums of folds and bins that are computed at once: 8 MB


@dataclass(frozen=True, eq=False)
class Folds:
    """The fold of each unit (group, or row without groups), the same for all models."""

    of_unit: Int
    share: Float  # of the weight

    @classmethod
    def of(cls, models: Mapping[str, Pairs]) -> "Folds":
        """Folds that depend neither on the order of rows nor on labels of groups."""
        size = _by_unit(next(iter(models.values())), 1.0)
        fold = np.arange(size.size)
        if size.size > MOST:
            # neighbours in content go to different folds, so folds are alike
            y, q, squares = np.zeros((3, size.size))
            for each in models.values():
                predicted = each.predicted.astype(np.float64)
                y, q = y + _by_unit(each, each.y), q + _by_unit(each, predicted)
                square = predicted**2 if each.moments is None else each.moments.square
                squares = squares + _by_unit(each, square)
            fold[np.lexsort((y, squares, q, size))] = np.arange(size.size) % FOLDS
            size = sum_by(fold, size)
        return cls(fold, size / size.sum())

    def of_rows(self, pairs: Pairs) -> Int:
        """The fold of each row."""
        found: Int = self.of_unit[_units(pairs)]
        return found


def _units(pairs: Pairs) -> Int:
    return np.arange(len(pairs)) if pairs.codes is None else pairs.codes


def _by_unit(pairs: Pairs, value: Float | float) -> Float:
    """Σ weight · value of each unit."""
    weight = np.ones(len(pairs)) if pairs.weight is None else pairs.weight.astype(np.float64)
    return sum_by(_units(pairs), order_free(weight * value))


def left_out_totals(score: Score, pairs: Pairs, folds: Folds) -> tuple[float, Float]:
    """The sum behind a score, before any root, and its change if each fold is left out."""
    if isinstance(score, MeanLoss):
        return _mean(score, pairs, folds)
    if isinstance(score, GapScore):
        return _gaps(score, pairs, folds)
    raise UnsupportedError(f"{score!r} cannot be compared.")


def _mean(score: MeanLoss, pairs: Pairs, folds: Folds) -> tuple[float, Float]:
    return score(pairs), left_out_means(score.row_losses(pairs), pairs, folds)


def left_out_means(values: Float, pairs: Pairs, folds: Folds) -> Float:
    """The change of the mean of one value per row if each fold is left out."""
    weight = np.ones(len(pairs)) if pairs.weight is None else pairs.weight.astype(np.float64)
    fold = folds.of_rows(pairs)
    total = sum_by(fold, order_free(values * weight))
    size = sum_by(fold, order_free(weight))
    without = (total.sum() - total) / (size.sum() - size)
    return np.asarray(without - total.sum() / size.sum())


def _gaps(score: GapScore, pairs: Pairs, folds: Folds) -> tuple[float, Float]:
    evidence = score.evidence(pairs)
    cells, found = _folded(score, pairs, folds)
    norm = score.norm.at(cells.bins.q, cells.gap, cells.share)
    value = score.total(evidence) if isinstance(score, CalibrationError) else score.value(evidence)
    return value, _changes(norm, cells, found, _debiased(score))


def _debiased(score: GapScore) -> bool:
    return isinstance(score, CalibrationError) and score.debiased


def _folded(score: GapScore, pairs: Pairs, folds: Folds) -> tuple[CellGaps, Clusters]:
    """The gaps of a score, and the errors of each fold in each of their cells."""
    cells = score.evidence(pairs).cells
    folded = pairs.with_group(folds.of_rows(pairs))
    if isinstance(score, CalibrationError) and not isinstance(score.curve, BinnedCurve):
        cells = score.curve.gaps(folded).cells
        found = cells.clusters
    else:
        found = clusters(folded, cells.bins)
    assert found is not None  # folds are groups
    return cells, found.by_code()


def _changes(norm: Norm, cells: CellGaps, found: Clusters, debiased: bool) -> Float:
    if isinstance(cells, BinGaps):
        return _of_bins(norm, cells, found, debiased)
    return _of_curves(norm, cells, found)


def left_out_sizes(
    score: GapScore, one: Pairs, other: Pairs, folds: Folds, changes: tuple[Float, Float]
) -> Float | None:
    """The change of the difference of two scores without each fold, where their sizes bend.

    The size of a gap does not change with small noise once it is 0, so its own changes say too
    little. But |a| − |b| = (a² − b²) / (|a| + |b|), and squares do not bend. For a mean of absolute
    gaps, a and b are those of each row, and the denominators are means over each group (or row),
    which are kept. Other scores are single sizes themselves; `changes` has those of both. None if
    the score does not bend.
    """
    cells, found = zip(*(_folded(score, each, folds) for each in (one, other)), strict=True)
    norms = [score.norm.at(each.bins.q, each.gap, each.share) for each in cells]
    if not norms[0].bends:
        return None
    if isinstance(norms[0], Absolute):
        squares = _squares_of_sizes((one, other), cells)
        debiased = _debiased(score)
        of_one, of_other = (
            _changes(*each, debiased) for each in zip(squares, cells, found, strict=True)
        )
        return of_one - of_other
    sizes = [norm.plain(each.gap, each.share) for norm, each in zip(norms, cells, strict=True)]
    a, b = (float(each) for each in sizes)
    if a + b < SMALLEST:
        return changes[0] - changes[1]
    return np.asarray(2 * (a * changes[0] - b * changes[1]) / (a + b))


def _squares_of_sizes(
    models: tuple[Pairs, Pairs], cells: Sequence[CellGaps]
) -> list[WeightedSquares]:
    """Squares of the gaps of two models, weighted so that their difference is that of sizes."""
    places = [columns(each.q, of.bins.upper) for each, of in zip(models, cells, strict=True)]
    sizes = np.zeros_like(_by_unit(models[0], 1.0))
    for each, of, place in zip(models, cells, places, strict=True):
        sizes += _by_unit(each, np.abs(of.gap)[place]) / _by_unit(each, 1.0)
    squares = []
    for each, of, place in zip(models, cells, places, strict=True):
        weight = 1.0 if each.weight is None else each.weight.astype(np.float64)
        rows = order_free(weight / np.maximum(sizes, SMALLEST)[_units(each)])
        squares.append(WeightedSquares(sum_by(place, rows, of.gap.size) / each.n))
    return squares


def _of_bins(norm: Norm, cells: BinGaps, found: Clusters, debiased: bool) -> Float:
    """Changes of a sum over bins, with everything computed again without each fold."""
    count = cells.bins.n.size
    columns_of = (found.error, found.weight, found.error**2, found.weight**2)
    whole = _Sums(*(sum_by(found.column, each, count)[None] for each in columns_of))
    total = whole.scored(norm, debiased)[0]
    changes = np.empty(found.groups)
    step = max(AT_ONCE // count, 1)
    for first in range(0, found.groups, step):
        folds = slice(first, min(first + step, found.groups))
        rows = slice(found.start[folds.start], found.start[folds.stop])
        places = (found.owner[rows] - first, found.column[rows])
        gone = np.zeros((len(columns_of), folds.stop - first, count))
        for each, column in zip(gone, columns_of, strict=True):
            each[places] = column[rows]
        changes[folds] = whole.without(gone).scored(norm, debiased) - total
    return changes


class _Sums(NamedTuple):
    """Errors, weights and their squares by bin, one row per set of folds."""

    error: Float
    weight: Float
    squares: Float
    own: Float

    def without(self, gone: Float) -> "_Sums":
        """The sums without each of several folds, whose own sums are given."""
        error, weight, squares, own = (each - part for each, part in zip(self, gone, strict=True))
        weight[weight < NEGLIGIBLE * self.weight] = 0.0
        return _Sums(error, weight, squares, own)

    def scored(self, norm: Norm, debiased: bool) -> Float:
        """The sum of each row."""
        n, used = self.weight, self.weight > 0
        gap = np.where(used, self.error / np.where(used, n, 1.0), 0.0)
        share = n / n.sum(axis=1, keepdims=True)
        if not debiased:
            return np.array([norm.plain(*each) for each in zip(gap, share, strict=True)])
        apart = n**2 - self.own
        several = apart > NEGLIGIBLE * n**2
        spread = self.squares - gap**2 * self.own
        variance = np.where(several, spread / np.where(several, apart, 1.0), 0.0)
        if not norm.unbiased:
            variance = np.maximum(variance, 0.0)
        rows = zip(gap, share, variance, strict=True)
        return np.array([norm.debiased(*each) for each in rows])


def _of_curves(norm: Norm, cells: CellGaps, found: Clusters) -> Float:
    """Changes of a sum along a curve, which moves in proportion to what is left out."""
    size = sum_by(found.owner, found.weight, found.groups)
    scale = 1 / (1 - np.minimum(size / size.sum(), 0.9))
    effect = found.residual / cells.cell_scale[found.column]
    whole = float(norm.plain(cells.refitted(cells.gap[None, :].copy()), cells.share)[0])
    changes = np.empty(found.groups)
    for f in range(found.groups):
        rows = slice(found.start[f], found.start[f + 1])
        noise = np.zeros(cells.gap.size)
        noise[found.column[rows]] = effect[rows] * scale[f]
        moved = cells.refitted(cells.gap - cells.spread_out(noise[None, :]))
        changes[f] = float(norm.plain(moved, cells.share)[0]) - whole
    return changes
