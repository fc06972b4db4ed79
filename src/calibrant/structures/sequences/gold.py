"""The gold tags of sentences."""

from collections.abc import Sequence
from typing import Any

from calibrant.errors import InputError
from calibrant.structures.gold import gold_items, refuse_missing
from calibrant.structures.sequences.chain import Chain

Tags = Sequence[Sequence[str]]


def gold_tags(posterior: Chain, gold: object) -> Tags:
    """The gold tags of every sentence, from a corpus or a list, checked against the posterior."""
    tags = _checked(posterior, gold)
    refuse_missing(tags, "sentence", "a list of tags")
    return tags


def known_tags(posterior: Chain, gold: object) -> Sequence[Sequence[str] | None]:
    """The gold tags of every sentence; None for sentences without gold, or if there is none."""
    return [None] * len(posterior) if gold is None else _checked(posterior, gold)


def _checked(posterior: Chain, gold: object) -> Sequence[Any]:
    tags = gold_items(gold, "tags", "a corpus or a list of the tags of each sentence")
    if len(tags) != len(posterior):
        raise InputError(
            f"The posterior has {len(posterior)} sentences, but gold has {len(tags)} sentences."
        )
    for k, (each, length) in enumerate(zip(tags, posterior.lengths, strict=True)):
        if each is None:
            continue
        if isinstance(each, str):
            raise InputError(f"Sentence {k} of gold must be a list of tags, but it is {each!r}.")
        if len(each) != length:
            raise InputError(f"Sentence {k} has {length} words, but its gold has {len(each)} tags.")
    return tags
