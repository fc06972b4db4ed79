"""How many entities, singletons or coreferent pairs a document has."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calibrant.pairs.tallies import Tallies
from calibrant.structures.coreference.gold import known_entities
from calibrant.structures.coreference.links import Links, sizes_of
from calibrant.structures.tallying import Counts, shares, unit_groups

Float = NDArray[np.float64]
Int = NDArray[np.int64]
Number = Callable[[Int], Int]  # from sizes, entities (rows) of samples (columns), to numbers
SAMPLES = 1000  # for numbers whose distribution is not known exactly


def entities_in(size: Int) -> Int:
    """The number of entities of each sample."""
    return np.asarray((size > 0).sum(axis=0))


def singletons_in(size: Int) -> Int:
    """The number of entities with one mention."""
    return np.asarray((size == 1).sum(axis=0))


def pairs_in(size: Int) -> Int:
    """The number of pairs of mentions of one entity."""
    return np.asarray((size * (size - 1) // 2).sum(axis=0))


def exact_entities(links: Links) -> list[Float]:
    """The distribution of the number of entities of each document."""
    return [links.entity_counts(k) for k in range(len(links))]


def drawn_numbers(links: Links, samples: int, seed: int, number: Number) -> list[Float]:
    """The distribution of a number in samples of each document."""
    drawn = links.sample_entities(samples, seed)
    return [shares(number(sizes_of(entity))) for entity in drawn]


def tally_documents(
    links: Links,
    pmf: list[Float],
    asked: Int,
    number: Number,
    gold: object,
    group: object,
    by: Mapping[str, Any] | None,
) -> Tallies:
    """One unit per document: how many the posterior, its mode and the gold have."""

    def one(entity: Int) -> int:
        return int(number(sizes_of(entity[:, None]))[0])

    true = known_entities(links, gold)
    groups = unit_groups(len(links), None, group, "document")
    return Counts(pmf, asked, one).tallies(links.entities, true, groups, by)
