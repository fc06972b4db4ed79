"""Rows of probabilities of classes, divided into folds."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from calibrant.calibration.analyses.class_losses import check_rule, row_losses
from calibrant.calibration.groups.units import rows_are_units
from calibrant.calibration.recalibration.cells import folds_of
from calibrant.calibration.recalibration.classes.maps import (
    ClassMap,
    log_rows,
    softmax_rows,
    unchanged,
)
from calibrant.calibration.recalibration.classes.multinomial import ClassLesson
from calibrant.calibration.recalibration.folded import Folded
from calibrant.calibration.recalibration.method import Method, RowMethod
from calibrant.calibration.scores import MeanLoss
from calibrant.checks.arrays import Label, Numbers, sum_by
from calibrant.pairs import Pairs

Float = NDArray[np.float64]
Int = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Rows:
    """What a model believes about the class of each item, which is true, and the groups."""

    q: Float  # a row per item, a column per class
    truth: Int  # the true column
    classes: tuple[Label, ...]
    group: NDArray[np.generic] | None
    possible: NDArray[np.bool_] | None = None  # which classes an item may have; None: all

    @cached_property
    def z(self) -> Float:
        """Logarithms of probabilities, −∞ for classes that an item cannot have."""
        found = log_rows(self.q)
        return found if self.possible is None else np.where(self.possible, found, -np.inf)

    @cached_property
    def top(self) -> Pairs:
        """The question whether the most probable class is right."""
        best = self.q.argmax(axis=1)
        return Pairs(best == self.truth, self.q.max(axis=1).clip(0, 1), group=self.group)

    def with_predictions(self, q: Float) -> "Rows":
        """The same items with other rows."""
        return Rows(q, self.truth, self.classes, self.group, self.possible)


@dataclass(frozen=True, eq=False)
class FoldedRows(Folded[ClassMap]):
    """Rows, and what those of each fold are worth."""

    rows: Rows
    fold: Numbers
    noise: Float  # (folds, K + 1, K + 1) Σ over groups of U Uᵀ, with U = Σ (y − q, (y − q) · z)
    information: Float  # the same, if rows were independent and q the truth
    unchanged: ClassMap

    @property
    def folds(self) -> int:
        """The number of folds."""
        return int(self.fold.max()) + 1

    def without(self, *folds: int) -> ClassLesson:
        """All rows but those of some folds."""
        kept = ~np.isin(self.fold, folds)
        return ClassLesson(self.rows.z[kept], self.rows.truth[kept], self._worth(folds))

    def learnt(self, methods: Sequence[Method], *left_out: int) -> list[ClassMap]:
        """The maps that methods learn from all folds but those that are left out."""
        lesson, classes = self.without(*left_out), self.rows.classes
        return [each.learn_rows(lesson, classes) for each in methods if isinstance(each, RowMethod)]

    def loss(self, fold: int, mapped: ClassMap, rule: MeanLoss) -> float:
        """The summed loss of the rows of a fold, mapped."""
        inside = self.fold == fold
        p = softmax_rows(mapped.on_logs(self.rows.z[inside]))
        return float(row_losses(check_rule(rule), p, self.rows.truth[inside]).sum())

    def _worth(self, left_out: tuple[int, ...]) -> float:
        """How many coefficients are known, over the trace of information⁻¹ · noise."""
        kept = ~np.isin(np.arange(self.folds), left_out)
        information, noise = self.information[kept].sum(axis=0), self.noise[kept].sum(axis=0)
        inverse = np.linalg.pinv(information, rcond=1e-10, hermitian=True)
        trace = float(np.vdot(inverse, noise))
        rank = float(np.vdot(inverse, information))
        return min(1.0, rank / trace) if trace > 0 else 1.0


def folded_rows(rows: Rows, seed: int) -> FoldedRows:
    """Divide rows into folds of whole groups."""
    fold = folds_of(rows.top, seed)
    noise, information = _moments(rows, fold, int(fold.max()) + 1)
    return FoldedRows(rows, fold, noise, information, unchanged(rows.classes))


def _moments(rows: Rows, fold: Numbers, many: int) -> tuple[Float, Float]:
    """Noise between groups and the information of single rows, in each fold."""
    q, z = softmax_rows(rows.z), np.where(np.isneginf(rows.z), 0.0, rows.z)
    information = np.array([_information(q[fold == f], z[fold == f]) for f in range(many)])
    if rows_are_units(rows.top):
        return information, information
    residual = -q
    residual[np.arange(len(q)), rows.truth] += 1.0
    scores = np.column_stack([residual, (residual * z).sum(axis=1)])
    codes = rows.top.codes
    assert codes is not None  # rows without groups are units
    of_group = np.column_stack([sum_by(codes, each) for each in scores.T])
    group_fold = np.empty(of_group.shape[0], fold.dtype)
    group_fold[codes] = fold
    parts = [of_group[group_fold == f] for f in range(many)]
    return np.array([each.T @ each for each in parts]), information


def _information(q: Float, z: Float) -> Float:
    """The covariance of (y − q, (y − q) · z) if q is the truth, summed over rows."""
    count = q.shape[1]
    found = np.zeros((count + 1, count + 1))
    mean = (q * z).sum(axis=1)
    apart = q * (z - mean[:, None])
    found[:count, :count] = np.diag(q.sum(axis=0)) - q.T @ q
    found[:count, count] = found[count, :count] = apart.sum(axis=0)
    found[count, count] = (q * (z - mean[:, None]) ** 2).sum()
    return found
