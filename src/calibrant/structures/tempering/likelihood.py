"""Fit temperatures to the log-likelihood of gold structures, with exact gradients.

The parameters are the logs of the temperatures, and a bias as it is. They have a weak normal prior
around "leave it", 0. The log-likelihood of one sentence or document is log P(gold), and its
gradient is the score of the gold structure minus the expected score.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from calibrant.errors import InputError
from calibrant.structures.tempering.temperatures import ALL, BIAS, SPREAD, Temperatures

Float = NDArray[np.float64]
Int = NDArray[np.int64]
PRECISION = 1.0 / SPREAD**2
CLOSE = 1e-5  # in nats: how much more a further step could gain
STEPS = 60
FAR = 1.0  # longest step of a log temperature
NUDGE = 1e-4  # of a log temperature, to see how gradients change
SHORT = (1e-6, 0.03)  # a step of the search that can be used instead
NEAR = 0.05  # a longer step away from the maximum of all items is not trusted


class Measured(NamedTuple):
    """log P(gold) of each item, and its derivatives by the parameters."""

    log: Float  # (items,)
    slope: Float  # (items, parameters)


class Likelihood(ABC):
    """The likelihood of gold structures under a posterior, as a function of its temperatures.

    Attributes
    ----------
    names
        The parameters: "all", or the kinds of potentials, and perhaps "bias".
    posterior
        What the model believes.
    gold
        What is true of each item, a sentence or a document.
    sizes
        The words or mentions of each item.
    of
        What sizes count: "word" or "mention".
    possible
        Whether the posterior gives the gold structure of each item a positive probability.
    """

    kinds: ClassVar[tuple[str, ...]]  # the parameters, if they are separate
    names: tuple[str, ...]
    posterior: Any
    gold: Sequence[Any]
    sizes: Int
    of: str
    possible: NDArray[np.bool_]

    @classmethod
    @abstractmethod
    def of_gold(cls, posterior: Any, gold: object, separate: bool = False) -> Self:  # noqa: ANN401
        """Check the gold structures, and measure what does not depend on temperatures."""

    @abstractmethod
    def measure(self, at: Float, items: Int) -> Measured:
        """Measure the log-likelihood of some items at these parameters."""

    @property
    def set_aside(self) -> tuple[int, int, str]:
        """How many gold structures are impossible, of how many of what."""
        return int(np.sum(~self.possible)), int(self.possible.size), "sentence"

    @classmethod
    def names_of(cls, separate: bool) -> tuple[str, ...]:
        """The parameters: one temperature, or one for each kind."""
        return cls.kinds if separate else (ALL,)

    @property
    def items(self) -> Int:
        """The items to learn from: their gold structure is possible, and they are not empty."""
        return np.flatnonzero(self.possible & (self.sizes > 0))

    def temperatures(self, at: Float) -> Temperatures:
        """The temperatures of these parameters."""
        pairs = zip(self.names, at.tolist(), strict=True)
        return Temperatures(
            {name: value if name == BIAS else float(np.exp(value)) for name, value in pairs}
        )

    def parts(self, posterior_items: Int) -> tuple[Any, list[Any]]:
        """The posterior and the gold of some items."""
        chosen = posterior_items.tolist()
        return self.posterior.take(chosen), [self.gold[k] for k in chosen]


def most_likely(likelihood: Likelihood) -> Temperatures:
    """The temperatures that make the gold structures most likely."""
    return likelihood.temperatures(_peak(likelihood, _some(likelihood)).at)


def by_name(likelihood: Likelihood, at: Float) -> dict[str, float]:
    """The factor of each kind of log-potentials, 1 / T, and the bias."""
    found = likelihood.temperatures(at)
    return {name: v if name == BIAS else 1.0 / v for name, v in found.values.items()}


@dataclass(frozen=True, eq=False)
class Peak:
    """The most likely parameters of some items, and the last point of the search before them."""

    at: Float
    measured: Measured
    earlier: tuple[Float, Measured] | None = None


@dataclass(frozen=True, eq=False)
class Fitted:
    """The most likely parameters of all items, and how the likelihood falls around them.

    `bends` holds minus the second derivatives of the log-likelihood of each item.
    """

    items: Int
    peak: Peak
    bends: Float  # (items, parameters, parameters)

    def without(self, left_out: NDArray[np.bool_], likelihood: Likelihood) -> Float:
        """The parameters that all but some items make most likely.

        A Newton step from the maximum of all, with the gradients and second derivatives of the
        items that are left. If it is long, it is the start of a search.
        """
        kept = ~left_out
        at = self.peak.at
        curve = self.bends[kept].sum(axis=0) + PRECISION * np.eye(at.size)
        gradient = self.peak.measured.slope[kept].sum(axis=0) - PRECISION * at
        if _positive(curve):
            step = np.linalg.solve(curve, gradient)
            if np.abs(step).max() <= NEAR:
                return at + step
        return maximise(lambda x: likelihood.measure(x, self.items[kept]), at).at

    def spread(self, codes: Int) -> Float:
        """The standard errors of the parameters; items of a group may depend on each other."""
        at = self.peak.at
        sums = np.zeros((int(codes.max()) + 1, at.size))
        np.add.at(sums, codes, self.peak.measured.slope)
        curve = self.bends.sum(axis=0) + PRECISION * np.eye(at.size)
        inverse = np.linalg.pinv(curve)
        found: Float = np.sqrt(np.diag(inverse @ (sums.T @ sums) @ inverse).clip(0.0))
        return found


def fit(likelihood: Likelihood) -> Fitted:
    """Find the most likely parameters of all items whose gold structure is possible."""
    items = _some(likelihood)
    peak = _peak(likelihood, items)
    return Fitted(items, peak, _bends(likelihood, items, peak))


def _bends(likelihood: Likelihood, items: Int, peak: Peak) -> Float:
    """Minus the second derivatives of every item, from differences of gradients.

    With one parameter, the last short step of the search has them already.
    """
    bends = np.empty((items.size, peak.at.size, peak.at.size))
    if peak.at.size == 1 and peak.earlier is not None:
        (before,), measured = peak.earlier
        step = float(peak.at[0] - before)
        if SHORT[0] < abs(step) < SHORT[1]:
            bends[:, 0] = (measured.slope - peak.measured.slope) / step
            return bends
    for k in range(peak.at.size):
        moved = peak.at.copy()
        moved[k] += NUDGE
        bends[:, k] = (peak.measured.slope - likelihood.measure(moved, items).slope) / NUDGE
    symmetric: Float = (bends + bends.transpose(0, 2, 1)) / 2
    return symmetric


def _some(likelihood: Likelihood) -> Int:
    """The items to learn from; there must be one."""
    items = likelihood.items
    if not items.size:
        raise InputError(
            f"None of the {likelihood.possible.size} gold structures is possible under the "
            "posterior, so there is nothing to learn temperatures from."
        )
    return items


def _peak(likelihood: Likelihood, items: Int) -> Peak:
    start = np.zeros(len(likelihood.names))
    return maximise(lambda at: likelihood.measure(at, items), start)


def maximise(measure: Callable[[Float], Measured], start: Float) -> Peak:
    """Climb to the maximum: BFGS whose first curvature is that of the gradients of the items.

    Where a model is calibrated, the sum of squares of gradients equals minus the second
    derivatives, so the first step is nearly Newton's.
    """
    at, found = start.astype(np.float64), measure(start)
    earlier = None
    curve = found.slope.T @ found.slope + PRECISION * np.eye(at.size)
    for _ in range(STEPS):
        gradient = _gradient(found, at)
        step = np.asarray(np.linalg.solve(curve, gradient), np.float64)
        if gradient @ step < CLOSE:
            break
        step = np.asarray(step * min(1.0, FAR / np.abs(step).max()), np.float64)
        moved, there = _climb(measure, at, step, _value(found, at), float(gradient @ step))
        if moved is None or there is None:
            break
        curve = _updated(curve, moved - at, gradient - _gradient(there, moved))
        at, found, earlier = moved, there, (at, found)
    return Peak(at, found, earlier)


def _climb(
    measure: Callable[[Float], Measured], at: Float, step: Float, value: float, slope: float
) -> tuple[Float, Measured] | tuple[None, None]:
    """Take the step, or half of it and so on, until the value rises enough."""
    for _ in range(30):
        moved = at + step
        found = measure(moved)
        if _value(found, moved) >= value + 1e-4 * slope:
            return moved, found
        step, slope = step / 2, slope / 2
    return None, None


def _value(found: Measured, at: Float) -> float:
    return float(found.log.sum() - PRECISION * (at @ at) / 2)


def _gradient(found: Measured, at: Float) -> Float:
    gradient: Float = found.slope.sum(axis=0) - PRECISION * at
    return gradient


def _updated(curve: Float, moved: Float, fell: Float) -> Float:
    """The curvature after a step: BFGS, which keeps it positive."""
    if not moved @ fell > 1e-12 * (moved @ moved):
        return curve
    along = curve @ moved
    updated: Float = (
        curve - np.outer(along, along) / (moved @ along) + np.outer(fell, fell) / (moved @ fell)
    )
    return updated


def _positive(curve: Float) -> bool:
    return bool(np.linalg.eigvalsh(curve)[0] > 0)
