"""Spans of sentences with their probabilities: likely ones, and those of the best answer."""

from collections.abc import Sequence, Set
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibrant.checks.parameters import real_number
from calibrant.errors import InputError, ParameterError
from calibrant.pairs import Pairs
from calibrant.structures.query import Keys
from calibrant.structures.spans import Span

Int = NDArray[np.int64]


class Places(NamedTuple):
    """Spans and their probabilities, sentence by sentence."""

    sentence: Int
    begin: Int
    end: Int  # the word after the last
    q: NDArray[np.float64]

    def pairs(
        self, true: Set[tuple[int, int, int]], groups: NDArray[np.generic], what: str, floor: float
    ) -> Pairs:
        """Make a pair for each place; `true` holds the gold spans, `groups` one per sentence."""
        if self.q.size == 0:
            raise InputError(f"No {what} has a probability of at least {floor:g}: lower the floor.")
        asked = zip(*(each.tolist() for each in self[:3]), strict=True)
        y = np.array([place in true for place in asked])
        return Pairs(y, self.q.clip(0.0, 1.0), group=groups[self.sentence])

    def keys(self) -> Keys:
        """The sentence and the words of each place."""
        return {"sentence": self.sentence, "begin": self.begin, "end": self.end}


class TypedPlaces(NamedTuple):
    """Spans of the best answers, with their types and probabilities, sentence by sentence."""

    sentence: Int
    begin: Int
    end: Int  # the word after the last
    type: NDArray[np.str_]
    q: NDArray[np.float64]

    @classmethod
    def of(cls, found: Sequence[tuple[int, Span]], q: NDArray[np.float64]) -> "TypedPlaces":
        """From spans with the numbers of their sentences."""
        sentence = np.array([k for k, _ in found], np.int64)
        begin = np.array([span.begin for _, span in found], np.int64)
        end = np.array([span.end for _, span in found], np.int64)
        return cls(sentence, begin, end, np.array([span.type for _, span in found], np.str_), q)

    def pairs(
        self, true: Set[tuple[int, Span]], groups: NDArray[np.generic], nothing: str
    ) -> Pairs:
        """Make a pair for each place; `nothing` is the error if there are no places."""
        if self.q.size == 0:
            raise InputError(nothing)
        asked = zip(*(each.tolist() for each in self[:4]), strict=True)
        y = np.array([(k, Span(*span)) in true for k, *span in asked])
        return Pairs(y, self.q.clip(0.0, 1.0), group=groups[self.sentence])

    def keys(self) -> Keys:
        """The sentence, the words and the type of each place."""
        return {"sentence": self.sentence, "begin": self.begin, "end": self.end, "type": self.type}


def checked_floor(floor: float) -> float:
    """Check the floor of a query."""
    found = real_number("floor", floor)
    if not 0 <= found <= 1:
        raise ParameterError(f"floor must lie in [0, 1], but it is {found!r}.")
    return found
