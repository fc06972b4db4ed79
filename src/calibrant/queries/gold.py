"""What is true of sentences, and which of them belong together."""

from collections.abc import Mapping, Sequence, Set
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calibrant import arrays
from calibrant.errors import InputError
from calibrant.parses import Parse
from calibrant.posteriors import Chain, Links, Tree

Tags = Sequence[Sequence[str]]
Int = NDArray[np.int64]


def _items(gold: object, name: str, wanted: str) -> Any:  # noqa: ANN401
    """What gold holds for each item: a list, or the attribute of that name."""
    given: Any = getattr(gold, name, gold)
    if isinstance(given, str | Mapping | Parse) or not hasattr(given, "__len__"):
        raise InputError(f"gold must be {wanted}, not {type(gold).__name__}.")
    return given


def gold_tags(posterior: Chain, gold: object) -> Tags:
    """The tags of every sentence, of a corpus or a list, as many as the posterior has."""
    tags = _items(gold, "tags", "a corpus or a list of the tags of each sentence")
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


def gold_trees(posterior: Tree, gold: object) -> Sequence[Parse]:
    """The tree of every sentence, of a treebank or a list, with the words that were parsed."""
    trees = _items(gold, "trees", "a treebank or a list of a Parse for each sentence")
    if len(trees) != len(posterior):
        raise InputError(
            f"The posterior has {len(posterior)} sentences, but gold has {len(trees)} trees."
        )
    for k, (tree, words) in enumerate(zip(trees, posterior.sentences, strict=True)):
        if not isinstance(tree, Parse):
            raise InputError(
                f"gold must hold trees, but gold[{k}] is {type(tree).__name__}: make it with "
                "Parse.from_text."
            )
        if tree.words != words:
            raise InputError(
                f"Sentence {k} is {' '.join(words)[:60]!r}, but its gold tree has the words "
                f"{' '.join(tree.words)[:60]!r}."
            )
    return trees  # type: ignore[no-any-return]


def sentence_groups(posterior: Any, gold: object, group: object = None) -> NDArray[Any]:  # noqa: ANN401
    """The group of every sentence: the one given, else its document, else the sentence itself."""
    given = getattr(gold, "documents", None) if group is None else group
    return _groups(len(posterior), given, "sentences")


def gold_entities(posterior: Links, gold: object) -> list[Int]:
    """The entity of every mention of every document, of documents or of lists, as numbers.

    A mention whose entity is None is the only one of its own.
    """
    wanted = "documents, or a list with the entities of the mentions of each document"
    given = _items(gold, "entities", wanted)
    if len(given) != len(posterior):
        raise InputError(
            f"The posterior has {len(posterior)} documents, but gold has {len(given)}."
        )
    found = []
    for k, (each, count) in enumerate(zip(given, posterior.lengths.tolist(), strict=True)):
        if isinstance(each, str | Mapping | Set) or not hasattr(each, "__len__"):
            raise InputError(
                f"Document {k} of gold must be a list of the entities of its {count} mentions, in "
                f"their order, but it is {type(each).__name__}."
            )
        if len(each) != count:
            many = f"{len(each)} entities"
            raise InputError(
                f"Document {k} has {count} mentions, so gold must have the entity of each, but it "
                f"has {many}."
            )
        found.append(_numbered(list(each), k))
    return found


def _numbered(entities: list[Any], document: int) -> Int:
    """Entities as numbers: that of the first mention of each."""
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
            f"Mention {missing[0]} of document {document} must have an entity, or None where it is "
            f"the only one of its own, but gold says {entities[missing[0]]!r} ({len(missing)} of "
            f"{len(numbers)})."
        )
    return np.array(numbers, np.int64)


def document_groups(posterior: Links, group: object = None) -> NDArray[Any]:
    """The group of every document: the one given, else its number."""
    return _groups(len(posterior), group, "documents")


def _groups(count: int, given: object, what: str) -> NDArray[Any]:
    labels = np.arange(count) if given is None else arrays.labels(given, "group")
    if labels.size != count:
        raise InputError(
            f"group must have one label for each of the {count} {what}, but it has {labels.size}."
        )
    return labels
