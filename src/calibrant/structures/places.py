"""Spans of sentences whose probability reaches the floor of a query."""

from collections.abc import Set
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibrant.checks.parameters import real_number
from calibrant.errors import InputError, ParameterError
from calibrant.pairs import Pairs
from calibrant.structures.query import Keys

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


def checked_floor(floor: float) -> float:
    """Check the floor of a query."""
    found = real_number("floor", floor)
    if not 0 <= found <= 1:
        raise ParameterError(f"floor must lie in [0, 1], but it is {found!r}.")
    return found
