"""`Corpus`: sentences of tagged words."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from calibrant.errors import InputError


@dataclass(frozen=True, eq=False, repr=False)
class Corpus:
    """Tagged sentences.

    Attributes
    ----------
    words
        The words of each sentence.
    tags
        Their tags.
    documents
        The document of each sentence; None if the file does not say.
    name
        The name of the file.
    """

    words: tuple[tuple[str, ...], ...]
    tags: tuple[tuple[str, ...], ...]
    documents: tuple[str, ...] | None = None
    name: str = ""

    def __post_init__(self) -> None:
        if len(self.words) != len(self.tags):
            raise InputError(
                f"There must be tags for each of the {len(self.words)} sentences, but there are "
                f"tags for {len(self.tags)}."
            )
        for k, (words, tags) in enumerate(zip(self.words, self.tags, strict=True)):
            if isinstance(words, str) or isinstance(tags, str):
                raise InputError(f"Sentence {k} must be a list of words and a list of tags.")
            if len(words) != len(tags):
                raise InputError(f"Sentence {k} has {len(words)} words, but {len(tags)} tags.")
        if self.documents is not None and len(self.documents) != len(self.words):
            raise InputError(
                f"There must be a document for each of the {len(self.words)} sentences, but there "
                f"are {len(self.documents)}."
            )

    def __len__(self) -> int:
        return len(self.words)

    def __repr__(self) -> str:
        where = f"{self.name}: " if self.name else ""
        sizes = {"sentence": len(self), "word": self.tokens, "tag": len(self.tag_set)}
        many = [f"{size} {what}{'' if size == 1 else 's'}" for what, size in sizes.items()]
        return f"Corpus({where}{', '.join(many)})"

    @cached_property
    def tokens(self) -> int:
        """The number of words."""
        return sum(map(len, self.words))

    @cached_property
    def tag_set(self) -> tuple[str, ...]:
        """The tags that occur, sorted."""
        return tuple(sorted({tag for sentence in self.tags for tag in sentence}))

    @cached_property
    def sentence(self) -> NDArray[np.int64]:
        """The sentence of each word, for groups."""
        return np.repeat(np.arange(len(self)), [len(each) for each in self.words])


def check_corpus(corpus: object, name: str) -> Corpus:
    """Check that a corpus has at least one word."""
    if not isinstance(corpus, Corpus):
        raise InputError(
            f"{name} must be a Corpus, not {type(corpus).__name__}: make one of lists with "
            "Corpus(words, tags)."
        )
    if corpus.tokens == 0:
        raise InputError(f"{name} must have at least one word, but it has {len(corpus)} sentences.")
    return corpus
