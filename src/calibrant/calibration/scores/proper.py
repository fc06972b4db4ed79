"""Proper scoring rules as mean losses."""

import warnings
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from calibrant.calibration.gaps.losses import Losses, losses
from calibrant.calibration.scores.score import Score, check_range
from calibrant.checks.parameters import real_number
from calibrant.errors import CalibrantWarning, ParameterError, UnsupportedError
from calibrant.pairs import Pairs

Float = NDArray[np.float64]


def set_range(score: Score) -> None:
    """Check the range of a score and store it as plain numbers."""
    above, below = check_range(score.above, score.below)
    object.__setattr__(score, "above", above)
    object.__setattr__(score, "below", below)


class MeanLoss(Score, abstract=True):
    """A score that is the mean of one loss per pair."""

    @abstractmethod
    def loss(self, q: Float, y: int) -> Float:
        """The loss of predicting q when y happens."""

    def entropy(self, p: Float) -> Float:
        """The mean loss of predicting p if y = 1 has probability p: the smallest possible."""
        return self.expected(p, p)

    def expected(self, q: Float, p: Float) -> Float:
        """The mean loss of predicting q if y = 1 has probability p."""
        return _times(p, self.loss(q, 1)) + _times(1 - p, self.loss(q, 0))

    def row_losses(self, pairs: Pairs) -> Float:
        """The mean loss of each row."""
        if pairs.held is not None:
            raise UnsupportedError(
                f"{self!r} of shares of draws depends on the number of draws: use Brier, which can "
                "be corrected for that, or Pairs(y, q) to score the shares as they are."
            )
        q = pairs.q.astype(np.float64, copy=False)
        if pairs.moments is None:
            return np.where(pairs.y == 1, self.loss(q, 1), self.loss(q, 0))
        return self.expected(q, pairs.y)

    def evidence(self, pairs: Pairs) -> Losses:
        """Losses of the units that a bootstrap draws."""
        return losses(pairs, self.row_losses(pairs), self.loss)

    def value(self, evidence: Losses) -> float:
        """The mean loss."""
        return evidence.value


def _times(share: Float, loss: Float) -> Float:
    """Multiply share and loss; a share of 0 gives 0 even if the loss is infinite."""
    with np.errstate(invalid="ignore"):
        return np.where(share == 0, 0.0, share * loss)


@dataclass(frozen=True, repr=False)
class Brier(MeanLoss):
    """The Brier score, the mean of (q − y)².

    Reference: Brier (1950), doi:10.1175/1520-0493(1950)078<0001:VOFEIT>2.0.CO;2.

    Examples
    --------
    >>> from calibrant import Brier, Pairs
    >>> round(Brier()(Pairs([0, 1], [0.2, 0.6])), 6)
    0.1
    """

    above: float | None = None
    below: float | None = None

    def __post_init__(self) -> None:
        set_range(self)

    def loss(self, q: Float, y: int) -> Float:
        """(q − y)²."""
        return (q - y) ** 2

    def row_losses(self, pairs: Pairs) -> Float:
        """The mean loss of each row, exact for compressed pairs too."""
        if pairs.moments is None and pairs.held is None:
            return super().row_losses(pairs)
        moments = pairs.row_moments()
        exact: Float = moments.square - 2 * moments.cross + pairs.y
        return exact


@dataclass(frozen=True, repr=False)
class LogLoss(MeanLoss):
    """The logarithmic loss: the mean of −log of the probability of the actual outcome.

    It is infinite if an outcome with predicted probability 0 happens; a warning then reports how
    often. `clip` first moves predictions into [clip, 1 − clip] (scikit-learn uses
    2.2e-16).

    Reference: Good (1952), doi:10.1111/j.2517-6161.1952.tb00104.x.

    Examples
    --------
    >>> from calibrant import LogLoss, Pairs
    >>> round(LogLoss()(Pairs([0, 1], [0.5, 0.5])), 6)
    0.693147
    """

    clip: float = 0.0
    above: float | None = None
    below: float | None = None

    def __post_init__(self) -> None:
        set_range(self)
        if not 0 <= real_number("clip", self.clip) < 0.5:
            raise ParameterError(f"clip must lie in [0, 0.5), but it is {self.clip!r}.")

    def loss(self, q: Float, y: int) -> Float:
        """−log q if y = 1, else −log(1 − q)."""
        clipped = np.clip(q, self.clip, 1 - self.clip) if self.clip else q
        with np.errstate(divide="ignore"):
            return -np.log(clipped) if y == 1 else -np.log1p(-clipped)

    def row_losses(self, pairs: Pairs) -> Float:
        """The loss of each row, with a warning if some are infinite."""
        rows = super().row_losses(pairs)
        impossible = np.isinf(rows)
        if impossible.any():
            first = int(np.argmax(impossible))
            many = int(impossible.sum())
            warnings.warn(
                f"LogLoss is infinite: {many} of {rows.size} pairs gave probability 0 to what "
                f"happened (the first has q = {pairs.q[first]:g}, y = {pairs.y[first]:g}). "
                "LogLoss(clip=2.2e-16) is finite.",
                CalibrantWarning,
                stacklevel=2,
            )
        return rows


@dataclass(frozen=True, repr=False)
class Spherical(MeanLoss):
    """The spherical loss: the mean of 1 − (probability of the outcome) / √(q² + (1−q)²).

    Reference: Roby (1964); Gneiting & Raftery (2007), doi:10.1198/016214506000001437.

    Examples
    --------
    >>> from calibrant import Pairs, Spherical
    >>> round(Spherical()(Pairs([0, 1], [0.0, 0.5])), 6)
    0.146447
    """

    above: float | None = None
    below: float | None = None

    def __post_init__(self) -> None:
        set_range(self)

    def loss(self, q: Float, y: int) -> Float:
        """1 − q / √(q² + (1−q)²) if y = 1, and likewise for y = 0."""
        seen = q if y == 1 else 1 - q
        return np.asarray(1 - seen / np.hypot(q, 1 - q))


Reward = Callable[[Float], Float]
GRID = 99  # probabilities at which to check propriety: every percent


class Rule(MeanLoss, abstract=True):
    """A custom proper scoring rule, defined by its rewards.

    `g1(x)` is the reward of predicting x when y = 1, and `g2(x)` when y = 0; both take arrays.
    The score is the mean of minus the reward. The rule must be strictly proper: for every true
    probability p, the mean reward p·g1(x) + (1−p)·g2(x) must have its only maximum at x = p. This
    is checked on a grid, and the error says where it fails.

    A rule holds functions, so its printed form cannot be parsed.

    Parameters
    ----------
    g1, g2
        The rewards.
    name
        The name to print in tables.
    above, below
        Use only pairs with above < q ≤ below.

    Examples
    --------
    >>> import numpy as np
    >>> from calibrant import Pairs, Rule
    >>> brier = Rule(lambda x: -((1 - x) ** 2), lambda x: -(x**2), name="my Brier")
    >>> round(brier(Pairs([0, 1], [0.2, 0.6])), 6)
    0.1
    """

    def __init__(
        self,
        g1: Reward,
        g2: Reward,
        *,
        name: str = "Rule",
        above: float | None = None,
        below: float | None = None,
    ) -> None:
        self.g1, self.g2, self.name = g1, g2, name
        self.above, self.below = check_range(above, below)
        self._check()

    def __repr__(self) -> str:
        return self.name

    def loss(self, q: Float, y: int) -> Float:
        """Minus the reward."""
        with np.errstate(divide="ignore"):
            reward = np.asarray((self.g1 if y == 1 else self.g2)(q), np.float64)
        if reward.shape != np.shape(q):
            raise ParameterError(
                f"g{1 if y == 1 else 2} must give one reward for every prediction, but it gave "
                f"an array of shape {reward.shape} for one of shape {np.shape(q)}."
            )
        return -reward

    def _check(self) -> None:
        """Refuse a rule that is not strictly proper."""
        x = np.linspace(0, 1, 10 * (GRID + 1) + 1)[1:-1]
        rewards = -self.loss(x, 1), -self.loss(x, 0)
        for reward, name in zip(rewards, ("g1", "g2"), strict=True):
            if not np.isfinite(reward).all():
                worst = float(x[np.argmin(np.isfinite(reward))])
                raise ParameterError(
                    f"{name} must be finite between 0 and 1, but not at {worst:g}."
                )
        for i in range(9, x.size, 10):
            mean = x[i] * rewards[0] + (1 - x[i]) * rewards[1]
            others = np.delete(mean, i)
            best = float(others.max())
            if not mean[i] > best:
                where = float(np.delete(x, i)[np.argmax(others)])
                raise ParameterError(
                    f"{self.name} is not strictly proper: where y = 1 has probability {x[i]:.2f}, "
                    f"predicting {where:.3f} earns {best:.6g} on average, and predicting "
                    f"{x[i]:.2f} itself {mean[i]:.6g}."
                )
