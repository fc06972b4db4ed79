"""The gold entities of mentions."""

from collections.abc import Mapping, Sequence, Set
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calibrant.errors import InputError
from calibrant.results.wording import counted
from calibrant.structures.coreference.links import Links
from calibrant.structures.gold import gold_items, label_groups, refuse_missing

Int = NDArray[np.int64]


def gold_entities(posterior: Links, gold: object) -> list[Int]:
    """The entity of every mention of every document, as numbers.

    A mention whose entity is None is a singleton.
    """
    found = _checked(posterior, gold)
    refuse_missing(found, "document", "a list of the entities of its mentions")
    return [each for each in found if each is not None]


def known_entities(posterior: Links, gold: object) -> Sequence[Int | None]:
    """The entities of every document; None for documents without gold, or if there is none."""
    return [None] * len(posterior) if gold is None else _checked(posterior, gold)


def _checked(posterior: Links, gold: object) -> list[Int | None]:
    wanted = "documents, or a list with the entities of the mentions of each document"
    given = gold_items(gold, "entities", wanted)
    if len(given) != len(posterior):
        raise InputError(
            f"The posterior has {counted(len(posterior), 'document')}, but gold has {len(given)}."
        )
    found: list[Int | None] = []
    for k, (each, count) in enumerate(zip(given, posterior.lengths.tolist(), strict=True)):
        if each is None:
            found.append(None)
            continue
        if isinstance(each, str | Mapping | Set) or not hasattr(each, "__len__"):
            raise InputError(
                f"Document {k} of gold must be a list of the entities of its mentions, in their "
                f"order, but it is {type(each).__name__}."
            )
        if len(each) != count:
            raise InputError(
                f"gold must have an entity for each of the {counted(count, 'mention')} of document "
                f"{k}, but it has {len(each)}."
            )
        found.append(_numbered(list(each), k))
    return found


def _numbered(entities: list[Any], document: int) -> Int:
    """Number the entities by their first mention."""
    first: dict[Any, int] = {}
    try:
        numbers = [
            at if each is None else first.setdefault(each, at) for at, each in enumerate(entities)
        ]
        missing = [at for at, each in enumerate(entities) if each != each]
    except TypeError:
        raise InputError(
            f"The entities of document {document} must be names or numbers, one for each mention, "
            f"but they are {entities!r}."
        ) from None
    if missing:
        raise InputError(
            f"Mention {missing[0]} of document {document} must have an entity, or None if it is "
            f"the only one of its entity, but gold has {entities[missing[0]]!r} ({len(missing)} of "
            f"{len(numbers)} mentions)."
        )
    return np.array(numbers, np.int64)


def document_groups(posterior: Links, group: object = None) -> NDArray[Any]:
    """The group of every document: as given, or the number of the document."""
    return label_groups(len(posterior), group, "document")
