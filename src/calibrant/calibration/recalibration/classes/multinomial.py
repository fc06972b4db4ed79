"""Multinomial regressions on log q, pulled towards leaving q as it is."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from calibrant.calibration.recalibration.classes.maps import ClassMap, softmax_rows
from calibrant.checks.arrays import Label

Float = NDArray[np.float64]
Int = NDArray[np.int64]
PRIOR = 0.5  # standard deviation of a coefficient around the value that changes nothing
CLOSE = 1e-6  # of the gradient per row, in units where the loss bends by 1
STEPS = 2000


@dataclass(frozen=True, eq=False)
class ClassLesson:
    """Rows to learn from: log q, which is −∞ where a class is no option, and the true column.

    `worth` is how much independent information a row holds: 1 if rows are independent, less if
    those of a group repeat each other.
    """

    z: Float
    truth: Int
    worth: float

    @cached_property
    def closed(self) -> NDArray[np.bool_] | None:
        """Where a class is no option; None if all are."""
        found = np.isneginf(self.z)
        return found if found.any() else None

    @property
    def known(self) -> Float:
        """Log q, and 0 where a class is no option."""
        return self.z if self.closed is None else np.where(self.closed, 0.0, self.z)


class Form(ABC):
    """How coefficients θ change log q; all are 0 where nothing changes."""

    precision: Float  # of the prior of each coefficient
    least: Float  # the smallest value of each coefficient

    @abstractmethod
    def levels(self, known: Float, theta: Float) -> Float:
        """Log p of each row, up to a constant."""

    @abstractmethod
    def slope(self, known: Float, residual: Float) -> Float:
        """The derivative of the loss, from p − y."""

    @abstractmethod
    def spread(self, known: Float, variance: Float) -> Float:
        """About how much the loss bends in each coefficient, from p (1 − p)."""


class OneSlope(Form):
    """Log p = (1 + θ) log q."""

    def __init__(self, prior: float) -> None:
        self.precision, self.least = np.array([prior**-2]), np.array([-1.0])

    def levels(self, known: Float, theta: Float) -> Float:
        """Log p of each row."""
        found: Float = known * (1 + theta[0])
        return found

    def slope(self, known: Float, residual: Float) -> Float:
        """The derivative of the loss."""
        return np.array([np.vdot(known, residual)])

    def spread(self, known: Float, variance: Float) -> Float:
        """How much the loss bends."""
        return np.array([np.vdot(known**2, variance)])


class OwnSlopes(Form):
    """Log p = θ_k + (1 + θ_{K + k}) log q_k."""

    def __init__(self, count: int, prior: float) -> None:
        self.count = count
        self.precision = np.full(2 * count, prior**-2)
        self.least = np.repeat([-np.inf, -1.0], count)

    def levels(self, known: Float, theta: Float) -> Float:
        """Log p of each row."""
        return known * (1 + theta[self.count :]) + theta[: self.count]

    def slope(self, known: Float, residual: Float) -> Float:
        """The derivative of the loss."""
        return np.concatenate([residual.sum(axis=0), (known * residual).sum(axis=0)])

    def spread(self, known: Float, variance: Float) -> Float:
        """How much the loss bends."""
        return np.concatenate([variance.sum(axis=0), (known**2 * variance).sum(axis=0)])


class AllSlopes(Form):
    """Log p_k = θ_k + log q_k + Σ_j Θ_kj log q_j."""

    def __init__(self, count: int, prior: float, apart: float, intercept: float) -> None:
        self.count = count
        slopes = np.full((count, count), apart**-2)
        np.fill_diagonal(slopes, prior**-2)
        self.precision = np.concatenate([np.full(count, intercept**-2), slopes.ravel()])
        least = np.full((count, count), -np.inf)
        np.fill_diagonal(least, -1.0)
        self.least = np.concatenate([np.full(count, -np.inf), least.ravel()])

    def levels(self, known: Float, theta: Float) -> Float:
        """Log p of each row."""
        slopes = theta[self.count :].reshape(self.count, self.count)
        found: Float = known + theta[: self.count] + known @ slopes.T
        return found

    def slope(self, known: Float, residual: Float) -> Float:
        """The derivative of the loss."""
        return np.concatenate([residual.sum(axis=0), (residual.T @ known).ravel()])

    def spread(self, known: Float, variance: Float) -> Float:
        """How much the loss bends."""
        return np.concatenate([variance.sum(axis=0), (variance.T @ known**2).ravel()])


def penalised(form: Form, lesson: ClassLesson, known: Float, theta: Float) -> tuple[float, Float]:
    """Minus the penalised log-likelihood per row, and its derivative."""
    levels, many, rows = form.levels(known, theta), len(lesson.z), np.arange(len(lesson.z))
    if lesson.closed is not None:
        levels[lesson.closed] = -np.inf
    levels -= levels.max(axis=1, keepdims=True)
    chosen = levels[rows, lesson.truth]
    p = np.exp(levels, out=levels)
    total = p.sum(axis=1, keepdims=True)
    p /= total
    p[rows, lesson.truth] -= 1.0
    pulled = form.precision * theta / (many * lesson.worth)
    value = (np.log(total).sum() - chosen.sum()) / many + theta @ pulled / 2
    return float(value), form.slope(known, p) / many + pulled


def fit_classes(form: Form, lesson: ClassLesson, start: Float | None = None) -> Float:
    """The coefficients of largest penalised likelihood; they do not depend on the start."""
    from scipy.optimize import minimize

    known, many = lesson.known, lesson.truth.size
    p = softmax_rows(lesson.z)
    bend = form.spread(known, p * (1 - p)) / many + form.precision / (many * lesson.worth)
    scale = 1 / np.sqrt(bend)

    def loss(scaled: Float) -> tuple[float, Float]:
        value, slope = penalised(form, lesson, known, scaled * scale)
        return value, slope * scale

    first = np.zeros(form.precision.size) if start is None else start / scale
    limits = list(zip(form.least / scale, np.full(first.size, np.inf), strict=True))
    found = minimize(
        loss,
        first,
        jac=True,
        method="L-BFGS-B",
        bounds=limits,
        options={"gtol": CLOSE, "ftol": 0.0, "maxiter": STEPS, "maxfun": 2 * STEPS},
    )
    return np.asarray(found.x * scale, np.float64)


def one_temperature(lesson: ClassLesson, classes: tuple[Label, ...]) -> ClassMap:
    """The map that raises all probabilities to one power."""
    (change,) = fit_classes(OneSlope(PRIOR), lesson)
    count = len(classes)
    return ClassMap(classes, (1 + float(change),) * count, (0.0,) * count)
