"""Isotonic regression: the best non-decreasing curve (CORP)."""

from collections.abc import Callable
from dataclasses import dataclass

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
from calibrant.calibration.curves.interpolation import interpolate
from calibrant.calibration.curves.monotone_bands import Counts, monotone_limits
from calibrant.calibration.gaps.bins import Bins, distinct
from calibrant.calibration.gaps.clusters import clusters
from calibrant.calibration.gaps.fine_gaps import FineGaps
from calibrant.calibration.gaps.isotonic_gaps import IsotonicGaps
from calibrant.calibration.groups.few_groups import normal_quantile
from calibrant.calibration.groups.units import refuse_draws, rows_are_units
from calibrant.checks.arrays import sum_by
from calibrant.checks.parameters import check_level
from calibrant.errors import UnsupportedError, option
from calibrant.pairs import Pairs
from calibrant.pairs.rows import Tally

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

    def blocks(self, tally: Tally) -> tuple[NDArray[np.int64], Float]:
        """The first distinct prediction of each step, and its frequency."""
        from calibrant.kernels.calibration.pav import isotonic

        return isotonic(tally.positive, tally.weight)

    def fit(
        self, pairs: Pairs, level: float = 0.95, band: str | None = None, seed: int = 0
    ) -> Curve:
        """The curve of these pairs, one point per step, with a band at `level`."""
        check_level(level)
        name = self.band(band)
        _refuse(pairs)
        tally = pairs.tally
        first, p = self.blocks(tally)
        n = np.add.reduceat(tally.weight, first)
        q = np.add.reduceat(tally.weight * tally.q, first) / n
        last = np.append(first[1:], tally.q.size) - 1
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
            upper=tally.q[last],
        )

    def estimate(self, pairs: Pairs) -> Callable[[Float], Float]:
        """Steps, joined by lines."""
        _refuse(pairs)
        return _joined(pairs.tally)

    def columns(self, pairs: Pairs) -> NDArray[np.int64]:
        """The cell of each row."""
        return np.searchsorted(self._coarse(pairs).upper, pairs.q)

    def gaps(self, pairs: Pairs) -> FineGaps:
        """The gap of every distinct prediction; the curve is refitted to each replicate."""
        _refuse(pairs)
        coarse = self._coarse(pairs)
        groups = clusters(pairs, coarse, mean=coarse.q - coarse.p)
        return FineGaps(self._fitted(pairs), IsotonicGaps(coarse, groups))

    def _fitted(self, pairs: Pairs) -> Bins:
        """Every distinct prediction with its fitted frequency."""
        tally = pairs.tally
        first, p = self.blocks(tally)
        size = np.diff(np.append(first, tally.q.size))
        return distinct(pairs)._replace(positive=np.repeat(p, size) * tally.weight)

    def _coarse(self, pairs: Pairs) -> Bins:
        """The cells for replicates, cached for these pairs."""
        return pairs.remember("isotonic cells", lambda: self._fitted(pairs).merged(CELLS))

    def _limits(self, pairs: Pairs, at: Float, level: float) -> tuple[Float, Float]:
        """The confidence band at the predictions `at`."""
        coarse, column = self._coarse(pairs), self.columns(pairs)
        size = coarse.n.size
        k = sum_by(np.searchsorted(coarse.upper, pairs.tally.q), pairs.tally.positive, size)
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


def _joined(tally: Tally) -> Callable[[Float], Float]:
    from calibrant.kernels.calibration.pav import isotonic

    first, p = isotonic(tally.positive, tally.weight)
    last = np.append(first[1:], tally.q.size) - 1
    corners = np.column_stack([tally.q[first], tally.q[last]]).ravel()
    return lambda asked: interpolate(asked, corners, np.repeat(p, 2))
