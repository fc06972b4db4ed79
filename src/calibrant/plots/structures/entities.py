"""Letters and colours for entities with several mentions."""

from dataclasses import dataclass
from string import ascii_uppercase

import numpy as np
from numpy.typing import NDArray

from calibrant.plots.style import COLOURS, GREY

Float = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Shown:
    """The data to draw for the mentions of a document."""

    texts: list[str]  # empty strings if unknown
    entity: NDArray[np.int32]  # of each mention, by most probable choice; numbered by first mention
    same: Float  # the probability that two belong to one entity
    new: Float  # the probability that each is the first of a new entity

    @property
    def letters(self) -> list[str]:
        """The letter of the entity of each mention: A, B, ..., Z, A1, ...; empty for singletons."""
        return ["" if each < 0 else _letter(each) for each in self._numbers]

    @property
    def colours(self) -> list[str]:
        """The colour of the entity of each mention; grey for singletons."""
        return [GREY if each < 0 else COLOURS[each % len(COLOURS)] for each in self._numbers]

    @property
    def names(self) -> list[str]:
        """The text of each mention, or its number."""
        return [text or f"mention {k}" for k, text in enumerate(self.texts)]

    @property
    def _numbers(self) -> list[int]:
        first, size = np.unique(self.entity, return_counts=True)
        number = {each: k for k, each in enumerate(first[size > 1].tolist())}
        return [number.get(each, -1) for each in self.entity.tolist()]

    def together(self, one: int, other: int) -> bool:
        """Whether two mentions belong to one entity."""
        return bool(self.entity[one] == self.entity[other])


def _letter(number: int) -> str:
    letter, again = ascii_uppercase[number % 26], number // 26
    return f"{letter}{again or ''}"
