"""Methods for rows of classes alone."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from calibrant.calibration.recalibration.classes.maps import ClassMap
from calibrant.calibration.recalibration.classes.multinomial import (
    PRIOR,
    AllSlopes,
    ClassLesson,
    OwnSlopes,
    fit_classes,
)
from calibrant.calibration.recalibration.method import RowMethod
from calibrant.checks.arrays import Label
from calibrant.checks.parameters import real_number
from calibrant.errors import ParameterError

Float = NDArray[np.float64]


@dataclass(frozen=True, repr=False)
class VectorScaling(RowMethod):
    """A slope and an intercept for each class: log p_k = b_k + a_k · log q_k + constant.

    Use it with many rows, if some classes are predicted too often, or are surer than others.

    Reference: Guo et al. (2017), arXiv:1706.04599.
    """

    def learn_rows(self, lesson: ClassLesson, classes: tuple[Label, ...]) -> ClassMap:
        """The slopes, none below 0, and the intercepts."""
        count = len(classes)
        theta = fit_classes(OwnSlopes(count, PRIOR), lesson)
        return ClassMap(classes, _numbers(1 + theta[count:]), _numbers(theta[:count]))

    def told_rows(self, fitted: ClassMap) -> str:
        """The range of slopes and intercepts."""
        return _told(fitted)


@dataclass(frozen=True, repr=False)
class Dirichlet(RowMethod):
    """A multinomial regression on log q: log p_k = b_k + Σ_j a_kj · log q_j + constant.

    Use it with many rows for each class, if some classes are taken for each other. Slopes and
    intercepts are pulled towards leaving rows as they are, each by a normal prior around 1 on the
    diagonal and 0 elsewhere (off-diagonal and intercept regularisation, ODIR).

    Parameters
    ----------
    apart
        Standard deviation of a slope off the diagonal (default: 0.5 / √(K − 1), so that those of
        a class together vary as much as its own).
    intercept
        Standard deviation of an intercept.

    Reference: Kull et al. (2019), arXiv:1910.12656.
    """

    apart: float | None = None
    intercept: float = PRIOR

    def __post_init__(self) -> None:
        if self.apart is not None:
            object.__setattr__(self, "apart", _positive("apart", self.apart))
        object.__setattr__(self, "intercept", _positive("intercept", self.intercept))

    def learn_rows(self, lesson: ClassLesson, classes: tuple[Label, ...]) -> ClassMap:
        """The matrix and the intercepts."""
        count = len(classes)
        apart = PRIOR / (count - 1) ** 0.5 if self.apart is None else self.apart
        theta = fit_classes(AllSlopes(count, PRIOR, apart, self.intercept), lesson)
        matrix = theta[count:].reshape(count, count).copy()
        slopes = _numbers(1 + np.diag(matrix))
        np.fill_diagonal(matrix, 0.0)
        return ClassMap(classes, slopes, _numbers(theta[:count]), tuple(map(_numbers, matrix)))

    def told_rows(self, fitted: ClassMap) -> str:
        """The range of slopes and intercepts."""
        return _told(fitted)


def _positive(name: str, value: object) -> float:
    number = real_number(name, value)
    if number <= 0:
        raise ParameterError(f"{name} must be above 0, but it is {number:g}.")
    return number


def _numbers(values: Float) -> tuple[float, ...]:
    return tuple(values.tolist())


def _told(fitted: ClassMap) -> str:
    """The smallest and largest slope and intercept."""
    slopes, intercepts = fitted.slopes, fitted.intercepts
    return (
        f"slopes {min(slopes):.3g} to {max(slopes):.3g}, "
        f"intercepts {min(intercepts):.3g} to {max(intercepts):.3g}"
    )
