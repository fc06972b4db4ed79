"""Proper scoring rules as mean losses."""

import warnings
from abc import abstractmethod
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from calibrant.errors import CalibrantWarning, ParameterError
from calibrant.evidence import Losses, losses
from calibrant.pairs import Pairs
from calibrant.parameters import real_number
from calibrant.scores.score import Score, check_range

Float = NDArray[np.float64]


def set_range(score: Score) -> None:
    """Check the range of a score and keep it as plain numbers."""
    above, below = check_range(score.above, score.below)
    object.__setattr__(score, "above", above)
    object.__setattr__(score, "below", below)


class MeanLoss(Score, abstract=True):
    """A score that is the mean of one loss per pair."""

    @abstractmethod
    def loss(self, q: Float, y: int) -> Float:
        """The loss of predicting q when y happens."""

    def row_losses(self, pairs: Pairs) -> Float:
        """The mean loss of each row."""
        q = pairs.q.astype(np.float64, copy=False)
        if pairs.moments is None:
            return np.where(pairs.y == 1, self.loss(q, 1), self.loss(q, 0))
        with np.errstate(invalid="ignore"):  # 0 · inf: nobody saw that outcome
            yes = np.where(pairs.y > 0, pairs.y * self.loss(q, 1), 0.0)
            no = np.where(pairs.y < 1, (1 - pairs.y) * self.loss(q, 0), 0.0)
        return yes + no

    def evidence(self, pairs: Pairs) -> Losses:
        """Losses of the units that a bootstrap draws."""
        return losses(pairs, self.row_losses(pairs), self.loss)

    def value(self, evidence: Losses) -> float:
        """The mean loss."""
        return evidence.value


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
        """Exact for compressed pairs too, which remember the means of q² and q·y."""
        if pairs.moments is None:
            return super().row_losses(pairs)
        exact: Float = pairs.moments.square - 2 * pairs.moments.cross + pairs.y
        return exact


@dataclass(frozen=True, repr=False)
class LogLoss(MeanLoss):
    """The logarithmic loss, the mean of −log of the probability given to what happened.

    It is infinite when something happens that was given probability 0; a warning then says how
    often. `clip` moves predictions to [clip, 1 − clip] first (scikit-learn clips at 2.2e-16).

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
        """The losses, with a warning where some are infinite."""
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
