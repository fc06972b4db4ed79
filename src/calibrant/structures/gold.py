"""What is true of items, and which of them belong together."""

from collections.abc import Mapping
from typing import Any

from numpy.typing import NDArray

from calibrant.checks import arrays
from calibrant.errors import InputError
from calibrant.pairs.groups import numbered


def gold_items(gold: object, name: str, wanted: str) -> Any:  # noqa: ANN401
    """What gold holds for each item: a list, or the attribute of that name."""
    given: Any = getattr(gold, name, gold)
    if isinstance(given, str | Mapping) or not hasattr(given, "__len__"):
        raise InputError(f"gold must be {wanted}, not {type(gold).__name__}.")
    return given


def sentence_groups(posterior: Any, gold: object, group: object = None) -> NDArray[Any]:  # noqa: ANN401
    """The group of every sentence: the one given, else its document, else the sentence itself."""
    given = getattr(gold, "documents", None) if group is None else group
    return label_groups(len(posterior), given, "sentences")


def label_groups(count: int, given: object, what: str) -> NDArray[Any]:
    """The label of every item: the ones given, else their numbers."""
    labels = numbered(count) if given is None else arrays.labels(given, "group")
    if labels.size != count:
        raise InputError(
            f"group must have one label for each of the {count} {what}, but it has {labels.size}."
        )
    return labels
