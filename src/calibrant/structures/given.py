"""Check the words of the sentences that a model is applied to."""

from collections.abc import Sequence
from typing import Any

from calibrant.errors import InputError


def words_of(sentences: Any) -> Sequence[Sequence[str]]:  # noqa: ANN401 - a corpus, or lists
    """The words of each sentence, from a corpus or from lists."""
    words: Sequence[Sequence[str]] = list(getattr(sentences, "words", sentences))
    if not words:
        raise InputError("There must be at least one sentence.")
    for k, each in enumerate(words):
        if isinstance(each, str):
            raise InputError(f"Sentence {k} must be a list of words, but it is {each!r}.")
        for t, word in enumerate(each):
            if not isinstance(word, str):
                raise InputError(f"Word {t} of sentence {k} must be a string, but it is {word!r}.")
    return words
