"""A baseline for coreference: mentions with the same head belong to one entity."""

from collections.abc import Iterable

from calibrant.structures.coreference.documents import Document


def match_heads(document: Document) -> list[list[int]]:
    """The clusters of mentions whose heads are the same word, ignoring case.

    >>> from calibrant.corpora import Document, Mention
    >>> words = (("The", "dog", "saw", "a", "dog"),)
    >>> match_heads(Document("x", words, (Mention(0, 0, 2, 1), Mention(0, 3, 5, 4)), ()))
    [[0, 1]]
    """
    found: dict[str, list[int]] = {}
    for k, mention in enumerate(document.mentions):
        head = document.words[mention.sentence][mention.head].lower()
        found.setdefault(head, []).append(k)
    return list(found.values())


def match_all(documents: Iterable[Document]) -> list[list[list[int]]]:
    """Match heads in several documents."""
    return [match_heads(document) for document in documents]
