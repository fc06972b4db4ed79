"""Questions about the entities that mentions refer to."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibrant.checks.parameters import whole_number
from calibrant.errors import InputError
from calibrant.pairs import Pairs
from calibrant.pairs.tallies import Tallies
from calibrant.structures.coreference.counting import (
    SAMPLES,
    Number,
    drawn_numbers,
    entities_in,
    exact_entities,
    pairs_in,
    singletons_in,
    tally_documents,
)
from calibrant.structures.coreference.gold import document_groups, gold_entities
from calibrant.structures.coreference.links import Links
from calibrant.structures.query import Keys, Query
from calibrant.structures.ties import without_noise

Float = NDArray[np.float64]
Int = NDArray[np.int64]
Bool = NDArray[np.bool_]
Entity = NDArray[np.int32]


@dataclass(frozen=True, repr=False)
class OfMentions(Query, abstract=True):
    """Queries about mentions, answered exactly or, with `samples`, by sampling."""

    about: ClassVar[type] = Links
    samples: int | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        if self.samples is not None:
            object.__setattr__(self, "samples", whole_number("samples", self.samples, 2))
        object.__setattr__(self, "seed", whole_number("seed", self.seed, 0))

    def _answered(
        self,
        posterior: Links,
        y: list[Bool],
        group: object,
        exact: Callable[[int], Float],
        counted: Callable[[Entity], Int],
    ) -> Pairs:
        """Make pairs from the gold of each document and a function for its probabilities."""
        labels = document_groups(posterior, group)
        if self.samples is not None:
            drawn = _drawn(posterior, self.samples, self.seed, counted)
            kinds = [distinct_answers(true, yes) for true, yes in zip(y, drawn, strict=True)]
            groups = np.repeat(labels, [each.y.size for each in kinds])
            true, yes, count = (np.concatenate(column) for column in zip(*kinds, strict=True))
            return Pairs.from_draws(true, yes=yes, draws=self.samples, weight=count, group=groups)
        groups = np.repeat(labels, [each.size for each in y])
        q = np.concatenate([exact(k) for k in range(len(posterior))])
        return Pairs(np.concatenate(y), without_noise(q), group=groups)

    def keys(self, posterior: Links) -> Keys:
        """The document and the mention of each pair; empty for answers by sampling."""
        if self.samples is not None:
            return {}
        return mention_keys(posterior)

    def _sampled(
        self,
        posterior: Links,
        asked: Int,
        number: Number,
        gold: object,
        group: object,
        by: Mapping[str, Any] | None,
    ) -> Tallies:
        """The number of yes answers in samples of each document."""
        pmf = drawn_numbers(posterior, self.samples or SAMPLES, self.seed, number)
        return tally_documents(posterior, pmf, asked, number, gold, group, by)

    def _of_each(
        self,
        posterior: Links,
        y: list[Bool],
        group: object,
        exact: Callable[[int], Float],
        counted: Callable[[Entity], Int],
    ) -> Pairs:
        """Make pairs with one question per mention."""
        check_mentions(posterior)
        return self._answered(posterior, y, group, exact, counted)


@dataclass(frozen=True, repr=False)
class SameEntity(OfMentions):
    """Do these two mentions refer to the same entity? One question per pair.

    All pairs of mentions of a document are asked about, in the order (1, 0), (2, 0), (2, 1), ...
    The probability is exact: a sum over all chains of antecedents. Documents are groups.

    Parameters
    ----------
    samples
        Use the share of this many sampled clusterings, as in the thesis, instead of the exact
        probability (default: None, exact). The pairs then record the number of draws; see
        `Pairs.from_draws`. Questions of one document with the same answer become one row, weighted
        by their number.
    seed
        Seed of the sampling (default: 0).

    Examples
    --------
    >>> import calibrant as cb
    >>> links = cb.Links.from_probabilities([[[1, 0, 0], [0.6, 0.4, 0], [0.1, 0.7, 0.2]]])
    >>> pairs = cb.ask(links, [["Ada", "Ada", "Ada"]], cb.SameEntity())
    >>> pairs.q.round(2)
    array([0.6 , 0.52, 0.76])
    """

    def pairs(self, posterior: Links, gold: object, group: object = None) -> Pairs:
        """One pair (y, q) for every two mentions of a document."""
        true = gold_entities(posterior, gold)
        if not (posterior.lengths > 1).any():
            raise InputError("No document has two mentions, so there is nothing to ask about.")
        y = [(each[:, None] == each)[_below(each.size)] for each in true]
        return self._answered(posterior, y, group, posterior.pair_rows, _pairs_counted)

    def tallies(
        self,
        posterior: Links,
        gold: object = None,
        group: object = None,
        by: Mapping[str, Any] | None = None,
    ) -> Tallies:
        """The number of coreferent pairs in each document, from samples (1000 by default)."""
        asked = posterior.lengths * (posterior.lengths - 1) // 2
        return self._sampled(posterior, asked, pairs_in, gold, group, by)

    def keys(self, posterior: Links) -> Keys:
        """The document and the two mentions of each pair; empty for answers by sampling."""
        if self.samples is not None:
            return {}
        second, first = zip(*map(_below, posterior.lengths.tolist()), strict=True)
        documents = np.repeat(np.arange(len(posterior)), [each.size for each in first])
        columns = {"first": np.concatenate(first), "second": np.concatenate(second)}
        return {"document": documents, **columns}


@dataclass(frozen=True, repr=False)
class NewEntity(OfMentions):
    """Is this mention the first of its entity? One question per mention.

    Documents are groups. `samples` and `seed` are as in `SameEntity`.

    Examples
    --------
    >>> import calibrant as cb
    >>> links = cb.Links.from_probabilities([[[1, 0, 0], [0.6, 0.4, 0], [0.1, 0.7, 0.2]]])
    >>> cb.ask(links, [["Ada", "Ada", "Bob"]], cb.NewEntity()).q
    array([1. , 0.4, 0.2])
    """

    def pairs(self, posterior: Links, gold: object, group: object = None) -> Pairs:
        """One pair for each mention."""
        y = [each == np.arange(each.size) for each in gold_entities(posterior, gold)]
        return self._of_each(posterior, y, group, posterior.new_probabilities, _new_counted)

    def tallies(
        self,
        posterior: Links,
        gold: object = None,
        group: object = None,
        by: Mapping[str, Any] | None = None,
    ) -> Tallies:
        """The number of distinct entities in each document, of all its mentions.

        Exact, unless the query has `samples`.
        """
        if self.samples is not None:
            return self._sampled(posterior, posterior.lengths, entities_in, gold, group, by)
        pmf = exact_entities(posterior)
        return tally_documents(posterior, pmf, posterior.lengths, entities_in, gold, group, by)


@dataclass(frozen=True, repr=False)
class Singleton(OfMentions):
    """Is this mention a singleton, the only one of its entity? One question per mention.

    Documents are groups. `samples` and `seed` are as in `SameEntity`.

    Examples
    --------
    >>> import calibrant as cb
    >>> links = cb.Links.from_probabilities([[[1, 0, 0], [0.6, 0.4, 0], [0.1, 0.7, 0.2]]])
    >>> cb.ask(links, [["Ada", "Ada", "Bob"]], cb.Singleton()).q.round(2)  # 1 · 0.4 · 0.9, ...
    array([0.36, 0.12, 0.2 ])
    """

    def pairs(self, posterior: Links, gold: object, group: object = None) -> Pairs:
        """One pair for each mention."""
        y = [
            np.bincount(each, minlength=each.size)[each] == 1
            for each in gold_entities(posterior, gold)
        ]
        return self._of_each(posterior, y, group, posterior.singleton_probabilities, _alone_counted)

    def tallies(
        self,
        posterior: Links,
        gold: object = None,
        group: object = None,
        by: Mapping[str, Any] | None = None,
    ) -> Tallies:
        """The number of singletons in each document, from samples (1000 by default)."""
        return self._sampled(posterior, posterior.lengths, singletons_in, gold, group, by)


def check_mentions(posterior: Links) -> None:
    """Refuse documents without any mention."""
    if not posterior.lengths.sum():
        raise InputError("No document has a mention, so there is nothing to ask about.")


def mention_keys(posterior: Links) -> Keys:
    """The document and the number of every mention."""
    lengths = posterior.lengths
    start = np.repeat(np.cumsum(lengths) - lengths, lengths)
    documents = np.repeat(np.arange(len(posterior)), lengths)
    return {"document": documents, "mention": np.arange(documents.size) - start}


class Answers(NamedTuple):
    """Distinct answers by sampling: the truth, the samples that say yes, the questions."""

    y: Int
    yes: Int
    many: Int


def distinct_answers(y: Bool, yes: Int) -> Answers:
    """Merge equal answers; few are distinct, however many questions there are."""
    count = np.bincount(2 * yes + y)
    met = np.flatnonzero(count)
    return Answers(met % 2, met // 2, count[met])


def draw_answers(posterior: Links, samples: int, seed: int = 0) -> Int:
    """The number of samples in which two mentions corefer, in the order of `SameEntity`."""
    return np.concatenate(list(_drawn(posterior, samples, seed, _pairs_counted)))


def _drawn(
    posterior: Links, samples: int, seed: int, counted: Callable[[Entity], Int]
) -> Iterator[Int]:
    """For each document, the number of samples that say yes to each question."""
    return (counted(entity) for entity in posterior.sample_entities(samples, seed))


def _pairs_counted(entity: Entity) -> Int:
    from calibrant.kernels.coreference.links import count_pairs

    together = np.zeros((len(entity),) * 2, np.int64)
    count_pairs(entity, together)
    return together[_below(len(entity))]


def _new_counted(entity: Entity) -> Int:
    new: Int = (entity == np.arange(len(entity))[:, None]).sum(axis=1)
    return new


def _alone_counted(entity: Entity) -> Int:
    size = np.zeros(entity.shape, np.int64)
    columns = np.broadcast_to(np.arange(entity.shape[1]), entity.shape)
    np.add.at(size, (entity, columns), 1)
    alone: Int = (np.take_along_axis(size, entity.astype(np.int64), axis=0) == 1).sum(axis=1)
    return alone


def _below(count: int) -> tuple[Int, Int]:
    """Row and column indices below the diagonal."""
    rows, columns = np.tril_indices(count, -1)
    return rows, columns
