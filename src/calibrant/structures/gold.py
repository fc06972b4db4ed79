"""The gold answers of items, and the groups they belong to."""

from collections.abc import Mapping, Sequence
from typing import Any

from numpy.typing import NDArray

from calibrant.checks import arrays
from calibrant.errors import InputError
from calibrant.pairs.groups import numbered
from calibrant.results.wording import each_of


def gold_items(gold: object, name: str, wanted: str) -> Sequence[Any]:
    """The true answer for each item: a list, or the attribute `name` of a corpus."""
    given: Any = getattr(gold, name, gold)
    if isinstance(given, str | Mapping) or not hasattr(given, "__len__"):
        raise InputError(f"gold must be {wanted}, not {type(gold).__name__}.")
    items: Sequence[Any] = given
    return items


def refuse_missing(items: Sequence[Any], what: str, wanted: str) -> None:
    """Refuse items without gold, where every item must have it."""
    for k, each in enumerate(items):
        if each is None:
            raise InputError(f"{what.capitalize()} {k} of gold must be {wanted}, but it is None.")


def sentence_groups(posterior: Any, gold: object, group: object = None) -> NDArray[Any]:  # noqa: ANN401
    """The group of each sentence: as given, or its document, or the sentence itself."""
    given = getattr(gold, "documents", None) if group is None else group
    return label_groups(len(posterior), given, "sentence")


def label_groups(count: int, given: object, what: str) -> NDArray[Any]:
    """The group of each item: as given, or numbers that are not shared with other sets."""
    labels = numbered(count) if given is None else arrays.labels(given, "group")
    if labels.size != count:
        raise InputError(
            f"group must have one label for {each_of(count, what)}, but it has {labels.size}."
        )
    return labels
