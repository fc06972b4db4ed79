"""The base class of smooth curves: kernel and local likelihood estimators."""

from abc import abstractmethod
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from calibrant.calibration.curves.cells import (
    SCALES,
    Cells,
    GroupCells,
    group_cells,
    make_cells,
    position,
    resample_cells,
    unposition,
)
from calibrant.calibration.curves.curve import Curve
from calibrant.calibration.curves.estimator import (
    Estimator,
    distribution_of,
    signature_of,
    support_of,
)
from calibrant.calibration.curves.interpolation import interpolate
from calibrant.calibration.curves.local_bands import (
    NARROWER,
    Band,
    band_around,
    end_bands,
    local_fits,
    order_for,
    spread_of,
)
from calibrant.calibration.gaps.bins import Bins
from calibrant.calibration.gaps.clusters import Clusters
from calibrant.calibration.gaps.outcomes import outcomes
from calibrant.calibration.gaps.smooth_gaps import SmoothGaps
from calibrant.calibration.groups.units import leave_groups_out, refuse_draws
from calibrant.checks.parameters import check_level, real_number, whole_number
from calibrant.errors import InputError, ParameterError, UnknownName
from calibrant.pairs import Pairs
from calibrant.results.tabular import Tabular

if TYPE_CHECKING:
    from calibrant.kernels.calibration.smoothing import Fits

Float = NDArray[np.float64]
FOLDS = 10  # folds of whole groups in cross-validation: the usual number
REPLICATES = 200  # replicates of the band: its limits then vary by a twentieth of its width
POINTS = 100  # points at which a curve is shown: more would be indistinguishable in a figure
DENSE = 5000  # maximum cells for scores, whose noise takes 8 bytes per pair of cells
CANDIDATES = 20  # bandwidths to try: each is a third larger than the one before
NARROWEST = 1e-300  # smallest bandwidth to try: smaller numbers lose precision


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CrossValidation(Tabular):
    """How well each bandwidth predicts pairs that were held out of the fit.

    Attributes
    ----------
    bandwidth
        The bandwidths tried.
    loss
        The mean loss of each on held-out pairs: minus the log-likelihood for `LocalLikelihood`,
        the squared error for `Kernel`.
    best
        The bandwidth with the smallest loss.
    left_out
        What was held out: "pairs" one by one, or "groups" in ten folds.
    """

    bandwidth: Float
    loss: Float
    left_out: str

    @property
    def best(self) -> float:
        """The bandwidth with the smallest loss."""
        return float(self.bandwidth[np.argmin(self.loss)])

    def __repr__(self) -> str:
        return f"CrossValidation({self.bandwidth.size} bandwidths, best {self.best:.4g})"

    def table(self) -> tuple[list[str], list[list[str]]]:
        """Header and rows as text."""
        rows = [
            [f"{h:.4g}", f"{loss:.6f}", "best" if h == self.best else ""]
            for h, loss in zip(self.bandwidth, self.loss, strict=True)
        ]
        return ["bandwidth", "loss", ""], rows


@dataclass(frozen=True, repr=False)
class SmoothCurve(Estimator, abstract=True):
    """A curve that is fitted at every point, with weights that fall off with distance."""

    linear: ClassVar[bool]  # whether the local fit is a line on the logit scale, or a mean
    bands = ("robust", "bootstrap")
    drawn_bands = ("bootstrap",)

    bandwidth: float | None = None
    scale: str = "logit"
    grid: int | None = 1000

    def __post_init__(self) -> None:
        if self.bandwidth is not None:
            bandwidth = real_number("bandwidth", self.bandwidth)
            if bandwidth <= 0:
                raise ParameterError(f"bandwidth must be positive, but it is {self.bandwidth!r}.")
            object.__setattr__(self, "bandwidth", bandwidth)
        if self.scale not in SCALES:
            raise UnknownName("scale", str(self.scale), SCALES)
        if self.grid is not None:
            object.__setattr__(self, "grid", whole_number("grid", self.grid, 50, 10_000))

    @abstractmethod
    def check(self, cells: Cells) -> None:
        """Refuse data that cannot be fitted."""

    def cells(self, pairs: Pairs) -> Cells:
        """The cells that the curve is fitted to, cached for these pairs."""
        refuse_draws(pairs, type(self).__name__, "use AdaptiveBins or UniformBins")
        key = ("cells", self.scale, self.grid)
        return pairs.remember(key, lambda: make_cells(pairs, self.scale, self.grid))

    def cross_validate(self, pairs: Pairs) -> CrossValidation:
        """Try bandwidths, each on pairs held out of its fit.

        Without groups, every pair is predicted from all others (exact leave-one-out). With groups,
        each of ten folds of whole groups is predicted from the other nine.
        """
        cells = self.cells(pairs)
        if cells.x.size < 2:
            raise InputError(
                "All q strictly between 0 and 1 are equal, so no bandwidth can be chosen: give a "
                "bandwidth, or use AdaptiveBins."
            )
        self.check(cells)
        key = ("cross-validation", type(self), self.scale, self.grid)
        return pairs.remember(key, lambda: self._try(pairs, cells))

    def _try(self, pairs: Pairs, cells: Cells) -> CrossValidation:
        from calibrant.kernels.calibration.smoothing import leave_folds_out, leave_one_out
        from calibrant.kernels.threads import workers

        tried = _candidates(cells)
        grouped = group_cells(pairs, cells.column, cells.x.size + 2)
        if grouped is not None and grouped.groups < 2:
            raise InputError(
                "All pairs belong to one group, so no group can be held out: "
                f"{leave_groups_out()}, or give a bandwidth."
            )
        loss = np.zeros((tried.size, cells.x.size))
        x, n, k = cells.x, cells.n, cells.k
        if grouped is None:

            def attempt(i: int) -> None:
                leave_one_out(x, n, k, tried[i], self.linear, loss[i])
        else:
            fold_n, fold_k = (
                np.ascontiguousarray(each[:, : x.size])
                for each in grouped.folds(min(FOLDS, grouped.groups), x.size + 2)
            )

            def attempt(i: int) -> None:
                leave_folds_out(x, n, k, fold_n, fold_k, tried[i], self.linear, loss[i])

        with ThreadPoolExecutor(workers()) as pool:
            list(pool.map(attempt, range(tried.size)))
        left_out = "pairs" if grouped is None else "groups"
        return CrossValidation(tried, loss.sum(axis=1) / n.sum(), left_out)

    def chosen_bandwidth(self, pairs: Pairs) -> float:
        """The given bandwidth, or the best one by cross-validation."""
        return self.cross_validate(pairs).best if self.bandwidth is None else self.bandwidth

    def gaps(self, pairs: Pairs) -> SmoothGaps:
        """The gap of every cell, and how each cell influences the curve in the others."""
        from calibrant.kernels.calibration.smoothing import influence

        cells = self.cells(pairs)
        if cells.x.size > DENSE:
            raise ParameterError(
                f"There are {cells.x.size} distinct predictions, too many for a score without a "
                "grid (at most 5000): leave grid=None out."
            )
        found = self.fits(pairs, cells.x)
        inner, count = cells.x.size, cells.x.size + int((cells.ends_n > 0).sum())
        smoother = np.zeros((count, count))
        fit = (found.width, found.level, found.slope)
        influence(cells.x, cells.n, cells.x, *fit, self.linear, smoother[:inner, :inner])
        there = np.flatnonzero(cells.ends_n > 0)
        smoother[range(inner, count), range(inner, count)] = 1 / cells.ends_n[there]
        n = np.concatenate([cells.n, cells.ends_n[there]])
        q = np.concatenate([cells.q, there.astype(np.float64)])
        ends = cells.ends_k[there] / cells.ends_n[there]
        p = np.concatenate([self.frequency(found.level), ends])
        groups = _residuals(pairs, group_cells(pairs, self.columns(pairs), count), n, p, q)
        return SmoothGaps(Bins(n, p * n, q * n, q), groups, smoother, self.linear)

    def columns(self, pairs: Pairs) -> NDArray[np.int64]:
        """The cell of each row, among those of `gaps`."""
        cells = self.cells(pairs)
        inner = cells.x.size
        number = np.concatenate([np.arange(inner), inner + np.cumsum(cells.ends_n > 0) - 1])
        found: NDArray[np.int64] = number[cells.column]
        return found

    def fits(self, pairs: Pairs, at: Float) -> "Fits":
        """The local fits at positions on the scale."""
        from calibrant.kernels.calibration.smoothing import fit_points

        cells = self.cells(pairs)
        self.check(cells)
        h = self.chosen_bandwidth(pairs)
        return fit_points(cells.x, cells.n, cells.k, at, h, self.linear)

    def frequency(self, level: Float) -> Float:
        """Convert fitted values to frequencies."""
        return unposition(level, "logit") if self.linear else level

    def fit(
        self, pairs: Pairs, level: float = 0.95, band: str | None = None, seed: int = 0
    ) -> Curve:
        """The curve of these pairs, with a band at `level`.

        The band "robust" allows for the bias of smoothing, so it need not be centred on the curve;
        its standard errors are those of the less biased fits behind it. The band "bootstrap" holds
        the curves of resampled pairs (or groups), and refers to the smoothed true curve.
        """
        check_level(level)
        name = self.band(band)
        cells = self.cells(pairs)
        self.check(cells)
        at = _points(cells)
        found = self.fits(pairs, at)
        q = np.concatenate([unposition(at, self.scale), [0.0, 1.0]])
        shown = np.argsort(q, kind="stable")
        shown = shown[np.concatenate([np.ones(at.size, bool), cells.ends_n > 0])[shown]]
        p = np.concatenate([self.frequency(found.level), _rates(cells.ends_n, cells.ends_k)])[shown]
        if name == "robust":
            every = self._robust(pairs, cells, at, found, level)
            low, high, se = (each[shown] for each in every)
        else:
            replicates = self._replicates(pairs, cells, at, found, seed)
            low, high, se = _percentiles(replicates[:, shown], level)
        return Curve(
            q=q[shown],
            p=p,
            n=np.concatenate([found.weight, cells.ends_n])[shown],
            se=se,
            low=np.minimum(low, p),
            high=np.maximum(high, p),
            distribution=distribution_of(pairs),
            level=level,
            signature=signature_of(self, pairs, name, level, seed),
            estimate=self.estimate(pairs),
            support=support_of(pairs),
            pairs=pairs,
            reach=_reach(np.concatenate([at, [-np.inf, np.inf]])[shown], self.scale),
        )

    def _robust(self, pairs: Pairs, cells: Cells, at: Float, found: "Fits", level: float) -> Band:
        """The band of less biased fits, and Wilson's for predictions of exactly 0 and 1."""
        from calibrant.kernels.calibration.smoothing import fit_points

        x, n, k = cells.x, cells.n, cells.k
        h = NARROWER * self.chosen_bandwidth(pairs)
        grouped = group_cells(pairs, cells.column, x.size + 2)
        fit = local_fits(cells, at, fit_points(x, n, k, at, h, self.linear).width, order_for(pairs))
        p = self.frequency(interpolate(x, at, found.level))
        inner = band_around(fit, spread_of(pairs, cells, grouped, fit, p), level)
        ends = end_bands(pairs, cells, grouped, level)
        return Band(*(np.concatenate(both) for both in zip(inner, ends, strict=True)))

    def estimate(self, pairs: Pairs) -> Callable[[Float], Float]:
        """The fitted curve as a function of q."""
        cells = self.cells(pairs)
        ends = _rates(cells.ends_n, cells.ends_k)

        def value(q: Float) -> Float:
            q = np.atleast_1d(np.asarray(q, np.float64))
            inner = np.ones(q.shape, bool) if self.scale == "identity" else (q > 0) & (q < 1)
            found: Float = np.where(q == 0, ends[0], ends[1])
            if inner.any() and cells.x.size:
                distinct, where = np.unique(q[inner], return_inverse=True)
                found[inner] = self.frequency(self._levels(pairs, distinct))[where]
            return found

        return value

    def _levels(self, pairs: Pairs, q: Float) -> Float:
        """Fitted values at sorted predictions; if there are many, interpolated between cells."""
        x, cells = position(q, self.scale), self.cells(pairs)
        if cells.width == 0 or q.size <= 2 * cells.x.size:
            levels: Float = self.fits(pairs, x).level
            return levels
        found: Float = interpolate(x, cells.x, self.fits(pairs, cells.x).level)
        beyond = (x < cells.x[0]) | (x > cells.x[-1])
        if beyond.any():
            found[beyond] = self.fits(pairs, x[beyond]).level
        return found

    def _replicates(self, pairs: Pairs, cells: Cells, at: Float, found: "Fits", seed: int) -> Float:
        """The curve of resampled pairs (or groups) at the same points, and at the ends."""
        from calibrant.kernels.calibration.smoothing import refit
        from calibrant.kernels.threads import workers

        n, k = resample_cells(pairs, cells.column, *cells.everything, REPLICATES, seed)
        inner = cells.x.size
        out = np.zeros((REPLICATES, at.size))
        cuts = np.array_split(np.arange(REPLICATES), workers())

        def work(rows: NDArray[np.int64]) -> None:
            part = slice(rows[0], rows[-1] + 1)
            drawn = n[part, :inner].copy(), k[part, :inner].copy()
            fit = (found.width, found.level, found.slope)
            refit(cells.x, *drawn, at, *fit, self.linear, out[part])

        with ThreadPoolExecutor(workers()) as pool:
            list(pool.map(work, cuts))
        ends = _rates(n[:, inner:], k[:, inner:])
        return np.concatenate([self.frequency(out), ends], axis=1)


def _residuals(
    pairs: Pairs, grouped: GroupCells | None, n: Float, p: Float, q: Float
) -> Clusters | None:
    """The contribution of each group to the gap of each cell."""
    if grouped is None:
        return None
    residual = grouped.n * p[grouped.column] - grouped.k
    return Clusters(
        start=grouped.start,
        column=grouped.column,
        order=grouped.order,
        weight=grouped.n,
        residual=residual,
        mean=q - p,
        n=n,
        present=np.bincount(grouped.column, minlength=n.size),
        outcomes=outcomes(pairs),
        lone=pairs.codes is None,
    )


def _rates(n: Float, k: Float) -> Float:
    """Frequencies; NaN where there are no pairs."""
    return np.where(n > 0, k / np.maximum(n, 1e-300), np.nan)


def _percentiles(replicates: Float, level: float) -> Band:
    """Percentiles and standard deviation of replicates."""
    tail = (1 - level) / 2
    low, high = np.nanquantile(replicates, [tail, 1 - tail], axis=0)
    return Band(low, high, np.nanstd(replicates, axis=0))


def _points(cells: Cells) -> Float:
    """Choose where to show a curve: at cells spread evenly over position and over q."""
    if cells.x.size <= POINTS:
        return cells.x
    spread = [
        np.searchsorted(each, np.linspace(each[0], each[-1], POINTS // 2))
        for each in (cells.x, cells.q)
    ]
    chosen: Float = cells.x[np.unique(np.minimum(np.concatenate(spread), cells.x.size - 1))]
    return chosen


def _reach(x: Float, scale: str) -> Float:
    """The largest prediction that is nearer to each position than to the next one.

    On the logit scale 0 and 1 lie at infinity, so nothing else is near them.
    """
    with np.errstate(invalid="ignore"):
        middle = unposition((x[:-1] + x[1:]) / 2, scale)
    middle = np.where(np.isneginf(x[:-1]), 0.0, middle)
    below_1 = np.isposinf(x[1:]) & ~np.isneginf(x[:-1])
    return np.append(np.where(below_1, np.nextafter(1.0, 0.0), middle), 1.0)


def _candidates(cells: Cells) -> Float:
    """Bandwidths from a twentieth of the spread of the positions to ten times it."""
    away = cells.x - np.average(cells.x, weights=cells.n)
    # scale by a power of two, so that squares neither underflow nor lose precision
    unit = 2.0 ** np.frexp(np.abs(away).max())[1]
    spread = float(unit * np.sqrt(np.average((away / unit) ** 2, weights=cells.n)))
    least = max(spread / 20, 1.5 * cells.width, NARROWEST)
    return np.geomspace(least, max(10 * spread, least), CANDIDATES)
