"""`Holds`: custom questions, answered by sampling."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np

from calibrant.checks.parameters import whole_number
from calibrant.errors import InputError, ParameterError
from calibrant.pairs import Pairs
from calibrant.structures.coreference.gold import document_groups, gold_entities
from calibrant.structures.coreference.links import Links, clusters_of
from calibrant.structures.gold import sentence_groups
from calibrant.structures.labels.labels import Labels
from calibrant.structures.query import Query
from calibrant.structures.sequences.chain import Chain
from calibrant.structures.sequences.gold import gold_tags
from calibrant.structures.trees.gold import gold_trees
from calibrant.structures.trees.parse import Parse
from calibrant.structures.trees.tree import Tree


@runtime_checkable
class Sampled(Protocol):
    """A posterior over structures that draws, for each item, a list of whole structures."""

    def __len__(self) -> int:
        """How many items there are."""

    def sample(self, count: int = 1, seed: int = 0) -> Any:  # noqa: ANN401 - structures vary
        """For each item, `count` structures."""


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
        true = _structures(posterior, gold)
        if isinstance(posterior, Links):
            what, groups = "document", document_groups(posterior, group)
        else:
            what, groups = "sentence", sentence_groups(posterior, gold, group)
        whole = [each if isinstance(each, Parse) else list(each) for each in true]
        y = np.array([self._answer(each, f"{what} {k}") for k, each in enumerate(whole)])
        drawn = posterior.sample(self.samples, seed=self.seed)
        yes = [
            sum(self._answer(each, f"{what} {k}") for each in draws)
            for k, draws in enumerate(drawn)
        ]
        return Pairs.from_draws(y, yes=yes, draws=self.samples, group=groups)

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


def _structures(posterior: Any, gold: Any) -> Sequence[Any]:  # noqa: ANN401
    """The gold structure of each item."""
    if isinstance(posterior, Chain):
        return gold_tags(posterior, gold)
    if isinstance(posterior, Links):
        return [clusters_of(entity) for entity in gold_entities(posterior, gold)]
    if isinstance(posterior, Tree):
        return gold_trees(posterior, gold)
    found: Sequence[Any] = getattr(gold, "tags", gold)
    if len(found) != len(posterior):
        raise InputError(
            f"gold must have one structure for each of the {len(posterior)} items, but it has "
            f"{len(found)}."
        )
    return found
