"""What can be said of pairs before any curve: base rate, discrimination, and Cox's line.

The joint distribution of (y, q) factors in two ways (Murphy and Winkler, 1987). Calibration
looks at the frequency of y given q; here it is q given y, the likelihood, and the base rate.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibrant.calibration.curves.bands import band, normal_quantile
from calibrant.calibration.curves.cells import position
from calibrant.calibration.curves.estimator import CELLS
from calibrant.calibration.gaps.evidence import (
    order_free,
    refuse_draws,
    refuse_one_group,
    resampling_units,
)
from calibrant.checks.arrays import sum_by
from calibrant.kernels.calibration.logistic import Line, fit_line
from calibrant.pairs import Pairs
from calibrant.results.estimate import Estimate, Estimates, signature
from calibrant.results.tabular import Tabular

if TYPE_CHECKING:
    import polars

Float = NDArray[np.float64]
NAMES = {
    "base_rate": "frequency of y = 1",
    "mean": "mean q",
    "excess": "mean q − frequency",
    "auc": "AUC",
    "intercept": "Cox intercept",
    "slope": "Cox slope",
    "at_slope_1": "intercept at slope 1",
}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Description(Tabular):
    """The two distributions of q, and how predictions lean.

    Attributes
    ----------
    base_rate
        The frequency of y = 1.
    mean
        The mean prediction.
    excess
        The mean prediction minus the frequency: above 0, y = 1 is over-forecast.
    auc
        How often a pair with y = 1 has a larger q than one with y = 0, ties counted half.
    intercept, slope
        Cox's line logit P(y = 1) = intercept + slope · logit q, 0 and 1 for calibrated models.
        A slope below 1 says that predictions are too extreme, above 1 too timid.
    at_slope_1
        The intercept of the line whose slope stays 1: calibration in the large, as a logit.
    given_yes, given_no
        How q is distributed where y = 1 and where y = 0: shares of 50 cells of equal width.
    certain
        How many pairs have q of exactly 0 or 1: they have no logit, so the line leaves them out.
    """

    base_rate: Estimate
    mean: Estimate
    excess: Estimate
    auc: Estimate
    intercept: Estimate
    slope: Estimate
    at_slope_1: Estimate
    given_yes: Float
    given_no: Float
    certain: float

    def estimates(self) -> Estimates:
        """All numbers, in order."""
        return Estimates(getattr(self, name) for name in NAMES)

    @property
    def sentence(self) -> str:
        """How predictions are wrong, in words."""
        return f"{_level(self.excess)}; {_spread(self.slope)}."

    def table(self) -> tuple[list[str], list[list[str]]]:
        """Header and rows as text."""
        header, rows = self.estimates().table()
        return ["", *header[1:]], rows

    def __str__(self) -> str:
        return f"{self.render()}\n{self.sentence}{self._left_out()}"

    def _left_out(self) -> str:
        if not self.certain:
            return ""
        return f" The Cox line leaves out {self.certain:g} pairs with q of exactly 0 or 1."

    def __repr__(self) -> str:
        return f"<Description>\n{self}"

    @property
    def note(self) -> str:
        """What notebooks show above the table."""
        return self.sentence

    @property
    def signature(self) -> str:
        """What reproduces the description, in one line."""
        return self.base_rate.signature

    def to_dict(self) -> dict[str, Any]:
        """All numbers by name."""
        return {name: getattr(self, name).to_dict() for name in NAMES}

    def to_frame(self) -> "polars.DataFrame":
        """One row per number."""
        import polars

        return polars.DataFrame([{"name": name} | each for name, each in self.to_dict().items()])


def _level(excess: Estimate) -> str:
    if excess.low is None or excess.high is None:
        return f"Mean q and the frequency of y = 1 differ by {excess.value:.3f}"
    if excess.low <= 0 <= excess.high:
        return "On the whole y = 1 is forecast as often as it happens, as far as these pairs tell"
    lean = "over-forecast" if excess.value > 0 else "under-forecast"
    return f"On the whole y = 1 is {lean}, by {abs(excess.value):.3f}"


def _spread(slope: Estimate) -> str:
    if not np.isfinite(slope.value):
        return "no slope can be fitted (y is the same everywhere, or q separates it, or is 0 and 1)"
    if slope.low is None or slope.high is None:
        return f"the slope of the Cox line is {slope.text('value')}"
    if slope.low <= 1 <= slope.high:
        return "predictions are neither visibly too extreme nor too timid"
    if slope.value < 1:
        return f"predictions are too extreme (slope {slope.text('value')}, below 1)"
    return f"predictions are too timid (slope {slope.text('value')}, above 1)"


def describe_pairs(pairs: Pairs, level: float, intervals: bool = True) -> Description:
    """Describe pairs; intervals are normal, with variances over groups where there are any."""
    pairs = _describable(pairs, intervals)
    units = Units(pairs, level, intervals)
    q = pairs.q.astype(np.float64)
    rate, mean = pairs.mean(pairs.y), pairs.mean(q)
    rows = {"base_rate": (rate, pairs.y - rate), "mean": (mean, q - mean)}
    rows["excess"] = (mean - rate, rows["mean"][1] - rows["base_rate"][1])
    found = {name: (value, units.spread(part)) for name, (value, part) in rows.items()}
    found["intercept"], found["slope"] = _cox(pairs, units)
    found["at_slope_1"], _ = _cox(pairs, units, sloped=False)
    estimates = {name: units.estimate(NAMES[name], *each) for name, each in found.items()}
    reach = units.quantile * found["mean"][1]
    ends = np.clip([mean - reach, mean + reach], 0.0, 1.0).tolist()
    estimates["mean"] = units.between(NAMES["mean"], mean, *ends)
    estimates["auc"] = _auc(pairs, units)
    estimates["base_rate"] = _rate(rate, found["base_rate"][1], units)
    yes, no = _distributions(pairs)
    certain = pairs.tally.weight[np.isin(pairs.tally.q, (0, 1))].sum()
    return Description(**estimates, given_yes=yes, given_no=no, certain=float(certain))


def cox_slope(pairs: Pairs, level: float = 0.95) -> Estimate:
    """The slope alone, for a fraction of what the whole description takes."""
    pairs = _describable(pairs)
    units = Units(pairs, level)
    return units.estimate(NAMES["slope"], *_cox(pairs, units)[1])


def _describable(pairs: Pairs, intervals: bool = True) -> Pairs:
    if intervals:
        refuse_one_group(pairs.groups, "leave the group out, or ask for interval=None")
    refuse_draws(pairs, "A description", "take a score, a curve or a test")
    return pairs if pairs.moments is None else _split(pairs)


def _split(pairs: Pairs) -> Pairs:
    """Compressed rows as two rows each, of the same outcome."""
    assert pairs.weight is not None
    share = np.concatenate([pairs.y, 1 - pairs.y]) * np.tile(pairs.weight, 2)
    if pairs.counted:
        share = np.rint(share)  # undoes the rounding of their means
    used = share > 0
    y = np.repeat([1, 0], len(pairs))
    return Pairs(y[used], np.tile(pairs.q, 2)[used], weight=share[used])


class Units:
    """What varies independently: pairs, or groups of them."""

    def __init__(self, pairs: Pairs, level: float, intervals: bool = True) -> None:
        self.pairs, self.level, self.intervals = pairs, level, intervals
        self._units = resampling_units(pairs)
        self._signature = signature("describe", pairs, *[f"level={level:g}"] * intervals)

    def spread(self, influence: Float) -> float:
        """The standard error of a mean to which each row adds `influence`, by weight."""
        return float(np.sqrt(self.covariance(influence[:, None])[0, 0]))

    def covariance(self, influence: Float) -> Float:
        """The covariance of several such means, one per column."""
        if not self.intervals:
            return np.zeros((influence.shape[1],) * 2)
        weight = np.ones(len(self.pairs)) if self.pairs.weight is None else self.pairs.weight
        products: Float
        if self._units is None:
            products = (influence * weight[:, None]).T @ influence
        else:
            codes, _, order = self._units
            added = (influence * weight[:, None])[order]
            sums = np.column_stack([sum_by(codes, order_free(each)) for each in added.T])
            products = sums.T @ sums * sums.shape[0] / (sums.shape[0] - 1)
        return products / self.pairs.n**2

    def estimate(self, name: str, value: float, spread: float) -> Estimate:
        """The value, with an interval of so many standard errors where they are known."""
        known = np.isfinite(value) and np.isfinite(spread) and self.count > 1
        half = self.quantile * spread
        low, high = (value - half, value + half) if known else (None, None)
        return self.between(name, value, low, high)

    def between(self, name: str, value: float, low: float | None, high: float | None) -> Estimate:
        """The value, between these limits, if intervals are asked for."""
        pairs = self.pairs
        if not self.intervals:
            low = high = None
        return Estimate(
            name, value, low, high, self.level, pairs.n, pairs.groups, None, 0, self._signature
        )

    @property
    def count(self) -> float:
        """How many there are."""
        return self.pairs.groups or self.pairs.n

    @property
    def quantile(self) -> float:
        """How many standard errors an interval reaches: Student's where there are groups."""
        from scipy.special import stdtrit

        if self.pairs.groups < 2:
            return normal_quantile(self.level)
        return float(stdtrit(self.pairs.groups - 1, (1 + self.level) / 2))


def _rate(rate: float, spread: float, units: Units) -> Estimate:
    """A frequency with Wilson's interval, for as many pairs as its standard error is worth."""
    worth = rate * (1 - rate) / spread**2 if spread > 0 else float(units.count)
    worth *= (normal_quantile(units.level) / units.quantile) ** 2  # few groups know less
    low, high = band("wilson", np.array([rate]), np.array([worth]), units.level)
    return units.between(NAMES["base_rate"], rate, float(low[0]), float(high[0]))


def _auc(pairs: Pairs, units: Units) -> Estimate:
    """The area under the ROC curve, with an interval on the logit scale.

    Each row has a place among those of the other outcome (DeLong et al., 1988); places are
    summed by group first where there are groups (Obuchowski, 1997).
    """
    tally = pairs.tally
    counts = np.array([tally.positive, tally.weight - tally.positive])
    totals = counts.sum(axis=1)
    if not totals.all():
        return units.between("AUC", np.nan, None, None)
    below = (np.cumsum(counts, axis=1) - counts / 2) / totals[:, None]
    auc = float(counts[0] @ below[1] / totals[0])
    at = np.searchsorted(tally.q, pairs.q)
    rate = totals[0] / totals.sum()
    places = np.where(pairs.y == 1, (below[1][at] - auc) / rate,
                      (1 - below[0][at] - auc) / (1 - rate))  # fmt: skip
    spread = units.spread(places)
    if not 0 < auc < 1 or spread == 0:
        return units.between("AUC", auc, None, None)
    reach = np.exp(units.quantile * spread / (auc * (1 - auc)))
    odds = auc / (1 - auc)
    low, high = (float(each / (1 + each)) for each in (odds / reach, odds * reach))
    return units.between("AUC", auc, low, high)


class Part(NamedTuple):
    """A coefficient and its standard error."""

    value: float
    spread: float


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
    """Whether a line fits ever better the steeper (or, without a slope, the higher) it is."""
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
    residual = np.where(used, pairs.y - expit(line.intercept + line.slope * x), 0.0)
    free = np.array([1.0, float(sloped)])
    inverse = np.linalg.pinv(line.information * np.outer(free, free) / pairs.n)
    covariance = inverse @ units.covariance(np.column_stack([residual, residual * x])) @ inverse
    spread = np.sqrt(np.diag(covariance))
    return Part(line.intercept, float(spread[0])), Part(line.slope, float(spread[1]))


def _distributions(pairs: Pairs) -> tuple[Float, Float]:
    """The distribution of q where y = 1 and where y = 0, over cells of equal width."""
    at = np.minimum((pairs.q * CELLS).astype(np.int64), CELLS - 1)
    weight = np.ones(len(pairs)) if pairs.weight is None else pairs.weight
    counts = [sum_by(at, weight * each, CELLS) for each in (pairs.y, 1 - pairs.y)]
    yes, no = (each / max(each.sum(), 1e-300) for each in counts)
    return yes, no
