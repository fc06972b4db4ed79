"""Probabilities of the options of multiple-choice questions, from log-likelihoods.

Questions may have different numbers of options, so all options are in one array, and `start` says
where those of each question begin.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Float = NDArray[np.float64]
Int = NDArray[np.int64]
Bool = NDArray[np.bool_]


class Chosen(NamedTuple):
    """The most probable option of each question."""

    option: Int  # its number, counted from 0 within the question
    q: Float  # its probability
    correct: Bool


@dataclass(frozen=True, eq=False)
class Options:
    """The options of several questions: log-likelihoods, lengths, and which are correct."""

    start: Int  # (questions + 1,)
    loglik: Float
    correct: Bool

    @property
    def counts(self) -> Int:
        """How many options each question has."""
        return np.diff(self.start)

    @property
    def owner(self) -> Int:
        """The question of each option."""
        return np.repeat(np.arange(self.counts.size), self.counts)

    def probabilities(self, length: Float | None = None) -> Float:
        """The softmax within each question, of log-likelihoods divided by `length` if given.

        >>> two = Options(np.array([0, 2]), np.log([0.3, 0.1]), np.array([True, False]))
        >>> two.probabilities().round(6).tolist()
        [0.75, 0.25]
        """
        score = self.loglik if length is None else self.loglik / length
        top = np.maximum.reduceat(score, self.start[:-1])
        # impossible options only: each is as likely as the others
        top = np.where(np.isfinite(top), top, 0.0)
        mass = np.exp(score - top[self.owner])
        total = np.add.reduceat(mass, self.start[:-1])
        even = 1 / self.counts
        share = np.where(total > 0, 1 / np.where(total > 0, total, 1.0), 0.0)
        found: Float = np.where(total[self.owner] > 0, mass * share[self.owner], even[self.owner])
        return found

    def chosen(self, length: Float | None = None) -> Chosen:
        """The most probable option of each question; the first, if several are equal."""
        q = self.probabilities(length)
        best = np.maximum.reduceat(q, self.start[:-1])
        place = np.where(q == best[self.owner], np.arange(q.size), q.size)
        first = np.minimum.reduceat(place, self.start[:-1])
        return Chosen(first - self.start[:-1], best, self.correct[first])


def why_uninformative(loglik: Sequence[float]) -> str | None:
    """Why the log-likelihoods say nothing; None if they do."""
    if len(loglik) < 2:
        return "a single option"
    best = max(loglik)
    if best == 0 == min(loglik):
        return "all log-likelihoods are 0"
    if best == -inf:
        return "no finite log-likelihood"
    return None
