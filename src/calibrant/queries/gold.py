"""What is true of sentences, and which of them belong together."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calibrant import arrays
from calibrant.errors import InputError
from calibrant.posteriors import Chain

Tags = Sequence[Sequence[str]]


def gold_tags(posterior: Chain, gold: object) -> Tags:
    """The tags of every sentence, of a corpus or a list, as many as the posterior has."""
    tags: Any = getattr(gold, "tags", gold)
    if isinstance(tags, str | Mapping) or not hasattr(tags, "__len__"):
        raise InputError(
            "gold must be a corpus or a list of the tags of each sentence, not "
            f"{type(gold).__name__}."
        )
    if len(tags) != len(posterior):
        raise InputError(
            f"The posterior has {len(posterior)} sentences, but gold has {len(tags)} sentences."
        )
    for k, (each, length) in enumerate(zip(tags, posterior.lengths, strict=True)):
        if isinstance(each, str):
            raise InputError(f"Sentence {k} of gold must be a list of tags, but it is {each!r}.")
        if len(each) != length:
            raise InputError(f"Sentence {k} has {length} words, but its gold has {len(each)} tags.")
    return tags  # type: ignore[no-any-return]


def sentence_groups(posterior: Any, gold: object, group: object = None) -> NDArray[Any]:  # noqa: ANN401
    """The group of every sentence: the one given, else its document, else the sentence itself."""
    count = len(posterior)
    given = getattr(gold, "documents", None) if group is None else group
    labels = np.arange(count) if given is None else arrays.labels(given, "group")
    if labels.size != count:
        raise InputError(
            f"group must have one label for each of the {count} sentences, but it has "
            f"{labels.size}."
        )
    return labels
