"""From numbered rows of words and tags to a `Corpus`."""

from pathlib import Path
from typing import NamedTuple

from calibrant.errors import FileError
from calibrant.structures.lines import Block
from calibrant.structures.sequences.reading.corpus import Corpus

NEW_DOCUMENT = ("# newdoc", "#begin document")
DOCUMENT_MARK = "-DOCSTART-"


class Row(NamedTuple):
    """A word, its tag, and the line of the file it stands on."""

    line: int
    word: str
    tag: str


class Rows(NamedTuple):
    """A sentence, and the name of the document that it begins; None where it begins none."""

    document: str | None
    rows: list[Row]


def to_corpus(path: str | Path, blocks: list[Rows]) -> Corpus:
    """The sentences that have words, and their documents where the file tells them."""
    document, told = "", False
    documents: list[str] = []
    sentences = [each.rows for each in blocks if each.rows]
    for begins, rows in blocks:
        if begins is not None:
            document, told = begins or str(len(documents)), True
        if rows:
            documents.append(document)
    if not sentences:
        raise FileError(f"{path} has no sentences.")
    words = tuple(tuple(row.word for row in rows) for rows in sentences)
    tags = tuple(tuple(row.tag for row in rows) for rows in sentences)
    return Corpus(words, tags, tuple(documents) if told else None, Path(path).name)


def document_begun(block: Block) -> str | None:
    """The name of the document that a block begins, perhaps empty; None where it begins none."""
    for _, line in block:
        if line.startswith(NEW_DOCUMENT):
            return line.partition("=" if line.startswith("# ") else "document")[2].strip()
        if line.startswith(DOCUMENT_MARK):
            return ""
        if not line.startswith("#"):
            break
    return None
