"""Describe pairs without a curve: base rate, discrimination, and Cox's line.

The joint distribution of (y, q) factors in two ways (Murphy and Winkler, 1987). Calibration
is the frequency of y given q; this module describes q given y (the likelihood) and the base rate.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibrant.calibration.analyses.description import NAMES, Description
from calibrant.calibration.curves.bands import band
from calibrant.calibration.curves.cells import position
from calibrant.calibration.curves.estimator import CELLS
from calibrant.calibration.groups.exact_sums import order_free
from calibrant.calibration.groups.few_groups import (
    effective_outcomes,
    jackknife_changes,
    jackknife_residuals,
    reach,
    warn_few,
)
from calibrant.calibration.groups.units import refuse_draws, refuse_one_group, resampling_units
from calibrant.checks.arrays import sum_by
from calibrant.kernels.calibration.logistic import Line, fit_line
from calibrant.pairs import Pairs
from calibrant.results.estimate import Estimate, signature

Float = NDArray[np.float64]


def describe_pairs(pairs: Pairs, level: float, intervals: bool = True) -> Description:
    """Describe pairs; with groups, intervals use the variance over groups."""
    pairs = _describable(pairs, intervals)
    units = Units(pairs, level, intervals)
    q = pairs.q.astype(np.float64)
    rate, mean = pairs.mean(pairs.y), pairs.mean(q)
    above, lean = q - mean, pairs.y - rate
    intercept, slope = _cox(pairs, units)
    at_slope_1, _ = _cox(pairs, units, sloped=False)
    yes, no = _distributions(pairs)
    certain = pairs.tally.weight[np.isin(pairs.tally.q, (0, 1))].sum()
    return Description(
        base_rate=_rate(rate, units.spread(lean), units),
        mean=units.estimate("mean", Part(mean, units.spread(above)), (0.0, 1.0)),
        excess=units.estimate("excess", Part(mean - rate, units.spread(above - lean)), (-1.0, 1.0)),
        auc=_auc(pairs, units),
        intercept=units.estimate("intercept", intercept),
        slope=units.estimate("slope", slope),
        at_slope_1=units.estimate("at_slope_1", at_slope_1),
        given_yes=yes,
        given_no=no,
        certain=float(certain),
    )


def cox_slope(pairs: Pairs, level: float = 0.95) -> Estimate:
    """The Cox slope alone, much faster than a full description."""
    pairs = _describable(pairs)
    units = Units(pairs, level)
    _, slope = _cox(pairs, units)
    return units.estimate("slope", slope)


def _describable(pairs: Pairs, intervals: bool = True) -> Pairs:
    if intervals:
        refuse_one_group(pairs.groups, bare=True)
    refuse_draws(pairs, "A description", "use a score, a curve or a test")
    return pairs if pairs.moments is None else _split(pairs)


def _split(pairs: Pairs) -> Pairs:
    """Split each compressed row into two rows, one per outcome."""
    assert pairs.weight is not None
    share = np.concatenate([pairs.y, 1 - pairs.y]) * np.tile(pairs.weight, 2)
    if pairs.counted:
        share = np.rint(share)  # undoes the rounding of the means
    used = share > 0
    y = np.repeat([1, 0], len(pairs))
    return Pairs(y[used], np.tile(pairs.q, 2)[used], weight=share[used])


class Units:
    """The independent units: pairs, or groups of pairs."""

    def __init__(self, pairs: Pairs, level: float, intervals: bool = True) -> None:
        self.pairs, self.level, self.intervals = pairs, level, intervals
        self._units = resampling_units(pairs)
        self._weight = np.ones(len(pairs)) if pairs.weight is None else pairs.weight
        self.effective = effective_outcomes(pairs.codes, self._weight, pairs.y)
        if intervals:
            warn_few(pairs.effective_groups)
        self._signature = signature("describe", pairs, *[f"level={level:g}"] * intervals)

    def spread(self, influence: Float) -> float:
        """The standard error of a mean to which each row adds `influence`, by weight."""
        if not self.intervals:
            return 0.0
        if not self.grouped:
            return self.independent_spread(influence)
        residuals = jackknife_residuals(self.sums(influence), self.sums(np.ones(influence.size)))
        return float(np.sqrt(np.sum(residuals**2))) / self.pairs.n

    def independent_spread(self, influence: Float) -> float:
        """The same for independent rows."""
        return float(np.sqrt(self.independent_covariance(influence[:, None])[0, 0]))

    def independent_covariance(self, influence: Float) -> Float:
        """The covariance of means of independent rows, one per column of `influence`."""
        products: Float = (influence * self._weight[:, None]).T @ influence
        return products / self.pairs.n**2

    def sums(self, each: Float) -> Float:
        """The weighted sum of `each` over the rows of every unit."""
        assert self._units is not None
        codes, _, order = self._units
        return np.asarray(sum_by(codes, order_free((each * self._weight)[order])))

    @property
    def grouped(self) -> bool:
        """Whether several rows, or rows with fractional weights, are one unit."""
        return self._units is not None

    def estimate(
        self, name: str, part: "Part", possible: tuple[float, float] = (-np.inf, np.inf)
    ) -> Estimate:
        """The value with a normal interval, clipped to its possible range."""
        if not (np.isfinite(part.value) and np.isfinite(part.spread) and self.count > 1):
            return self.between(name, part.value, None, None)
        half = self.reach * part.spread
        low, high = np.clip([part.value - half, part.value + half], *possible).tolist()
        return self.between(name, part.value, low, high)

    def between(self, name: str, value: float, low: float | None, high: float | None) -> Estimate:
        """The value with these limits, or without if no intervals are wanted."""
        if not self.intervals:
            low = high = None
        return Estimate(
            score=NAMES[name],
            value=value,
            low=low,
            high=high,
            level=self.level,
            n=self.pairs.n,
            groups=self.pairs.groups,
            plugin=None,
            too_small=0,
            signature=self._signature,
        )

    @property
    def count(self) -> float:
        """The number of units."""
        return self.pairs.groups or self.pairs.n

    @property
    def reach(self) -> float:
        """How many standard errors an interval extends to either side."""
        return reach(self.level, self.effective)


class Part(NamedTuple):
    """A value and its standard error."""

    value: float
    spread: float


def _rate(rate: float, spread: float, units: Units) -> Estimate:
    """A frequency with Wilson's interval, for the effective number of pairs."""
    variance = rate * (1 - rate)
    worth = variance / spread**2 if variance > 0 and spread**2 > 0 else float(units.count)
    low, high = band("wilson", np.array([rate]), np.array([worth]), units.level, units.effective)
    return units.between("base_rate", rate, float(low[0]), float(high[0]))


def _auc(pairs: Pairs, units: Units) -> Estimate:
    """The area under the ROC curve, with an interval on the logit scale.

    Uses the placement of each row among the rows of the other outcome (DeLong et al., 1988).
    With groups, placements are first summed by group (Obuchowski, 1997).
    """
    from scipy.special import expit, logit

    tally = pairs.tally
    counts = np.array([tally.positive, tally.weight - tally.positive])
    totals = counts.sum(axis=1)
    if not totals.all():
        return units.between("auc", np.nan, None, None)
    below = (np.cumsum(counts, axis=1) - counts / 2) / totals[:, None]
    auc = float(counts[0] @ below[1] / totals[0])
    at = np.searchsorted(tally.q, pairs.q)
    share_yes, share_no = totals / totals.sum()
    of_yes, of_no = (below[1][at] - auc) / share_yes, (1 - below[0][at] - auc) / share_no
    spread = _auc_spread(pairs, units, of_yes, of_no)
    if not 0 < auc < 1 or spread == 0:
        return units.between("auc", auc, None, None)
    centre, half = logit(auc), units.reach * spread / (auc * (1 - auc))
    return units.between("auc", auc, float(expit(centre - half)), float(expit(centre + half)))


def _auc_spread(pairs: Pairs, units: Units, of_yes: Float, of_no: Float) -> float:
    """The standard error of the AUC, to which rows add `of_yes` or `of_no`.

    A group pulls both means towards itself, each by its share of the pairs with that outcome.
    """
    yes = pairs.y == 1
    if not units.grouped or not units.intervals:
        return units.spread(np.where(yes, of_yes, of_no))
    parts = [
        jackknife_residuals(units.sums(each * held), units.sums(held))
        for each, held in ((of_yes, pairs.y), (of_no, 1 - pairs.y))
    ]
    return float(np.sqrt(np.sum((parts[0] + parts[1]) ** 2))) / pairs.n


def _cox(pairs: Pairs, units: Units, *, sloped: bool = True) -> tuple[Part, Part]:
    """Intercept and slope of Cox's line through the pairs that have a logit."""
    tally = pairs.tally
    inner = (tally.q > 0) & (tally.q < 1)
    unknown = Part(np.nan, np.nan)
    if inner.sum() < (2 if sloped else 1):
        return unknown, unknown
    x = position(tally.q[inner], "logit")
    n, k = tally.weight[inner], tally.positive[inner]
    if _separated(n, k, sloped):
        return unknown, unknown
    return _spreads(pairs, units, fit_line(x, n, k, sloped=sloped), sloped)


def _separated(n: Float, k: Float, sloped: bool) -> bool:
    """Whether the data are separable, so that the likelihood has no maximum."""
    yes, no = np.flatnonzero(k > 0), np.flatnonzero(n > k)
    if not (yes.size and no.size):
        return True
    return sloped and bool(no[-1] <= yes[0] or yes[-1] <= no[0])


def _spreads(pairs: Pairs, units: Units, line: Line, sloped: bool) -> tuple[Part, Part]:
    """The coefficients with robust standard errors (of groups, or of pairs)."""
    from scipy.special import expit

    q = pairs.q.astype(np.float64)
    used = (q > 0) & (q < 1)
    x = np.zeros(q.size)
    x[used] = position(q[used], "logit")
    p = expit(line.intercept + line.slope * x)
    residual = np.where(used, pairs.y - p, 0.0)
    with np.errstate(over="ignore", invalid="ignore"):  # flat likelihood
        if not units.intervals:
            spread = np.zeros(2)
        elif units.grouped:
            spread = _grouped_spreads(units, x, residual, np.where(used, p * (1 - p), 0.0), sloped)
        else:
            free = np.array([1.0, float(sloped)])
            inverse = np.linalg.pinv(line.information * np.outer(free, free) / pairs.n)
            noise = units.independent_covariance(np.column_stack([residual, residual * x]))
            spread = np.sqrt(np.diag(inverse @ noise @ inverse))
    return Part(line.intercept, float(spread[0])), Part(line.slope, float(spread[1]))


def _grouped_spreads(
    units: Units, x: Float, residual: Float, variance: Float, sloped: bool
) -> Float:
    """The standard errors of intercept and slope, by leaving out one group at a time."""
    powers = [x**k for k in range(1 + sloped)]
    score = np.column_stack([units.sums(residual * each) for each in powers])
    information = np.array(
        [[units.sums(variance * one * other) for one in powers] for other in powers]
    )
    changes = jackknife_changes(score, np.moveaxis(information, 2, 0))
    return np.append(np.sqrt(np.sum(changes**2, axis=0)), 0.0)[:2]


def _distributions(pairs: Pairs) -> tuple[Float, Float]:
    """The distribution of q where y = 1 and where y = 0, over cells of equal width."""
    at = np.minimum((pairs.q * CELLS).astype(np.int64), CELLS - 1)
    weight = np.ones(len(pairs)) if pairs.weight is None else pairs.weight
    counts = [sum_by(at, weight * each, CELLS) for each in (pairs.y, 1 - pairs.y)]
    yes, no = (each / (each.sum() or 1.0) for each in counts)
    return yes, no
