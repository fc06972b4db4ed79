"""Cox's line, logit P(y = 1) = intercept + slope · logit q, with standard errors and limits.

With groups, the limits of the slope invert a score test. The slope is skewed: samples that lack
the groups in which predictions fail have a steep slope and a small standard error. A test at a
supposed slope measures the residuals of groups around that slope, not around the fitted one.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibrant.calibration.curves.cells import position
from calibrant.calibration.gaps.digest import Logits, digest
from calibrant.calibration.groups.exact_sums import order_free_sum
from calibrant.calibration.groups.few_groups import grown, jackknife_changes, reach
from calibrant.calibration.groups.units import Rows
from calibrant.kernels.calibration.logistic import Line, fit_line
from calibrant.pairs import Pairs

Float = NDArray[np.float64]
DOUBLINGS = 6  # how far to look for a limit: up to 64 times as far as the standard error says
STEPS = 50  # Newton steps for an intercept; five are typical
CLOSE = 1e-9  # a smaller step of the intercept changes nothing
FARTHEST = 2.0  # the largest step of the intercept, so that no step overshoots
PRECISION = 1e-4  # of a limit, in standard errors


class RowLogits(NamedTuple):
    """Some rows: logit q, y and weight; rows without a logit have x = 0 and weight 0."""

    x: Float
    y: Float
    weight: Float

    @classmethod
    def of(cls, pairs: Pairs, rows: Rows) -> "RowLogits":
        """These rows of the pairs."""
        q = pairs.q[rows].astype(np.float64)
        used = (q > 0) & (q < 1)
        x = np.zeros(q.size)
        x[used] = position(q[used], "logit")
        weight = 1.0 if pairs.weight is None else pairs.weight[rows]
        return cls(x, pairs.y[rows].astype(np.float64), np.where(used, weight, 0.0))


Values = Callable[[RowLogits], Float]  # a value of each of some rows
Sums = Callable[[Values], Float]  # the sum of such a value over every unit


@dataclass(frozen=True, eq=False)
class FittedLine:
    """A line, and the logits that it was fitted to."""

    logits: Logits
    line: Line

    def p(self, x: Float) -> Float:
        """The probability that the line gives to logits."""
        from scipy.special import expit

        found: Float = expit(self.line.intercept + self.line.slope * x)
        return found

    def independent_spreads(self, sloped: bool) -> Float:
        """The standard errors of intercept and slope for independent rows."""
        x, y, weight = self.logits
        free = np.array([1.0, float(sloped)])
        inverse = np.linalg.pinv(self.line.information * np.outer(free, free))
        influence = np.column_stack([np.ones(x.size), x])
        influence *= ((y - self.p(x)) * np.sqrt(weight))[:, None]
        return np.asarray(np.sqrt(np.diag(inverse @ (influence.T @ influence) @ inverse)))

    def grouped_spreads(self, sums: Sums, sloped: bool) -> Float:
        """The standard errors of intercept and slope, by leaving out one group at a time."""

        def residual(rows: RowLogits, power: int) -> Float:
            return rows.weight * (rows.y - self.p(rows.x)) * rows.x**power

        def variance(rows: RowLogits, power: int) -> Float:
            p = self.p(rows.x)
            return rows.weight * p * (1 - p) * rows.x**power

        score = [sums(partial(residual, power=k)) for k in range(1 + sloped)]
        parts = [sums(partial(variance, power=k)) for k in range(1 + 2 * sloped)]
        pairs_of = range(1 + sloped)
        information = np.array([[parts[i + j] for i in pairs_of] for j in pairs_of])
        changes = jackknife_changes(np.column_stack(score), np.moveaxis(information, 2, 0))
        return np.append(np.sqrt(np.sum(changes**2, axis=0)), 0.0)[:2]

    def slope_limits(
        self, sums: Sums, spread: float, effective: float, level: float
    ) -> tuple[float, float]:
        """The smallest and the largest slope that the score test does not reject.

        If it rejects no slope on one side, the limit is that of the standard error.
        """
        test = SlopeTest(self, sums, level)
        low, high = (test.limit(side * spread, effective) for side in (-1.0, 1.0))
        return low, high


@dataclass(frozen=True, eq=False)
class SlopeTest:
    """A score test of the slope, which flips the signs of groups in effect."""

    fit: FittedLine
    sums: Sums
    level: float

    def beyond(self, slope: float) -> float:
        """The statistic of a supposed slope, minus the largest that is not rejected.

        Under the supposed slope, the residuals of a group could as well have had the other sign.
        If rows vary less than the slope implies, groups are taken to vary more than they show.
        """
        from scipy.special import expit

        x, y, weight = self.fit.logits
        intercept = self._intercept(slope)
        p = expit(intercept + slope * x)
        variance = weight * p * (1 - p)
        total = order_free_sum(variance)
        if not total > 0:  # so steep that all probabilities are 0 or 1: the test says nothing
            return -1.0
        middle = order_free_sum(variance * x) / total
        away = x - middle
        seen = order_free_sum(weight * (away * (y - p)) ** 2)
        wanted = order_free_sum(variance * away**2)

        def residual(rows: RowLogits) -> Float:
            error = rows.y - expit(intercept + slope * rows.x)
            return np.asarray(rows.weight * (rows.x - middle) * error)

        score = self.sums(residual)
        spread = float(np.sqrt(score @ score * grown(wanted, seen)))
        if not spread > 0:
            return -1.0
        return float(abs(score.sum()) / spread) - reach(self.level, float(score.size))

    def _intercept(self, slope: float) -> float:
        """The intercept that fits best with this slope."""
        from scipy.special import expit

        x, y, weight = self.fit.logits
        intercept = self.fit.line.intercept
        for _ in range(STEPS):
            p = expit(intercept + slope * x)
            information = order_free_sum(weight * p * (1 - p))
            if information == 0:
                break
            step = order_free_sum(weight * (y - p)) / information
            intercept += float(np.clip(step, -FARTHEST, FARTHEST))
            if abs(step) < CLOSE:
                break
        return intercept

    def limit(self, spread: float, effective: float) -> float:
        """The nearest slope that is rejected, in the direction of `spread`."""
        from scipy.optimize import brentq

        value = self.fit.line.slope
        near, far = value, value + spread
        for _ in range(DOUBLINGS + 1):
            if self.beyond(far) > 0:
                return float(brentq(self.beyond, near, far, xtol=PRECISION * abs(spread)))
            near, far = far, value + 2 * (far - value)
        return float(value + reach(self.level, effective) * spread)


def fitted(pairs: Pairs, *, sloped: bool = True) -> FittedLine | None:
    """The line of maximum likelihood; None if there is none."""
    found = digest(pairs)
    if found.one_outcome or (sloped and (found.total("distinct") < 2 or found.separated)):
        return None
    x, y, weight = found.logits
    return FittedLine(found.logits, fit_line(x, weight, weight * y, sloped=sloped))
