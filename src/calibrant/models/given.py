"""What models are given: corpora with words in them, and sentences as lists of words."""

from collections.abc import Sequence

from calibrant.corpora import Corpus
from calibrant.errors import InputError


def check_corpus(corpus: object, name: str) -> Corpus:
    """A corpus that has at least one word."""
    if not isinstance(corpus, Corpus):
        raise InputError(
            f"{name} must be a Corpus, not {type(corpus).__name__}: make one of lists with "
            "Corpus(words, tags)."
        )
    if corpus.tokens == 0:
        raise InputError(f"{name} must have at least one word, but it has {len(corpus)} sentences.")
    return corpus


def words_of(sentences: Corpus | Sequence[Sequence[str]]) -> Sequence[Sequence[str]]:
    """The words of each sentence, of a corpus or of lists."""
    words = sentences.words if isinstance(sentences, Corpus) else list(sentences)
    if not words:
        raise InputError("There must be at least one sentence.")
    for k, each in enumerate(words):
        if isinstance(each, str):
            raise InputError(f"Sentence {k} must be a list of words, but it is {each!r}.")
        for t, word in enumerate(each):
            if not isinstance(word, str):
                raise InputError(f"Word {t} of sentence {k} must be a string, but it is {word!r}.")
    return words
