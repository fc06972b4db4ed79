"""Isotonic regression: the best non-decreasing curve (CORP)."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibrant.calibration.curves.cells import alone, group_cells
from calibrant.calibration.curves.curve import Curve
from calibrant.calibration.curves.estimator import (
    Estimator,
    distribution_of,
    signature_of,
    support_of,
)
from calibrant.calibration.curves.even_bins import merged
from calibrant.calibration.curves.interpolation import interpolate
from calibrant.calibration.curves.monotone_bands import Counts, monotone_limits
from calibrant.calibration.gaps.bins import Bins, columns, distinct
from calibrant.calibration.gaps.clusters import clusters
from calibrant.calibration.gaps.fine_gaps import FineGaps
from calibrant.calibration.gaps.isotonic_gaps import IsotonicGaps
from calibrant.calibration.groups.few_groups import normal_quantile
from calibrant.calibration.groups.units import refuse_draws, rows_are_units
from calibrant.checks.arrays import Numbers, sum_by
from calibrant.checks.parameters import check_level
from calibrant.errors import UnsupportedError, option
from calibrant.pairs import Pairs

if TYPE_CHECKING:
    from calibrant.kernels.in_order import Ties

Float = NDArray[np.float64]
REPLICATES = 500  # replicates of a band: a dozen lie beyond each 95 % limit
CELLS = 1000  # maximum number of cells for replicates; steps of a curve are far wider


@dataclass(frozen=True, repr=False)
class Isotonic(Estimator):
    """The non-decreasing step function closest to the observations.

    It needs no bins and no bandwidth, and is consistent whenever frequencies grow with
    predictions. Equal predictions are pooled first. Straight lines join the steps. Its noise
    cannot be removed, so scores based on it are plug-in values.

    The band "confidence" contains the true frequency at a given prediction at least as often as
    its level says, if pairs are independent and frequencies never fall. It is wider than other
    bands, since it assumes nothing else. With groups it is approximate. Its standard error is half
    its width, divided by the normal quantile. The band "consistency" lies around the diagonal and
    covers the curves of a calibrated model.

    References
    ----------
    Ayer et al. (1955), doi:10.1214/aoms/1177728423; Dimitriadis, Gneiting and Jordan (2021),
    doi:10.1073/pnas.2016191118; Clopper and Pearson (1934), doi:10.1093/biomet/26.4.404.

    Examples
    --------
    >>> import calibrant as cb
    >>> steps = cb.curve(cb.Pairs([0, 1, 0, 1], [0.1, 0.4, 0.6, 0.9]), cb.Isotonic())
    >>> steps.p, steps([0.25])
    (array([0. , 0.5, 1. ]), array([0.25]))
    """

    debiasable = False
    bands = ("confidence", "consistency")
    drawn_bands = ("consistency",)

    def fit(
        self, pairs: Pairs, level: float = 0.95, band: str | None = None, seed: int = 0
    ) -> Curve:
        """The curve of these pairs, one point per step, with a band at `level`."""
        check_level(level)
        name = self.band(band)
        _refuse(pairs)
        steps = steps_of(pairs)
        first, p = steps.pooled()
        n = np.add.reduceat(steps.weight, first)
        q = np.add.reduceat(steps.total, first) / n
        last = np.append(first[1:], steps.high.size) - 1
        if name == "confidence":
            low, high = self._limits(pairs, q, level)
            low, high = np.minimum(low, p), np.maximum(high, p)
            se = (high - low) / (2 * normal_quantile(level))
        else:
            replicates = self._replicates(pairs, q, seed)
            tail = (1 - level) / 2
            low, high = np.quantile(replicates, [tail, 1 - tail], axis=0)
            se = replicates.std(axis=0)
        return Curve(
            q=q,
            p=p,
            n=n,
            se=se,
            low=low,
            high=high,
            distribution=distribution_of(pairs),
            level=level,
            signature=signature_of(self, pairs, name, level, seed),
            estimate=self.estimate(pairs),
            support=support_of(pairs),
            upper=steps.high[last],
            pairs=pairs,
        )

    def estimate(self, pairs: Pairs) -> Callable[[Float], Float]:
        """Steps, joined by lines."""
        _refuse(pairs)
        return _joined(steps_of(pairs))

    def columns(self, pairs: Pairs) -> Numbers:
        """The cell of each row."""
        return columns(pairs.q, self._coarse(pairs).upper)

    def gaps(self, pairs: Pairs) -> FineGaps:
        """The gap of every distinct prediction; the curve is refitted to each replicate."""
        _refuse(pairs)
        return FineGaps(self._fitted(pairs), self.cell_gaps(pairs))

    def cell_gaps(self, pairs: Pairs) -> IsotonicGaps:
        """The gaps of the cells that replicates use."""
        _refuse(pairs)
        coarse = self._coarse(pairs)
        return IsotonicGaps(coarse, clusters(pairs, coarse, mean=coarse.q - coarse.p))

    def _fitted(self, pairs: Pairs) -> Bins:
        """Every distinct prediction with its fitted frequency."""
        first, p = steps_of(pairs).pooled()
        bins, begins = distinct(pairs), steps_of(pairs).low[first]
        at = np.searchsorted(begins, bins.upper, side="right") - 1
        return bins._replace(positive=p[at] * bins.n)

    def _coarse(self, pairs: Pairs) -> Bins:
        """The cells for replicates, with fitted frequencies, cached for these pairs."""
        return pairs.remember("isotonic cells", lambda: self._make_coarse(pairs))

    def _make_coarse(self, pairs: Pairs) -> Bins:
        cells, steps = merged(pairs, CELLS), steps_of(pairs)
        first, p = steps.pooled()
        size = np.diff(np.append(first, steps.weight.size))
        at = np.searchsorted(cells.upper, steps.high)
        return cells._replace(positive=sum_by(at, np.repeat(p, size) * steps.weight, cells.n.size))

    def _limits(self, pairs: Pairs, at: Float, level: float) -> tuple[Float, Float]:
        """The confidence band at the predictions `at`."""
        coarse, steps = self._coarse(pairs), steps_of(pairs)
        size = coarse.n.size
        k = sum_by(np.searchsorted(coarse.upper, steps.high), steps.positive, size)
        if rows_are_units(pairs):
            return monotone_limits(pairs, Counts(coarse.q, coarse.n, k, coarse.n), None, at, level)
        column = self.columns(pairs)
        cells = Counts(coarse.q, coarse.n, k, alone(pairs, column, coarse.n))
        return monotone_limits(pairs, cells, group_cells(pairs, column, size), at, level)

    def _replicates(self, pairs: Pairs, at: Float, seed: int) -> Float:
        """Curves of calibrated predictions at the predictions `at`."""
        from calibrant.kernels.calibration.pav import fit_rows

        if not rows_are_units(pairs):
            raise UnsupportedError(
                "The consistency band assumes independent pairs, but these have groups or "
                f"importance weights: use {option('band', repr('confidence'))}."
            )
        coarse = self._coarse(pairs)
        q, n = coarse.q, coarse.n
        generator = np.random.default_rng(seed)
        counts = generator.multinomial(round(n.sum()), n / n.sum(), REPLICATES).astype(float)
        drawn = generator.binomial(counts.astype(np.int64), q).astype(float)
        found = np.empty((REPLICATES, at.size))
        for r in range(REPLICATES):
            used = counts[r] > 0
            row = (drawn[r, used] / counts[r, used])[None, :]
            fit_rows(row, counts[r, used])
            found[r] = interpolate(at, q[used], row[0])
        return found


def _refuse(pairs: Pairs) -> None:
    refuse_draws(pairs, "Isotonic", "use AdaptiveBins or UniformBins")


def _joined(steps: "Steps") -> Callable[[Float], Float]:
    first, p = steps.pooled()
    last = np.append(first[1:], steps.high.size) - 1
    corners = np.column_stack([steps.low[first], steps.high[last]]).ravel()
    return lambda asked: interpolate(asked, corners, np.repeat(p, 2))


class Steps(NamedTuple):
    """Neighbouring predictions that an isotonic curve surely pools, in ascending order."""

    low: Float  # smallest and largest prediction
    high: Float
    weight: Float
    positive: Float
    total: Float  # Σ weight · q

    def pooled(self) -> tuple[NDArray[np.int64], Float]:
        """The first of each block of the curve, and its frequency."""
        from calibrant.kernels.calibration.pav import isotonic

        return isotonic(self.positive, self.weight)


def steps_of(pairs: Pairs) -> Steps:
    """The steps of these pairs, none of which is in two of the cells for replicates."""
    return pairs.remember("isotonic steps", lambda: _steps(pairs))


def _steps(pairs: Pairs) -> Steps:
    if not pairs.many:
        q, weight, positive = pairs.tally
        return Steps(q, q, weight, positive, weight * q)
    from calibrant.kernels.calibration.pav import pool_within

    upper = merged(pairs, CELLS).upper

    def visit(ties: "Ties") -> Steps:
        first = np.empty(ties.q.size, np.int64)
        used = pool_within(ties.positive, ties.weight, np.searchsorted(upper, ties.q), first)
        begins = first[:used]
        last = np.append(begins[1:], ties.q.size) - 1
        sums = (ties.weight, ties.positive, ties.weight * ties.q)
        added = (np.add.reduceat(each, begins) for each in sums)
        return Steps(ties.q[begins], ties.q[last], *added)

    return Steps(*(np.concatenate(each) for each in zip(*pairs.in_order(visit), strict=True)))
