"""Turn numbered rows of words and tags into a `Corpus`."""

from pathlib import Path
from typing import NamedTuple

from calibrant.errors import FileError
from calibrant.structures.lines import Block
from calibrant.structures.sequences.reading.corpus import Corpus

NEW_DOCUMENT = ("# newdoc", "#begin document")
END_DOCUMENT = "#end document"
DOCUMENT_MARK = "-DOCSTART-"


class Row(NamedTuple):
    """A word, its tag, and its line in the file."""

    line: int
    word: str
    tag: str


class Rows(NamedTuple):
    """A sentence, and the name of the document that it begins; None if it begins none."""

    document: str | None
    rows: list[Row]


def to_corpus(path: str | Path, blocks: list[Rows]) -> Corpus:
    """Make a corpus of the sentences that have words, with documents if the file marks any.

    Unnamed documents, and sentences before the first document, are named by the number of their
    first sentence.
    """
    sentences = [each.rows for each in blocks if each.rows]
    if not sentences:
        raise FileError(f"{path} has no sentences.")
    words = tuple(tuple(row.word for row in rows) for rows in sentences)
    tags = tuple(tuple(row.tag for row in rows) for rows in sentences)
    return Corpus(words, tags, _documents(blocks), Path(path).name)


def _documents(blocks: list[Rows]) -> tuple[str, ...] | None:
    given = {each.document for each in blocks}
    if given == {None}:
        return None
    found: list[str] = []
    current = _unnamed(0, given)
    for begins, rows in blocks:
        if begins is not None:
            current = begins or _unnamed(len(found), given)
        if rows:
            found.append(current)
    return tuple(found)


def _unnamed(sentence: int, given: set[str | None]) -> str:
    """A name that no other document has."""
    name = str(sentence)
    while name in given:
        name += "'"
    return name


def document_begun(block: Block) -> str | None:
    """The (possibly empty) name of the document that a block begins; None if it begins none."""
    for _, line in block:
        if line.startswith(NEW_DOCUMENT):
            return line.partition("=" if line.startswith("# ") else "document")[2].strip()
        if is_document_mark(line):
            return ""
        if not line.startswith("#"):
            break
    return None


def is_document_mark(line: str) -> bool:
    """Whether the first column of a line is -DOCSTART-."""
    return line.startswith(DOCUMENT_MARK) and line.split()[0] == DOCUMENT_MARK
