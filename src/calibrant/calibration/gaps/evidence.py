"""What a score and its interval are computed from, so that neither needs the pairs again.

`Gaps` belong to calibration errors (one gap q̂ − p̂ per bin), `Losses` to scores that are means
of one loss per pair. Intervals resample these, never the rows.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibrant.calibration.gaps.norms import Norm, Squared
from calibrant.checks.arrays import sum_by
from calibrant.errors import UnsupportedError
from calibrant.pairs import Pairs

Float = NDArray[np.float64]
Int = NDArray[np.int64]
KINDS = 4096  # kinds of losses that a bootstrap without groups tells apart


class Bins(NamedTuple):
    """Sums over the bins of a set of pairs, in ascending order of q."""

    n: Float
    positive: Float
    total: Float  # Σq
    upper: Float  # the largest q that belongs to the bin

    @property
    def q(self) -> Float:
        """The mean prediction of each bin."""
        return self.total / self.n

    @property
    def p(self) -> Float:
        """The mean observation of each bin."""
        return self.positive / self.n

    def merged(self, count: int) -> "Bins":
        """At most `count` bins of similar weight, made from neighbours."""
        if self.n.size <= count:
            return self
        reached = np.cumsum(self.n) - self.n / 2
        label = (reached / reached[-1] * (count - 1e-6)).astype(np.int64)
        begins = np.flatnonzero(np.concatenate([[True], np.diff(label) > 0]))
        last = np.append(begins[1:], self.n.size) - 1
        n, positive, total = (np.add.reduceat(each, begins) for each in self[:3])
        return Bins(n, positive, total, self.upper[last])


def distinct(pairs: Pairs) -> Bins:
    """Each distinct prediction as a bin of its own."""
    tally = pairs.tally
    bins = Bins(tally.weight, tally.positive, tally.weight * tally.q, tally.q)
    return at_predicted(pairs, bins)


def refuse_draws(pairs: Pairs, what: str, instead: str) -> None:
    """Refuse shares of draws where their noise would be taken for something else."""
    if pairs.held is not None:
        raise UnsupportedError(f"{what} cannot tell the noise of draws from errors: {instead}.")


def refuse_one_group(groups: int, instead: str = "leave the group out") -> None:
    """Refuse what needs to know how much groups differ, where there is only one."""
    if groups == 1:
        raise UnsupportedError(
            "All pairs are of one group, so nothing tells how much groups differ: " + instead + "."
        )


def at_predicted(pairs: Pairs, bins: Bins) -> Bins:
    """The bins with the sums of what was predicted, where draws were held back for that."""
    if pairs.held is None:
        return bins
    assert pairs.weight is not None
    column = np.searchsorted(bins.upper, pairs.q)
    total = sum_by(column, order_free(pairs.held * pairs.weight), bins.n.size)
    return bins._replace(total=total)


@dataclass(frozen=True, slots=True, eq=False)
class Clusters:
    """Errors summed by group and bin; a group is a sentence, a document or a weighted row."""

    start: Int  # (groups + 1,) compressed rows of (group, bin)
    column: Int  # bin
    weight: Float
    residual: Float  # Σ (e − ē of the bin)
    n: Float  # weight of each bin
    present: Int  # groups present in each bin
    order: Int  # the code of each group: they are ordered by content, so that labels cannot matter

    @property
    def groups(self) -> int:
        """The number of groups."""
        return self.start.size - 1

    @property
    def owner(self) -> Int:
        """The group of each compressed row."""
        return np.repeat(np.arange(self.groups), np.diff(self.start))

    def variance(self) -> Float:
        """v_i = G_i/(G_i − 1) · Σ_g (Σ (e − ē))² / n_i², 0 where fewer than two groups are."""
        squares = sum_by(self.column, self.residual**2, self.n.size)
        several = np.maximum(self.present - 1, 1)
        factor = np.where(self.present > 1, self.present / several, 0.0)
        spread: Float = factor * squares / self.n**2
        return spread

    def smoothed_variance(self, smoother: Float) -> Float:
        """The variance over groups of Σ_j smoother_ij · residual_j."""
        from calibrant.kernels.calibration.groups import outer_sums

        products = outer_sums(self.start, self.column, self.residual, self.n.size)
        spread: Float = np.einsum("ij,ij->i", smoother @ products, smoother)
        return spread * self.groups / max(self.groups - 1, 1)


@dataclass(frozen=True, slots=True, eq=False)
class Gaps:
    """The bins of one set of pairs, and how sure each of their gaps is."""

    bins: Bins
    clusters: Clusters | None
    counted: bool = True  # whether the weights of pairs are multiplicities
    smoother: Float | None = None  # (bins, bins): what one more positive does to p elsewhere
    coarse: Bins | None = None  # isotonic: the cells that clusters and replicates live on
    isotonic: bool = False

    @property
    def groups(self) -> int | None:
        """How many groups a bootstrap draws from; None where it draws pairs."""
        return None if self.clusters is None else self.clusters.groups

    @property
    def share(self) -> Float:
        """Each bin's share of the pairs."""
        return np.asarray(self.bins.n / self.bins.n.sum())

    @property
    def gap(self) -> Float:
        """q̂ − p̂."""
        return self.bins.q - self.bins.p

    @property
    def variance(self) -> Float:
        """An unbiased estimate of each gap's variance; 0 for bins too small to tell."""
        if self.smoother is not None:
            return self.sampling_variance
        if self.clusters is not None:
            return self.clusters.variance()
        n, p = self.bins.n, self.bins.p
        return np.where(n > 1, p * (1 - p) / np.maximum(n - 1, 1), 0.0)

    @property
    def sampling_variance(self) -> Float:
        """The variance of a resample around each gap: p̂(1−p̂)/n, or the robust one."""
        if self.smoother is not None:
            if self.clusters is not None:
                return self.clusters.smoothed_variance(self.smoother)
            return np.asarray(self.smoother**2 @ (self.bins.n * self.bins.p * (1 - self.bins.p)))
        if self.clusters is not None:
            return self.clusters.variance()
        return np.asarray(self.bins.p * (1 - self.bins.p) / self.bins.n)

    def total(self, norm: Norm, part: float = 1.0) -> float:
        """The sum over bins without (a part of) the noise, or the plain sum if none can go."""
        if self.isotonic or not norm.debiasable:
            return float(norm.plain(self.gap, self.share))
        variance = self.variance if isinstance(norm, Squared) else self.sampling_variance
        return float(norm.debiased(self.gap, self.share, part * variance))

    @property
    def too_small(self) -> int:
        """How many bins have fewer than two pairs (or groups), so that no variance is known."""
        if self.smoother is not None or self.isotonic:
            return 0
        counts = self.bins.n if self.clusters is None else self.clusters.present
        return int((counts < 2).sum())


@dataclass(frozen=True, slots=True, eq=False)
class Losses:
    """A mean loss, and the units that a bootstrap draws.

    With groups each unit is a group with its summed loss and its weight. Without, each unit is a
    kind of pair: `weight` pairs of the same (or nearly the same) loss, `total` together.
    """

    value: float
    total: Float
    weight: Float
    grouped: bool

    @property
    def groups(self) -> int | None:
        """How many groups a bootstrap draws from; None where it draws pairs."""
        return self.total.size if self.grouped else None


def losses(pairs: Pairs, rows: Float, loss: Callable[[Float, int], Float]) -> Losses:
    """Collect the loss of each row into units; `loss` splits compressed rows by outcome."""
    weight = np.ones(len(pairs)) if pairs.weight is None else pairs.weight.astype(np.float64)
    value = order_free_sum(rows * weight) / pairs.n
    if not np.isfinite(value):
        return Losses(value, np.array([value]), np.ones(1), False)
    units = resampling_units(pairs)
    if units is not None:
        codes, _, order = units
        total = sum_by(codes, order_free((rows * weight)[order]))
        weights = sum_by(codes, weight[order])
        nameless = np.lexsort((weights, total))  # labels of groups cannot matter
        return Losses(value, total[nameless], weights[nameless], True)
    if pairs.moments is not None:
        q = pairs.q.astype(np.float64, copy=False)
        rows = np.concatenate([loss(q, 1), loss(q, 0)])
        weight = np.concatenate([weight * pairs.y, weight * (1 - pairs.y)])
        rows, weight = rows[weight > 0], weight[weight > 0]
    return Losses(value, *_kinds(rows, weight), False)


def _kinds(rows: Float, weight: Float) -> tuple[Float, Float]:
    """At most KINDS kinds of pairs: their summed loss and how many they are, by loss."""
    span = rows.max() - rows.min()
    if weight.sum() > KINDS and span > 0:  # by weight: a weight of two is a row twice
        label = ((rows - rows.min()) * ((KINDS - 1) / span)).astype(np.int64)
    else:
        _, label = np.unique(rows, return_inverse=True)
    many = sum_by(label, weight)
    total = sum_by(label, order_free(rows * weight))
    return total[many > 0], many[many > 0]


def order_free(values: Float) -> Float:
    """The values rounded to a grid on which sums of them are exact, in any order."""
    total = float(np.abs(values).sum())
    if not 0 < total < np.inf:
        return values
    step = 2.0 ** (np.ceil(np.log2(total)) - 50)
    rounded: Float = np.rint(values / step) * step
    return rounded


def order_free_sum(values: Float) -> float:
    """A sum that does not depend on the order of the values."""
    return float(order_free(values).sum())


def clusters(
    pairs: Pairs,
    bins: Bins,
    error: Float | None = None,
    column: Int | None = None,
    mean: Float | None = None,
) -> Clusters | None:
    """Sum errors (q − y unless given) by group and bin; None for plain or counted pairs.

    `column` is the bin of each row, where q alone does not tell; `mean` the mean error of each
    bin, where a curve says more about it than its own pairs do.
    """
    units = resampling_units(pairs)
    if units is None:
        return None
    from calibrant.kernels.calibration.groups import group_sums

    codes, weight, order = units
    if column is None:
        column = np.searchsorted(bins.upper, pairs.q).astype(np.int64)
    column = column[order]
    error = pairs.predicted - pairs.y if error is None else error
    e = error[order].astype(np.float64, copy=False)
    sums = group_sums(codes, column, e, weight, int(codes.max()) + 1, bins.n.size)
    if mean is None:
        mean = sum_by(sums.column, sums.error, bins.n.size) / bins.n
    residual = sums.error - sums.weight * mean[sums.column]
    present = np.bincount(sums.column, minlength=bins.n.size)
    start, rows, order = nameless(sums.start, sums.column, sums.weight, residual)
    return Clusters(
        start, sums.column[rows], sums.weight[rows], residual[rows], bins.n, present, order
    )


def nameless(start: Int, column: Int, weight: Float, residual: Float) -> tuple[Int, Int, Int]:
    """Order groups by what they hold, so that their labels cannot matter.

    Returns where the groups start, their rows and their codes in that order.
    """
    size = np.diff(start)
    owner = np.repeat(np.arange(size.size), size)
    contents = (residual**2, residual * column, weight * column, residual**2 * column, weight)
    keys = [sum_by(owner, each, size.size) for each in contents]
    order = np.lexsort((*keys, size))
    moved = np.concatenate([[0], np.cumsum(size[order])])
    rows = np.repeat(start[:-1][order] - moved[:-1], size[order]) + np.arange(owner.size)
    return moved, rows, order


def resampling_units(
    pairs: Pairs,
) -> tuple[Int, Float | None, Any] | None:
    """The group of each row, its weight, and the order of the rows; None where rows are alike.

    Rows with importance weights are units of their own where there are no groups. They are put
    in a fixed order, because sums of fractions depend on it.
    """
    if pairs.codes is None and pairs.counted:
        return None
    if pairs.codes is not None and pairs.counted:
        weight = None if pairs.weight is None else pairs.weight.astype(np.float64, copy=False)
        return pairs.codes, weight, slice(None)
    assert pairs.weight is not None
    order = np.lexsort((pairs.weight, pairs.y, pairs.q))
    codes = np.arange(len(pairs)) if pairs.codes is None else pairs.codes[order]
    return codes, pairs.weight[order].astype(np.float64, copy=False), order
