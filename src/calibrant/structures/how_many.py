"""`HowMany`: numbers of things that a function counts in whole structures."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np

from calibrant.checks.parameters import whole_number
from calibrant.errors import InputError, ParameterError, UnsupportedError
from calibrant.pairs import Pairs
from calibrant.pairs.tallies import Tallies
from calibrant.structures.labels.labels import Labels
from calibrant.structures.query import Query
from calibrant.structures.tallying import shares
from calibrant.structures.whole import Sampled, best_structures, groups_of, known_structures


@dataclass(frozen=True, repr=False)
class HowMany(Query, abstract=True):
    """The number of things that a function finds in the whole structure.

    For numbers that no query covers: events that need two tags at once, entities with at least
    two mentions, sentences about two people. The distribution is that of the number in sampled
    structures. It has no yes or no, so `count` adds it up, but `ask` refuses it.

    For a `Chain` the function gets the list of tags of a sentence; for a `Tree`, its `Parse`; for
    `Links`, the entities of a document, each a list of mentions. It must not use anything else.

    Parameters
    ----------
    function
        A function that takes such a structure and returns a whole number, at least 0.
    samples
        How many structures are drawn for each sentence or document.
    seed
        The seed of the draws.

    Examples
    --------
    >>> import calibrant as cb
    >>> links = cb.Links.from_probabilities([[[1, 0, 0], [0.6, 0.4, 0], [0.1, 0.7, 0.2]]])
    >>> def with_company(entities):
    ...     return sum(len(mentions) > 1 for mentions in entities)
    >>> cb.HowMany(with_company).tallies(links, [["Ada", "Ada", "Bob"]]).distribution(0)
    array([0.07, 0.93])
    """

    about = Sampled
    function: Callable[[Any], object]
    samples: int = 1000
    seed: int = 0

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise ParameterError(
                f"function must be a function that returns a number, not {self.function!r}."
            )
        object.__setattr__(self, "samples", whole_number("samples", self.samples, 2))
        object.__setattr__(self, "seed", whole_number("seed", self.seed, 0))

    def __repr__(self) -> str:
        changed = [("samples", self.samples, 1000), ("seed", self.seed, 0)]
        shown = [f"{name}={value}" for name, value, default in changed if value != default]
        name = str(getattr(self.function, "__name__", type(self.function).__name__))
        return f"HowMany({', '.join([name, *shown])})"

    def pairs(self, posterior: Any, gold: object, group: object = None) -> Pairs:  # noqa: ANN401
        """Refuse: a number is not a yes or no."""
        raise UnsupportedError(f"{self!r} has a number as its answer, not yes or no: use count.")

    def tallies(
        self,
        posterior: Any,  # noqa: ANN401
        gold: object = None,
        group: object = None,
        by: Mapping[str, Any] | None = None,
    ) -> Tallies:
        """The number in each sentence or document, from samples."""
        if isinstance(posterior, Labels):
            raise ParameterError(f"{self!r} is about whole structures: count LabelIs instead.")
        true, best = known_structures(posterior, gold), best_structures(posterior)
        drawn = posterior.sample(self.samples, seed=self.seed)
        return Tallies(
            pmf=[shares([self._number(each) for each in draws]) for draws in drawn],
            best=None if best is None else [self._number(each) for each in best],
            gold=[np.nan if each is None else self._number(each) for each in true],
            group=groups_of(posterior, gold, group),
            by=by,
        )

    def _number(self, structure: object) -> int:
        found = self.function(structure)
        if isinstance(found, Integral) and int(found) >= 0:
            return int(found)
        raise InputError(
            f"The function of {self!r} must return a whole number, at least 0, but for "
            f"{structure!r} it returned {found!r}."
        )
