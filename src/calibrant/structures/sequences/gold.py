"""The gold tags of sentences."""

from collections.abc import Sequence

from calibrant.errors import InputError
from calibrant.structures.gold import gold_items
from calibrant.structures.sequences.chain import Chain

Tags = Sequence[Sequence[str]]


def gold_tags(posterior: Chain, gold: object) -> Tags:
    """The gold tags of every sentence, from a corpus or a list, checked against the posterior."""
    tags = gold_items(gold, "tags", "a corpus or a list of the tags of each sentence")
    if len(tags) != len(posterior):
        raise InputError(
            f"The posterior has {len(posterior)} sentences, but gold has {len(tags)} sentences."
        )
    for k, (each, length) in enumerate(zip(tags, posterior.lengths, strict=True)):
        if isinstance(each, str):
            raise InputError(f"Sentence {k} of gold must be a list of tags, but it is {each!r}.")
        if len(each) != length:
            raise InputError(f"Sentence {k} has {length} words, but its gold has {len(each)} tags.")
    return tags
