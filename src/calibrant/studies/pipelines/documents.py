"""Documents with names: UNER-EWT, with genre and month from the identifiers of its sentences."""

import re
from dataclasses import dataclass
from pathlib import Path

from calibrant.errors import FileError
from calibrant.structures.lines import read_blocks
from calibrant.structures.named.parts import PARTS
from calibrant.structures.named.sequences import load_corpus, locate_corpus
from calibrant.structures.sequences.reading.corpus import Corpus

SENTENCE = re.compile(r"#\s*sent_id\s*=\s*(\S+)")
NUMBER = re.compile(r"-p?\d+$")  # of a sentence within its document
DATE = re.compile(r"_ENG_(\d{4})(\d{2})\d{2}_")  # when a document was collected or written


@dataclass(frozen=True, eq=False)
class Names:
    """Sentences with the spans of names, and the part of the corpus that each is from."""

    corpus: Corpus
    parts: tuple[str, ...]

    @property
    def genres(self) -> list[str]:
        """The genre of each sentence."""
        return [genre_of(each) for each in self.documents]

    @property
    def documents(self) -> tuple[str, ...]:
        """The document of each sentence."""
        assert self.corpus.documents is not None
        return self.corpus.documents

    def of(self, genres: tuple[str, ...], parts: tuple[str, ...] = PARTS) -> "Names":
        """The sentences of some genres and parts."""
        kept = [
            k
            for k, (genre, part) in enumerate(zip(self.genres, self.parts, strict=True))
            if genre in genres and part in parts
        ]
        its = self.corpus
        return Names(
            Corpus(
                tuple(its.words[k] for k in kept),
                tuple(its.tags[k] for k in kept),
                tuple(self.documents[k] for k in kept),
                f"{its.name}, {' and '.join(genres)}",
            ),
            tuple(self.parts[k] for k in kept),
        )


def load_names() -> Names:
    """All parts of UNER-EWT, with the documents that the identifiers of sentences name."""
    words: list[tuple[str, ...]] = []
    tags: list[tuple[str, ...]] = []
    documents: list[str] = []
    parts: list[str] = []
    for part in PARTS:
        corpus = load_corpus("uner-ewt", part)
        path = locate_corpus("uner-ewt", part)
        found = documents_in(path)
        if len(found) != len(corpus):
            raise FileError(
                f"{path} must have a line # sent_id for each of its {len(corpus)} sentences, but "
                f"it has {len(found)}."
            )
        words += corpus.words
        tags += corpus.tags
        documents += found
        parts += [part] * len(found)
    return Names(Corpus(tuple(words), tuple(tags), tuple(documents), "uner-ewt"), tuple(parts))


def documents_in(path: str | Path) -> list[str]:
    """The document of each sentence: its identifier without its number."""
    found = []
    for block in read_blocks(path):
        named = [match for _, line in block if (match := SENTENCE.match(line))]
        found += [NUMBER.sub("", named[-1].group(1))] if named else []
    return found


def genre_of(document: str) -> str:
    """What comes before the first hyphen: weblog, newsgroup, email, reviews or answers."""
    return document.partition("-")[0]


def month_of(document: str) -> str:
    """The year and month in the name of a document; "" if there is none.

    >>> month_of("weblog-juancole.com_juancole_20051126063000_ENG_20051126_063000")
    '2005-11'
    >>> month_of("email-enronsent24_01")
    ''
    """
    match = DATE.search(document)
    return "" if match is None else f"{match.group(1)}-{match.group(2)}"
