"""Maps that are logistic regressions on functions of q, pulled towards leaving q as it is.

The penalty of a coefficient is that of a normal prior around the value that changes nothing, with
standard deviation 0.5. So with few pairs little changes, and with many the prior has no effect.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibrant.calibration.recalibration.cells import Lesson
from calibrant.calibration.recalibration.classes.maps import ClassMap
from calibrant.calibration.recalibration.classes.multinomial import (
    PRIOR,
    ClassLesson,
    one_temperature,
)
from calibrant.calibration.recalibration.maps import EDGE, Map, line
from calibrant.calibration.recalibration.method import PairMethod, RowMethod
from calibrant.checks.arrays import Label
from calibrant.checks.parameters import whole_number

Float = NDArray[np.float64]
STEPS = 50  # Newton steps; five are typical
CLOSE = 1e-9
GRID = 200  # points of a map that is not a line


class Regression(NamedTuple):
    """A penalised logistic regression: logit p = offset + design θ, with θ around 0."""

    design: Float
    offset: Float
    n: Float  # pairs in each cell, in units of independent ones
    k: Float  # those with y = 1
    precision: Float  # (coefficients, coefficients) of the prior

    def loss(self, theta: Float) -> float:
        """Minus the penalised log-likelihood."""
        level = self.offset + self.design @ theta
        fit = np.sum(self.n * np.logaddexp(0, level) - self.k * level)
        return float(fit + theta @ self.precision @ theta / 2)

    def newton(self, theta: Float, free: NDArray[np.bool_]) -> Float:
        """The best coefficients, of which only some are free."""
        from scipy.special import expit

        best = self.loss(theta)
        for _ in range(STEPS):
            p = expit(self.offset + self.design @ theta)
            slope = self.design.T @ (self.k - self.n * p) - self.precision @ theta
            spread = self.design * (self.n * p * (1 - p))[:, None]
            curvature = spread.T @ self.design + self.precision
            step = np.zeros(theta.size)
            step[free] = np.linalg.solve(curvature[np.ix_(free, free)], slope[free])
            step, best = _halved(self.loss, theta, step, best)
            theta = theta + step
            if np.abs(step).max() < CLOSE:
                break
        return theta


def fit(design: Float, lesson: Lesson, precision: Float, positive: tuple[int, ...] = ()) -> Float:
    """The coefficients θ of logit p = x + design θ of largest penalised likelihood.

    `precision` is that of the prior, a vector or a matrix. Coefficients of `positive` may not be
    below −1, where the slope that they change is 0: one that would be is fixed there, and the
    others are fitted again.
    """
    penalty = np.diag(precision) if precision.ndim == 1 else precision
    n, k = lesson.n * lesson.worth, lesson.k * lesson.worth
    regression = Regression(design, lesson.x, n, k, penalty)
    theta, free = np.zeros(design.shape[1]), np.ones(design.shape[1], bool)
    while True:
        theta = regression.newton(theta, free)
        below = [j for j in positive if theta[j] < -1 - CLOSE and free[j]]
        if not below:
            return theta
        worst = min(below, key=theta.__getitem__)
        theta[worst], free[worst] = -1.0, False


def _halved(
    loss: Callable[[Float], float], theta: Float, step: Float, best: float
) -> tuple[Float, float]:
    """A step that does not make the fit worse."""
    for _ in range(60):
        reached = loss(theta + step)
        if reached <= best + 1e-12 * abs(best):
            return step, reached
        step = step / 2
    return np.zeros_like(step), best


@dataclass(frozen=True, repr=False)
class Temperature(PairMethod, RowMethod):
    """Divides every logit by a temperature: logit p = logit q / t.

    Use it if predictions are too extreme, or not extreme enough, alike on both sides of ½. It has
    one number, so it needs the fewest pairs. Predictions of ½ stay. Rows of classes are raised to
    the power 1 / t and divided by their sum, so the answers stay the same.

    Reference: Guo et al. (2017), arXiv:1706.04599.
    """

    def learn(self, lesson: Lesson) -> Map:
        """The line through the origin."""
        (change,) = fit(lesson.x[:, None], lesson, np.array([PRIOR**-2]), positive=(0,))
        return line(0.0, 1 + float(change))

    def told(self, fitted: Map) -> str:
        """The temperature."""
        slope = fitted.ends[0]
        return f"temperature {1 / slope:.3g}" if slope else "temperature infinite"

    def learn_rows(self, lesson: ClassLesson, classes: tuple[Label, ...]) -> ClassMap:
        """One power of all probabilities."""
        return one_temperature(lesson, classes)

    def told_rows(self, fitted: ClassMap) -> str:
        """The temperature."""
        return self.told(line(0.0, fitted.slopes[0]))


@dataclass(frozen=True, repr=False)
class Platt(PairMethod):
    """A line on the logit scale: logit p = a + b · logit q.

    Use it if predictions are also too high, or too low, on the whole.

    Reference: Platt (1999); on logits, Cox (1958).
    """

    def learn(self, lesson: Lesson) -> Map:
        """The line."""
        design = np.column_stack([np.ones_like(lesson.x), lesson.x])
        a, b = fit(design, lesson, np.full(2, PRIOR**-2), positive=(1,))
        return line(float(a), 1 + float(b))

    def told(self, fitted: Map) -> str:
        """Intercept and slope."""
        return f"intercept {fitted.values[0]:.3g}, slope {fitted.ends[0]:.3g}"


@dataclass(frozen=True, repr=False)
class Beta(PairMethod):
    """The beta map: logit p = c + a · log q − b · log(1 − q), with a and b at least 0.

    Use it if low and high predictions are wrong in different ways.

    Reference: Kull, Silva Filho and Flach (2017), doi:10.1214/17-EJS1338SI.
    """

    def learn(self, lesson: Lesson) -> Map:
        """The curve, on a grid of logits."""
        low, high = self._parts(lesson.x)
        design = np.column_stack([np.ones_like(low), low, high])
        c, a, b = fit(design, lesson, np.full(3, PRIOR**-2), positive=(1, 2))
        x = np.linspace(*_range(lesson), GRID)
        low, high = self._parts(x)
        return gridded(x, x + c + a * low + b * high, (1 + float(a), 1 + float(b)))

    @staticmethod
    def _parts(x: Float) -> tuple[Float, Float]:
        """Log q and −log(1 − q) of logits."""
        return -np.logaddexp(0, -x), np.logaddexp(0, x)


@dataclass(frozen=True, repr=False)
class Spline(PairMethod):
    """A line with bends at quantiles of the predictions, on the logit scale.

    Use it with thousands of pairs, if the curve has a shape that no line has. It is monotone:
    where the fit falls, neighbouring parts are pooled. Neighbouring bends are pulled together.
    """

    knots: int = 8

    def __post_init__(self) -> None:
        object.__setattr__(self, "knots", whole_number("knots", self.knots, 3, 50))

    def learn(self, lesson: Lesson) -> Map:
        """The bends, on their knots."""
        share = np.cumsum(lesson.n) / lesson.n.sum()
        wanted = np.linspace(0.02, 0.98, self.knots)
        knots = np.unique(lesson.x[np.searchsorted(share, wanted)])
        if knots.size < 3:
            return Platt().learn(lesson)
        hats = np.array([np.interp(lesson.x, knots, unit) for unit in np.eye(knots.size)]).T
        design = np.column_stack([np.ones_like(lesson.x), lesson.x, hats])
        theta = fit(design, lesson, self._precision(knots.size), positive=(1,))
        values = knots + theta[0] + theta[1] * knots + theta[2:]
        slope = max(0.0, 1 + float(theta[1]))
        return gridded(knots, values, (slope, slope))

    def _precision(self, knots: int) -> Float:
        """Small bends, and small differences between neighbouring ones."""
        found = np.zeros((knots + 2, knots + 2))
        found[:2, :2] = np.eye(2) * PRIOR**-2
        rough = np.diff(np.eye(knots), n=2, axis=0)
        found[2:, 2:] = np.eye(knots) * PRIOR**-2 + rough.T @ rough * PRIOR**-2
        return found


def _range(lesson: Lesson) -> tuple[float, float]:
    """The logits that a map is stored for: those of the pairs, and at least −10 to 10."""
    edge = float(np.log(EDGE) - np.log1p(-EDGE))
    return max(edge, min(-10.0, float(lesson.x[0]))), min(-edge, max(10.0, float(lesson.x[-1])))


def gridded(x: Float, values: Float, ends: tuple[float, float]) -> Map:
    """A map through these points, made monotone where it falls."""
    from calibrant.kernels.calibration.pav import isotonic

    if not (np.diff(values) >= 0).all():
        first, mean = isotonic(values.astype(np.float64), np.ones(values.size))
        sizes = np.diff(np.append(first, values.size))
        values = np.repeat(mean, sizes)
    return Map(tuple(x.tolist()), tuple(np.maximum.accumulate(values).tolist()), ends)
