"""Cox's line, logit P(y = 1) = intercept + slope · logit q, with standard errors and limits.

With groups, the limits of the slope invert a score test. The slope is skewed: samples that lack
the groups in which predictions fail have a steep slope and a small standard error. A test at a
supposed slope measures the residuals of groups around that slope, not around the fitted one.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from calibrant.calibration.curves.cells import position
from calibrant.calibration.gaps.digest import digest
from calibrant.calibration.groups.exact_sums import order_free_sum
from calibrant.calibration.groups.few_groups import grown, jackknife_changes, reach
from calibrant.kernels.calibration.logistic import Line, fit_line
from calibrant.pairs import Pairs

Float = NDArray[np.float64]
Sums = Callable[[Float], Float]  # the sum of a value of each row over every unit
DOUBLINGS = 6  # how far to look for a limit: up to 64 times as far as the standard error says
STEPS = 50  # Newton steps for an intercept; five are typical
CLOSE = 1e-9  # a smaller step of the intercept changes nothing
FARTHEST = 2.0  # the largest step of the intercept, so that no step overshoots
PRECISION = 1e-4  # of a limit, in standard errors


def fitted(pairs: Pairs, *, sloped: bool = True) -> Line | None:
    """The line of maximum likelihood; None if there is none."""
    found = digest(pairs)
    if found.one_outcome or (sloped and (found.total("distinct") < 2 or found.separated)):
        return None
    x, y, weight = found.logits
    return fit_line(x, weight, weight * y, sloped=sloped)


@dataclass(frozen=True, eq=False)
class LineRows:
    """The rows that have a logit, and the line through them."""

    x: Float  # logit q; 0 for rows without one
    y: Float
    weight: Float  # 0 for rows without a logit
    line: Line

    @classmethod
    def of(cls, pairs: Pairs, line: Line) -> "LineRows":
        """The rows of these pairs."""
        q = pairs.q.astype(np.float64)
        used = (q > 0) & (q < 1)
        x = np.zeros(q.size)
        x[used] = position(q[used], "logit")
        weight = np.ones(q.size) if pairs.weight is None else pairs.weight
        return cls(x, pairs.y.astype(np.float64), np.where(used, weight, 0.0), line)

    @classmethod
    def summarised(cls, pairs: Pairs, line: Line) -> "LineRows":
        """Rows with the same sums as those of these pairs, but fewer; for independent pairs."""
        x, y, weight = digest(pairs).logits
        return cls(x, y, weight, line)

    @property
    def p(self) -> Float:
        """The probability that the line gives to each row."""
        from scipy.special import expit

        found: Float = expit(self.line.intercept + self.line.slope * self.x)
        return found

    def independent_spreads(self, sloped: bool) -> Float:
        """The standard errors of intercept and slope for independent rows."""
        free = np.array([1.0, float(sloped)])
        inverse = np.linalg.pinv(self.line.information * np.outer(free, free))
        influence = np.column_stack([np.ones(self.x.size), self.x])
        influence *= ((self.y - self.p) * np.sqrt(self.weight))[:, None]
        return np.asarray(np.sqrt(np.diag(inverse @ (influence.T @ influence) @ inverse)))

    def grouped_spreads(self, sums: Sums, sloped: bool) -> Float:
        """The standard errors of intercept and slope, by leaving out one group at a time."""
        p = self.p
        residual, variance = self.weight * (self.y - p), self.weight * p * (1 - p)
        powers = [self.x**k for k in range(1 + sloped)]
        score = np.column_stack([sums(residual * each) for each in powers])
        information = np.array(
            [[sums(variance * one * other) for one in powers] for other in powers]
        )
        changes = jackknife_changes(score, np.moveaxis(information, 2, 0))
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

    rows: LineRows
    sums: Sums
    level: float

    def beyond(self, slope: float) -> float:
        """The statistic of a supposed slope, minus the largest that is not rejected.

        Under the supposed slope, the residuals of a group could as well have had the other sign.
        If rows vary less than the slope implies, groups are taken to vary more than they show.
        """
        x, y, weight = self.rows.x, self.rows.y, self.rows.weight
        p = self._probabilities(slope)
        variance = weight * p * (1 - p)
        total = order_free_sum(variance)
        if not total > 0:  # so steep that all probabilities are 0 or 1: the test says nothing
            return -1.0
        away = x - order_free_sum(variance * x) / total
        score = self.sums(weight * away * (y - p))
        seen = order_free_sum(weight * (away * (y - p)) ** 2)
        wanted = order_free_sum(variance * away**2)
        spread = float(np.sqrt(score @ score * grown(wanted, seen)))
        if not spread > 0:
            return -1.0
        return float(abs(score.sum()) / spread) - reach(self.level, float(score.size))

    def _probabilities(self, slope: float) -> Float:
        """The probabilities with this slope and the intercept that then fits best."""
        from scipy.special import expit

        x, y, weight = self.rows.x, self.rows.y, self.rows.weight
        intercept = self.rows.line.intercept
        for _ in range(STEPS):
            p = expit(intercept + slope * x)
            information = order_free_sum(weight * p * (1 - p))
            if information == 0:
                break
            step = order_free_sum(weight * (y - p)) / information
            intercept += float(np.clip(step, -FARTHEST, FARTHEST))
            if abs(step) < CLOSE:
                break
        found: Float = expit(intercept + slope * x)
        return found

    def limit(self, spread: float, effective: float) -> float:
        """The nearest slope that is rejected, in the direction of `spread`."""
        from scipy.optimize import brentq

        value = self.rows.line.slope
        near, far = value, value + spread
        for _ in range(DOUBLINGS + 1):
            if self.beyond(far) > 0:
                return float(brentq(self.beyond, near, far, xtol=PRECISION * abs(spread)))
            near, far = far, value + 2 * (far - value)
        return float(value + reach(self.level, effective) * spread)
