"""Describe pairs without a curve: base rate, discrimination, and Cox's line.

The joint distribution of (y, q) factors in two ways (Murphy and Winkler, 1987). Calibration
is the frequency of y given q; this module describes q given y (the likelihood) and the base rate.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibrant.calibration.analyses.cox_line import RowLogits, Values, fitted
from calibrant.calibration.analyses.description import NAMES, Description
from calibrant.calibration.curves.bands import band
from calibrant.calibration.curves.estimator import CELLS
from calibrant.calibration.gaps.digest import Parts, digest
from calibrant.calibration.groups.few_groups import (
    effective_outcomes,
    jackknife_residuals,
    least_effective,
    reach,
    warn_few,
)
from calibrant.calibration.groups.limits import (
    GroupMean,
    difference_limits,
    rate_limits,
    skewed_reach,
)
from calibrant.calibration.groups.units import (
    Rows,
    refuse_draws,
    refuse_one_group,
    resampling_units,
    unit_weights,
)
from calibrant.checks.arrays import chunks, sum_by
from calibrant.pairs import Pairs
from calibrant.results.estimate import Estimate, signature

Float = NDArray[np.float64]


def describe_pairs(pairs: Pairs, level: float, intervals: bool = True) -> Description:
    """Describe pairs; with groups, intervals use the variance over groups."""
    pairs = _describable(pairs, intervals)
    if intervals:
        warn_few(pairs.effective_groups)
    units = Units(pairs, level, intervals)
    intercept, slope = _cox(pairs, units)
    at_slope_1, _ = _cox(pairs, units, sloped=False)
    yes, no = _distributions(pairs)
    certain = digest(pairs).total("zero") + digest(pairs).total("one")
    base_rate, mean, excess = _grouped_means(units) if units.grouped else _means(units)
    return Description(
        base_rate=base_rate,
        mean=mean,
        excess=excess,
        auc=_auc(pairs, units),
        intercept=intercept,
        slope=slope,
        at_slope_1=at_slope_1,
        given_yes=yes,
        given_no=no,
        certain=certain,
    )


def cox_slope(pairs: Pairs, level: float = 0.95) -> Estimate:
    """The Cox slope alone, much faster than a full description."""
    pairs = _describable(pairs)
    warn_few(pairs.effective_groups)
    units = Units(pairs, level)
    _, slope = _cox(pairs, units)
    return slope


def frequency(pairs: Pairs, level: float, intervals: bool = True) -> Estimate:
    """The frequency of y = 1, as a full description has it, without its warnings."""
    units = Units(_describable(pairs, intervals), level, intervals)
    rate, *_ = _grouped_means(units) if units.grouped else _means(units)
    return rate


def mean_excess(pairs: Pairs, level: float, intervals: bool = True) -> Estimate:
    """Mean q − frequency, as a full description has it, without its warnings; also of draws."""
    if pairs.held is not None:
        return _drawn_excess(Units(pairs, level, intervals))
    units = Units(_describable(pairs, intervals), level, intervals)
    *_, excess = _grouped_means(units) if units.grouped else _means(units)
    return excess


def _drawn_excess(units: "Units") -> Estimate:
    """Mean of what the draws held back say, minus the frequency."""
    pairs = units.pairs
    over = GroupMean(
        units.sums(lambda rows: np.asarray(pairs.predicted[rows] - pairs.y[rows], np.float64)),
        units.weights(),
        units.level,
    )
    value = pairs.mean(pairs.predicted) - pairs.mean(pairs.y)
    return units.between("excess", value, *np.clip(over.symmetric(), -1.0, 1.0).tolist())


def _describable(pairs: Pairs, intervals: bool = True) -> Pairs:
    if intervals:
        refuse_one_group(pairs.groups, bare=True)
    refuse_draws(pairs, "A description", "use a score, a curve or a test")
    return pairs.tied


class Units:
    """The independent units: pairs, or groups of pairs."""

    def __init__(self, pairs: Pairs, level: float, intervals: bool = True) -> None:
        self.pairs, self.level, self.intervals = pairs, level, intervals
        self._units = resampling_units(pairs)
        self.effective = 0.0 if pairs.codes is None else _effective(pairs)
        self._signature = signature("describe", pairs, *[f"level={level:g}"] * intervals)

    def independent_spread(self, squares: float) -> float:
        """The standard error of a mean over independent rows, from squared influences."""
        return float(np.sqrt(squares)) / self.pairs.n if self.intervals else 0.0

    def sums(self, column: Callable[[Rows], Float]) -> Float:
        """The weighted sum over the rows of every unit of a column, given some rows."""
        weight = self.pairs.weight
        if weight is None:
            return self.plain_sums(column)
        return self.plain_sums(lambda rows: column(rows) * weight[rows])

    def plain_sums(self, column: Callable[[Rows], Float]) -> Float:
        """The sum over the rows of every unit."""
        assert self._units is not None
        return self._units.sums(column)

    def line_sums(self, values: Values) -> Float:
        """The sum over the rows of every unit of a value that depends on the logit."""
        return self.plain_sums(lambda rows: values(RowLogits.of(self.pairs, rows)))

    def outcome(self, y: int) -> Float:
        """The weight of the rows of every unit with this outcome."""
        return self.sums(lambda rows: (self.pairs.y[rows] == y).astype(np.float64))

    def weights(self) -> Float:
        """The weight of every unit."""
        assert self._units is not None
        return unit_weights(self.pairs, self._units)

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
        if not self.intervals or low is None or high is None:
            low = high = None
        else:  # rounding may put the value beyond a limit
            low, high = min(low, value), max(high, value)
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


def _as_floats(column: NDArray[Any], rows: Rows) -> Float:
    return column[rows].astype(np.float64)


def _effective(pairs: Pairs) -> float:
    """The effective number of groups, of all rows or of one outcome."""
    assert pairs.codes is not None
    if pairs.weight is not None:
        return effective_outcomes(pairs.codes, pairs.weight, pairs.y)
    yes = sum_by(pairs.codes, pairs.y)
    return least_effective([pairs.group_weights, yes, pairs.group_weights - yes])


class Part(NamedTuple):
    """A value and its standard error."""

    value: float
    spread: float


def _means(units: Units) -> tuple[Estimate, Estimate, Estimate]:
    """Base rate, mean prediction and their difference, of independent pairs."""
    pairs, found = units.pairs, digest(units.pairs)
    rate, mean = pairs.mean(pairs.y), pairs.mean(pairs.q)
    yes = found.total("positive")
    weight = np.array([yes, pairs.n - yes])
    of_q, squares = np.array([found.outcome("q_yes", "yes"), found.outcome("q_no", "no")]).T
    of_error = of_q - np.array([1.0, 0.0])
    above, error = (Parts(weight, each, squares).joined()[1] for each in (of_q, of_error))
    difference = Part(mean - rate, units.independent_spread(error))
    return (
        units.between("base_rate", rate, *_wilson(rate, units)),
        units.estimate("mean", Part(mean, units.independent_spread(above)), (0.0, 1.0)),
        units.estimate("excess", difference, (-1.0, 1.0)),
    )


def _wilson(rate: float, units: Units) -> tuple[float, float]:
    """Wilson's interval of a frequency, for as many pairs as there are units."""
    n = np.array([float(units.count)])
    low, high = band("wilson", np.array([rate]), n, units.level, units.effective)
    return float(low[0]), float(high[0])


def _grouped_means(units: Units) -> tuple[Estimate, Estimate, Estimate]:
    """Base rate, mean prediction and their difference, of groups."""
    pairs = units.pairs
    weight = units.weights()
    rate, mean = (
        GroupMean(units.sums(partial(_as_floats, each)), weight, units.level)
        for each in (pairs.y, pairs.q)
    )
    values = pairs.mean(pairs.y), pairs.mean(pairs.q)
    of_rate, of_mean = rate_limits(rate, values[1]), rate_limits(mean)
    if not of_rate[0] < of_rate[1]:  # all groups alike, or no positive: each is one trial
        of_rate = _wilson(values[0], units)
    of_excess = difference_limits(mean, rate, of_mean, of_rate)
    return (
        units.between("base_rate", values[0], *of_rate),
        units.between("mean", values[1], *of_mean),
        units.between("excess", values[1] - values[0], *np.clip(of_excess, -1.0, 1.0).tolist()),
    )


def _auc(pairs: Pairs, units: Units) -> Estimate:
    """The area under the ROC curve, with an interval on the logit scale.

    Uses the placement of each row among the rows of the other outcome (DeLong et al., 1988).
    With groups, placements are first summed by group (Obuchowski, 1997).
    """
    from scipy.special import expit, logit

    found = digest(pairs)
    yes = found.total("positive")
    if yes in (0, pairs.n):
        return units.between("auc", np.nan, None, None)
    auc, squares_yes = found.outcome("over_no", "yes")
    _, squares_no = found.outcome("under_yes", "no")
    if not 0 < auc < 1:
        return units.between("auc", auc, None, None)
    longer = (1.0, 1.0)
    if units.grouped and units.intervals:
        spread, longer = _auc_spread(pairs, units, auc)
    else:
        shares = yes / pairs.n, 1 - yes / pairs.n
        spread = units.independent_spread(
            squares_yes / shares[0] ** 2 + squares_no / shares[1] ** 2
        )
    if spread == 0:
        return units.between("auc", auc, None, None)
    centre, half = logit(auc), units.reach * spread / (auc * (1 - auc))
    low, high = centre - longer[0] * half, centre + longer[1] * half
    return units.between("auc", auc, float(expit(low)), float(expit(high)))


def _auc_spread(pairs: Pairs, units: Units, auc: float) -> tuple[float, tuple[float, float]]:
    """The standard error of the AUC over groups, and how skewed they are.

    A group pulls both means towards itself, each by its share of the pairs with that outcome. The
    second result says how much further the limits reach below and above, if groups are skewed.
    """
    held = units.outcome(1), units.outcome(0)
    share_yes = digest(pairs).total("positive") / pairs.n
    placed = _many_placements(pairs) if pairs.many else _placements(pairs, units)
    parts = [
        jackknife_residuals((each - auc * weight) / share, weight)
        for each, weight, share in zip(placed, held, (share_yes, 1 - share_yes), strict=True)
    ]
    shifts = (parts[0] + parts[1]) / pairs.n
    below_above = tuple(skewed_reach(shifts, side, units.level) for side in (-1, 1))
    return float(np.sqrt(np.sum(shifts**2))), (below_above[0], below_above[1])


def _placements(pairs: Pairs, units: Units) -> tuple[Float, Float]:
    """Sums by unit: the share of y = 0 below each y = 1, and of y = 1 above each y = 0."""
    tally = pairs.tally
    counts = np.array([tally.positive, tally.weight - tally.positive])
    below = (np.cumsum(counts, axis=1) - counts / 2) / counts.sum(axis=1)[:, None]
    at = np.searchsorted(tally.q, pairs.q)
    yes, no = pairs.y == 1, pairs.y == 0
    return (
        units.sums(lambda rows: below[1][at[rows]] * yes[rows]),
        units.sums(lambda rows: (1 - below[0][at[rows]]) * no[rows]),
    )


def _many_placements(pairs: Pairs) -> tuple[Float, Float]:
    """The same for many unweighted pairs, whose distinct predictions are never all in memory."""
    from calibrant.kernels.calibration.placements import placements

    assert pairs.codes is not None
    yes, no = placements(pairs.y, pairs.q, pairs.codes, pairs.groups)
    positive = digest(pairs).total("positive")
    return yes / (2 * (pairs.n - positive)), no / (2 * positive)


def _cox(pairs: Pairs, units: Units, *, sloped: bool = True) -> tuple[Estimate, Estimate]:
    """Intercept and slope of Cox's line through the pairs that have a logit."""
    names = ("intercept", "slope") if sloped else ("at_slope_1", "slope")
    fit = fitted(pairs, sloped=sloped)
    if fit is None:
        unknown = [units.between(name, np.nan, None, None) for name in names]
        return unknown[0], unknown[1]
    with np.errstate(over="ignore", invalid="ignore"):  # flat likelihood
        if not units.intervals:
            spreads = np.zeros(2)
        elif units.grouped:
            spreads = fit.grouped_spreads(units.line_sums, sloped)
        else:
            spreads = fit.independent_spreads(sloped)
    intercept = units.estimate(names[0], Part(fit.line.intercept, float(spreads[0])))
    slope = units.estimate(names[1], Part(fit.line.slope, float(spreads[1])))
    if sloped and units.intervals and units.grouped and slope.low is not None:
        spread = float(spreads[1])
        low, high = fit.slope_limits(units.line_sums, spread, units.effective, units.level)
        slope = units.between(names[1], fit.line.slope, low, high)
    return intercept, slope


def _distributions(pairs: Pairs) -> tuple[Float, Float]:
    """The distribution of q where y = 1 and where y = 0, over cells of equal width."""
    counts = np.zeros((2, CELLS))
    for rows in chunks(len(pairs)):
        at = np.minimum((pairs.q[rows] * CELLS).astype(np.int64), CELLS - 1)
        weight = 1.0 if pairs.weight is None else pairs.weight[rows]
        for held, each in zip(counts, (pairs.y[rows], 1 - pairs.y[rows]), strict=True):
            held += sum_by(at, weight * each, CELLS)
    yes, no = (each / (each.sum() or 1.0) for each in counts)
    return yes, no
