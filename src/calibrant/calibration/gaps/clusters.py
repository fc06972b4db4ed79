"""`Clusters`: the variation of errors between groups in each bin."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from calibrant.calibration.gaps.bins import Bins, columns
from calibrant.calibration.gaps.outcomes import Outcomes, outcomes
from calibrant.calibration.groups.units import (
    UnitRows,
    by_content,
    moved,
    moved_start,
    rows_are_units,
    sums_by_unit,
)
from calibrant.checks.arrays import Numbers, sum_by
from calibrant.pairs import Pairs
from calibrant.pairs.groups import effective_number

if TYPE_CHECKING:
    from calibrant.kernels.calibration.groups import GroupSums

Float = NDArray[np.float64]
Int = NDArray[np.int64]
LEAST_APART = 0.1  # share of pairs of rows from different groups: with fewer, one group is all


@dataclass(frozen=True, slots=True, eq=False)
class Clusters(UnitRows):
    """Errors summed by group and bin; a group is a sentence, a document or a weighted row."""

    weight: Float
    residual: Float  # Σ (e − ē of the bin)
    mean: Float  # ē of each bin
    n: Float  # weight of each bin
    present: Int  # groups present in each bin
    outcomes: Outcomes | None  # of single pairs
    lone: bool  # whether each unit is one row, so that no pairs depend on each other

    @property
    def error(self) -> Float:
        """Σ e of each compressed row."""
        found: Float = self.residual + self.weight * self.mean[self.column]
        return found

    @property
    def effective(self) -> float:
        """How many groups of equal size these are worth."""
        return effective_number(sum_by(self.owner, self.weight, self.groups))

    def variance(self) -> Float:
        """(Σ_g E_g² − ē² Σ_g N_g²) / (n² − Σ_g N_g²) of each bin; 0 with fewer than two groups.

        Here E_g = Σ e and N_g is the weight of the group. So ē² minus the variance is the mean
        product of the errors of two different groups: without bias, however unequal the groups.
        It may be negative.
        """
        own, squares, _ = self._squares()
        apart = np.where(self.present > 1, self.n**2 - own, np.inf)
        spread: Float = (squares - self.mean**2 * own) / apart
        return spread

    def _squares(self) -> Float:
        """Σ weight², Σ error² and Σ residual² of each bin."""
        from calibrant.kernels.calibration.groups import bin_squares

        found = np.zeros((3, self.n.size))
        bin_squares(self.column, self.weight, self.residual, self.mean, found)
        return found

    def smoothed_variance(self, smoother: Float) -> Float:
        """The variance over groups of Σ_j smoother_ij · residual_j."""
        from calibrant.kernels.calibration.groups import outer_sums

        if self.groups < self.n.size:
            spread: Float = np.sum((self.dense(self.residual) @ smoother.T) ** 2, axis=0)
        else:
            products = outer_sums(self.start, self.column, self.residual, self.n.size)
            spread = np.einsum("ij,ij->i", smoother @ products, smoother)
        alone = 1 / self.effective  # the share of pairs of rows in one group
        return spread / max(1 - alone, LEAST_APART)

    def dense(self, value: Float) -> Float:
        """The value of each group in each bin, from those of compressed rows."""
        found = np.zeros((self.groups, self.n.size))
        found[self.owner, self.column] = value
        return found

    def silent(self) -> NDArray[np.bool_]:
        """Bins in which all groups have the same error."""
        found: NDArray[np.bool_] = np.equal(self._squares()[2], 0)
        return found

    def by_code(self) -> "Clusters":
        """Reorder the groups by their codes, which several models share."""
        place = np.argsort(self.order)
        return replace(
            self,
            start=moved_start(self.start, place),
            column=moved(self.start, place, self.column),
            order=self.order[place],
            weight=moved(self.start, place, self.weight),
            residual=moved(self.start, place, self.residual),
        )


def clusters(
    pairs: Pairs,
    bins: Bins,
    error: Float | None = None,
    column: Numbers | None = None,
    mean: Float | None = None,
) -> Clusters | None:
    """Sum errors (default: q − y) by group and bin; None for plain or counted pairs.

    `column` is the bin of each row, if q alone does not determine it. `mean` is the mean error of
    each bin, if a curve estimates it better than the pairs of the bin.
    """
    if rows_are_units(pairs):  # before the bins of all rows are looked up
        return None
    if column is None:
        column = columns(pairs.q, bins.upper)
    each = pairs.predicted - pairs.y if error is None else error
    sums = sums_by_unit(pairs, column, each, bins.n.size)
    del column, each  # as large as the pairs
    if sums is None:
        return None
    return _clusters(pairs, bins, sums, mean)


def _clusters(pairs: Pairs, bins: Bins, sums: "GroupSums", mean: Float | None) -> Clusters:
    from calibrant.kernels.calibration.groups import subtract_means

    if mean is None:
        mean = sum_by(sums.column, sums.error, bins.n.size) / bins.n
    subtract_means(sums.column, sums.weight, sums.error, mean)  # no copy: there may be many rows
    order = by_content(sums, sums.error)
    present = sum_by(sums.column, np.broadcast_to(1.0, sums.column.size), bins.n.size)
    return Clusters(
        start=moved_start(sums.start, order),
        column=moved(sums.start, order, sums.column),
        order=order,
        weight=moved(sums.start, order, sums.weight),
        residual=moved(sums.start, order, sums.error),
        mean=mean,
        n=bins.n,
        present=present.astype(np.int64),
        outcomes=outcomes(pairs),
        lone=pairs.codes is None,
    )
