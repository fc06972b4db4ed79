"""`Holds`: custom questions, answered by sampling."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from calibrant.checks.parameters import whole_number
from calibrant.errors import InputError, ParameterError
from calibrant.pairs import Pairs
from calibrant.pairs.tallies import Tallies
from calibrant.structures.coreference.gold import document_groups
from calibrant.structures.coreference.links import Links
from calibrant.structures.gold import sentence_groups
from calibrant.structures.labels.labels import Labels
from calibrant.structures.query import Query
from calibrant.structures.whole import (
    Sampled,
    best_structures,
    gold_structures,
    groups_of,
    item_of,
    known_structures,
)


@dataclass(frozen=True, repr=False)
class Holds(Query, abstract=True):
    """Does a predicate hold for the whole structure? One question per sentence or document.

    For questions that no exact query covers: "is there a verb?", "are two names adjacent?". The
    answer is the share of sampled structures for which the predicate holds. The pairs record the
    number of samples, so sampling noise is not mistaken for miscalibration (see
    `Pairs.from_draws`). For a `Chain` the predicate gets the list of tags of a sentence;
    for a `Tree`, its `Parse`; for `Links`, the entities of a document, each a list of mentions:
    `[[0, 2], [1]]`. It must not use anything else, so the question does not depend on the gold.

    A predicate is a function, so the printed form does not parse back.

    Parameters
    ----------
    predicate
        A function that takes such a structure and returns True or False.
    samples
        How many structures are drawn for each sentence or document.
    seed
        The seed of the draws.

    Examples
    --------
    >>> import numpy as np
    >>> import calibrant as cb
    >>> def has_verb(tags):
    ...     return "V" in tags
    >>> chain = cb.Chain.from_scores([np.zeros((3, 2))], np.zeros((2, 2)), tags=["N", "V"])
    >>> cb.Holds(has_verb, samples=1000)
    Holds(has_verb, samples=1000)
    >>> pairs = cb.ask(chain, [["N", "V", "N"]], cb.Holds(has_verb, samples=1000))
    >>> round(pairs.mean(pairs.predicted), 2)  # exactly 0.875
    0.87
    """

    about = Sampled
    predicate: Callable[[Any], object]
    samples: int = 100
    seed: int = 0

    def __post_init__(self) -> None:
        if not callable(self.predicate):
            raise ParameterError(
                f"predicate must be a function that returns True or False, not {self.predicate!r}."
            )
        object.__setattr__(self, "samples", whole_number("samples", self.samples, 2))
        object.__setattr__(self, "seed", whole_number("seed", self.seed, 0))

    def __repr__(self) -> str:
        changed = [("samples", self.samples, 100), ("seed", self.seed, 0)]
        shown = [f"{name}={value}" for name, value, default in changed if value != default]
        return f"Holds({', '.join([self._name, *shown])})"

    def spelled(self) -> str:
        """The printed form with every argument."""
        return f"Holds({self._name}, samples={self.samples}, seed={self.seed})"

    @property
    def _name(self) -> str:
        return str(getattr(self.predicate, "__name__", type(self.predicate).__name__))

    def pairs(self, posterior: Any, gold: object, group: object = None) -> Pairs:  # noqa: ANN401
        """One pair per sentence or document, with its number of draws."""
        if isinstance(posterior, Labels):
            raise ParameterError(
                f"{self!r} asks about whole structures. The probability of a set of labels is "
                "known exactly: pass Pairs(y, posterior.probabilities[:, columns].sum(axis=1))."
            )
        true, what = gold_structures(posterior, gold), item_of(posterior)
        if isinstance(posterior, Links):
            groups = document_groups(posterior, group)
        else:
            groups = sentence_groups(posterior, gold, group)
        y = np.array([self._answer(each, f"{what} {k}") for k, each in enumerate(true)])
        yes = self._drawn(posterior)
        return Pairs.from_draws(y, yes=yes, draws=self.samples, group=groups)

    def tallies(
        self,
        posterior: Any,  # noqa: ANN401
        gold: object = None,
        group: object = None,
        by: Mapping[str, Any] | None = None,
    ) -> Tallies:
        """The number of sentences or documents for which it holds, one unit for each."""
        true, what = known_structures(posterior, gold), item_of(posterior)
        best = best_structures(posterior)
        q = np.array(self._drawn(posterior)) / self.samples
        return Tallies(
            pmf=[np.array([1 - each, each]) for each in q.tolist()],
            best=None
            if best is None
            else [self._answer(each, f"{what} {k}") for k, each in enumerate(best)],
            gold=[
                np.nan if each is None else self._answer(each, f"{what} {k}")
                for k, each in enumerate(true)
            ],
            group=groups_of(posterior, gold, group),
            by=by,
        )

    def _drawn(self, posterior: Any) -> list[int]:  # noqa: ANN401
        """The number of samples of each item for which it holds."""
        what = item_of(posterior)
        drawn = posterior.sample(self.samples, seed=self.seed)
        return [
            sum(self._answer(each, f"{what} {k}") for each in draws)
            for k, draws in enumerate(drawn)
        ]

    def _answer(self, tags: Any, where: str) -> bool:  # noqa: ANN401
        try:
            found = self.predicate(tags)
        except Exception as error:
            error.add_note(f"{self!r} failed on {where}: {tags!r}")
            raise
        if isinstance(found, bool | np.bool_):
            return bool(found)
        raise InputError(
            f"{self._name} must return True or False, but for {where}, {tags!r}, it "
            f"returned {found!r}."
        )
