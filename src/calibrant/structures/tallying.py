"""How many yes answers each sentence or document has: beliefs, best guesses and gold."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from calibrant.pairs.tallies import Tallies
from calibrant.structures.gold import label_groups

Float = NDArray[np.float64]


class Counts(NamedTuple):
    """What a posterior believes about a number, and how to count it in a given structure."""

    pmf: Sequence[Float]  # for each unit, the probabilities of 0, 1, 2, ...
    asked: ArrayLike  # for each unit, the number of questions
    number: Callable[[Any], int]  # the number in one whole structure

    def tallies(
        self,
        mode: Sequence[Any],
        true: Sequence[Any],
        group: NDArray[Any] | None,
        by: Mapping[str, Any] | None,
    ) -> Tallies:
        """One unit per structure: the number in its mode, and in its gold unless that is None."""
        return Tallies(
            pmf=self.pmf,
            asked=self.asked,
            best=[self.number(each) for each in mode],
            gold=[np.nan if each is None else self.number(each) for each in true],
            group=group,
            by=by,
        )


def unit_groups(count: int, gold: object, group: object, what: str) -> NDArray[Any] | None:
    """The document of each unit: as given, or as the gold says; None if neither does."""
    given = getattr(gold, "documents", None) if group is None else group
    return None if given is None else label_groups(count, given, what)


def shares(drawn: ArrayLike) -> Float:
    """The share of samples with 0, 1, 2, ... of something."""
    found: Float = np.bincount(np.asarray(drawn)) / np.size(drawn)
    return found
