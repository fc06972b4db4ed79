"""Entities in pictures: a letter and a colour for each that has several mentions."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from calibrant.plots.style import COLOURS, GREY

Float = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Shown:
    """What is drawn of the mentions of a document."""

    texts: list[str]  # empty where they are not known
    entity: NDArray[np.int32]  # named by its first mention, if each makes its best choice
    same: Float  # the probability that two are of one entity
    new: Float  # the probability that each is the first of its own

    @property
    def letters(self) -> list[str]:
        """The letter of each mention's entity: A, B, ..., Z, A1, ...; none for one alone."""
        return ["" if each < 0 else f"{chr(ord('A') + each % 26)}{each // 26 or ''}"
                for each in self._numbers]  # fmt: skip

    @property
    def colours(self) -> list[str]:
        """The colour of each mention's entity; grey for one alone."""
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
        """Whether two mentions are of one entity."""
        return bool(self.entity[one] == self.entity[other])
