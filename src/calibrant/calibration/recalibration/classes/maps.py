"""Fitted maps of rows of probabilities, one for each class."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from calibrant.checks.arrays import Label
from calibrant.errors import InputError

Float = NDArray[np.float64]
EDGE = 1e-6  # a probability of 0 has no logarithm: it is moved to EDGE / K first


def log_rows(q: ArrayLike) -> Float:
    """Logarithms of rows of probabilities, of which 0 is moved upwards."""
    rows = np.asarray(q, np.float64)
    found: Float = np.log(np.maximum(rows, EDGE / rows.shape[1]))
    return found


def softmax_rows(levels: Float) -> Float:
    """The probabilities of each row, which sum to 1; −∞ forbids a class."""
    powers = np.exp(levels - levels.max(axis=1, keepdims=True))
    found: Float = powers / powers.sum(axis=1, keepdims=True)
    return found


@dataclass(frozen=True)
class ClassMap:
    """A map of rows of probabilities: p ∝ exp(intercept + slope · log q + others · log q).

    `others` is a matrix, a row for each class, of what the logarithms of the other classes add; it
    is empty if they add nothing. The result of every row sums to 1.
    """

    classes: tuple[Label, ...]
    slopes: tuple[float, ...]
    intercepts: tuple[float, ...]
    others: tuple[tuple[float, ...], ...] = ()

    def __post_init__(self) -> None:
        count = len(self.classes)
        sizes = {len(self.slopes), len(self.intercepts), *map(len, self.others)}
        if count < 2 or sizes != {count} or len(self.others) not in (0, count):
            raise InputError("A map of classes needs a slope and an intercept for each of them.")
        if not all(np.isfinite(np.array(each, np.float64)).all() for each in self._numbers):
            raise InputError("The numbers of a map must be finite.")

    @property
    def _numbers(self) -> tuple[object, ...]:
        return self.slopes, self.intercepts, self.others

    def __call__(self, q: ArrayLike) -> Float:
        """The recalibrated rows."""
        return softmax_rows(self.on_logs(log_rows(q)))

    def on_logs(self, z: Float) -> Float:
        """The map of logarithms, up to a constant of each row; −∞ stays."""
        known = np.where(np.isneginf(z), 0.0, z)
        found = known * np.array(self.slopes) + np.array(self.intercepts)
        if self.others:
            found = found + known @ np.array(self.others).T
        return np.where(np.isneginf(z), -np.inf, found)

    def to_dict(self) -> dict[str, Any]:
        """All numbers by name."""
        return {
            "classes": list(self.classes),
            "slopes": list(self.slopes),
            "intercepts": list(self.intercepts),
            "others": [list(row) for row in self.others],
        }

    @classmethod
    def from_dict(cls, stored: dict[str, Any]) -> "ClassMap":
        """The map that `to_dict` has stored."""
        named = {name: tuple(values) for name, values in stored.items() if name != "others"}
        return cls(**named, others=tuple(tuple(row) for row in stored["others"]))


def unchanged(classes: tuple[Label, ...]) -> ClassMap:
    """The map that leaves rows as they are.

    >>> unchanged(("a", "b"))([[0.25, 0.75]])
    array([[0.25, 0.75]])
    """
    return ClassMap(classes, (1.0,) * len(classes), (0.0,) * len(classes))
