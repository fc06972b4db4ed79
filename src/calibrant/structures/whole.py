"""Whole structures of a posterior: gold ones, best ones, and how errors name their items."""

from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable

from numpy.typing import NDArray

from calibrant.errors import InputError
from calibrant.structures.coreference.gold import known_entities
from calibrant.structures.coreference.links import Links, clusters_of
from calibrant.structures.gold import refuse_missing
from calibrant.structures.sequences.chain import Chain
from calibrant.structures.sequences.gold import known_tags
from calibrant.structures.tallying import unit_groups
from calibrant.structures.trees.gold import known_trees
from calibrant.structures.trees.parse import Parse
from calibrant.structures.trees.tree import Tree


@runtime_checkable
class Sampled(Protocol):
    """A posterior over structures that draws, for each item, a list of whole structures."""

    def __len__(self) -> int:
        """How many items there are."""

    def sample(self, count: int = 1, seed: int = 0) -> Any:  # noqa: ANN401 - structures vary
        """For each item, `count` structures."""


def known_structures(posterior: Any, gold: Any) -> Sequence[Any]:  # noqa: ANN401
    """The gold structure of each item; None for items without gold, or if there is none."""
    found: Sequence[Any]
    if isinstance(posterior, Chain):
        found = known_tags(posterior, gold)
    elif isinstance(posterior, Links):
        found = [
            None if entity is None else clusters_of(entity)
            for entity in known_entities(posterior, gold)
        ]
    elif isinstance(posterior, Tree):
        found = known_trees(posterior, gold)
    else:
        found = _of_others(posterior, gold)
    return [each if each is None or isinstance(each, Parse) else list(each) for each in found]


def gold_structures(posterior: Any, gold: Any) -> Sequence[Any]:  # noqa: ANN401
    """The gold structure of each item, all of which must be known."""
    if gold is None:
        raise InputError("gold must have a structure for each item, not None.")
    found = known_structures(posterior, gold)
    refuse_missing(found, item_of(posterior), "a structure")
    return found


def best_structures(posterior: Any) -> Sequence[Any] | None:  # noqa: ANN401
    """The most probable structure of each item; None if the posterior does not tell it."""
    return getattr(posterior, "mode", None)


def item_of(posterior: object) -> str:
    """What an item is called: a document or a sentence."""
    return "document" if isinstance(posterior, Links) else "sentence"


def groups_of(posterior: Any, gold: object, group: object) -> NDArray[Any] | None:  # noqa: ANN401
    """The document of each sentence, as given or as the gold says; of documents only as given."""
    corpus = None if isinstance(posterior, Links) else gold
    return unit_groups(len(posterior), corpus, group, item_of(posterior))


def _of_others(posterior: Any, gold: Any) -> Sequence[Any]:  # noqa: ANN401
    if gold is None:
        return [None] * len(posterior)
    found: Sequence[Any] = getattr(gold, "tags", gold)
    if len(found) != len(posterior):
        raise InputError(
            f"gold must have one structure for each of the {len(posterior)} items, but it has "
            f"{len(found)}."
        )
    return found
