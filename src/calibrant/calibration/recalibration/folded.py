"""The interface of what maps are learnt from and judged on: observations, divided into folds."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Generic, Protocol, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from calibrant.calibration.recalibration.method import Method
from calibrant.calibration.scores import MeanLoss
from calibrant.checks.arrays import Numbers

Float = NDArray[np.float64]


class Mapping(Protocol):
    """A fitted map of probabilities, or of rows of them."""

    def __call__(self, q: ArrayLike, /) -> Float: ...  # noqa: D102


M = TypeVar("M", bound=Mapping)


class Folded(ABC, Generic[M]):
    """Observations, divided into folds of whole groups."""

    fold: Numbers  # of each observation
    unchanged: M  # the map that leaves predictions as they are

    @property
    @abstractmethod
    def folds(self) -> int:
        """The number of folds."""

    @abstractmethod
    def learnt(self, methods: Sequence[Method], *left_out: int) -> list[M]:
        """The maps that methods learn from all folds but those that are left out."""

    @abstractmethod
    def loss(self, fold: int, mapped: M, rule: MeanLoss) -> float:
        """The summed loss of a fold, mapped."""
