"""Corpora with a word per line and its annotations in columns."""

from pathlib import Path

from calibrant.corpora.corpus import Corpus
from calibrant.corpora.lines import Block, read_blocks
from calibrant.errors import FileError, ParameterError, UnknownName
from calibrant.parameters import whole_number

NEW_DOCUMENT = "# newdoc"
CONLLU = {"upos": 3, "xpos": 4}


def read_conll(path: str | Path, *, word: int = 0, tag: int = -1) -> Corpus:
    """Read a word per line, columns parted by tabs or spaces, sentences by empty lines.

    Parameters
    ----------
    path
        The file, plain or gzipped, in UTF-8.
    word, tag
        The columns, counted from 0; negative ones from the right.

    Lines `# ...` before the first word of a sentence are comments; `# newdoc` begins a document.
    `-DOCSTART-` lines are left out, and begin one too.
    """
    columns = whole_number("word", word, -100, 100), whole_number("tag", tag, -100, 100)
    if columns[0] == columns[1]:
        raise ParameterError(f"word and tag must be different columns, but both are {word}.")
    rows = [(_documents(block), _columns(path, block, *columns)) for block in read_blocks(path)]
    return _corpus(path, rows)


def read_conllu(path: str | Path, *, tag: str = "xpos") -> Corpus:
    """Read CoNLL-U: ten columns; ranges such as 3-4 and empty nodes such as 3.1 are left out.

    Parameters
    ----------
    path
        The file, plain or gzipped, in UTF-8.
    tag
        Which tags: "xpos", those of the language (Penn's, in English), or "upos".
    """
    if tag not in CONLLU:
        raise UnknownName("column of tags", str(tag), tuple(CONLLU))
    rows = [
        (_documents(block), _conllu_columns(path, block, CONLLU[tag]))
        for block in read_blocks(path)
    ]
    return _corpus(path, rows)


Words = list[tuple[str, str]]


def _corpus(path: str | Path, rows: list[tuple[str | None, Words]]) -> Corpus:
    document, told = "", False
    documents: list[str] = []
    words: list[tuple[str, ...]] = []
    tags: list[tuple[str, ...]] = []
    for begins, sentence in rows:
        if begins is not None:
            document, told = begins or str(len(documents)), True
        if sentence:
            documents.append(document)
            words.append(tuple(word for word, _ in sentence))
            tags.append(tuple(tag for _, tag in sentence))
    if not words:
        raise FileError(f"{path} has no sentences.")
    known = tuple(documents) if told else None
    return Corpus(tuple(words), tuple(tags), known, Path(path).name)


def _documents(block: Block) -> str | None:
    """The name of the document that this block begins; None where it begins none."""
    for _, line in block:
        if line.startswith(NEW_DOCUMENT):
            return line.partition("=")[2].strip()
        if line.startswith("-DOCSTART-"):
            return ""
        if not line.startswith("#"):
            break
    return None


def _columns(path: str | Path, block: Block, word: int, tag: int) -> Words:
    found: Words = []
    for number, line in block:
        parts = line.split("\t") if "\t" in line else line.split()
        comment = line.startswith("# ") and not found
        if comment or line.startswith("-DOCSTART-"):
            continue
        wanted = max(_needed(word), _needed(tag))
        if len(parts) < max(wanted, 2):
            raise FileError(
                f"{path}, line {number}: there must be at least {max(wanted, 2)} columns, but "
                f"there {'is' if len(parts) == 1 else 'are'} {len(parts)}: {line[:60]!r}."
            )
        found.append(_checked(path, number, parts[word], parts[tag]))
    return found


def _needed(column: int) -> int:
    return column + 1 if column >= 0 else -column


def _conllu_columns(path: str | Path, block: Block, tag: int) -> Words:
    found: Words = []
    for number, line in block:
        if line.startswith("#"):
            continue
        parts = line.split("\t")
        if len(parts) != 10:
            raise FileError(
                f"{path}, line {number}: CoNLL-U has ten columns parted by tabs, but there "
                f"{'is' if len(parts) == 1 else 'are'} {len(parts)}: {line[:60]!r}."
            )
        if "-" in parts[0] or "." in parts[0]:
            continue
        if parts[0] != str(len(found) + 1):
            raise FileError(
                f"{path}, line {number}: word {len(found) + 1} was expected, but its number is "
                f"{parts[0]!r}."
            )
        found.append(_checked(path, number, parts[1], parts[tag]))
    return found


def _checked(path: str | Path, number: int, word: str, tag: str) -> tuple[str, str]:
    if not word or not tag:  # a no-break space is a word, in tweets
        raise FileError(f"{path}, line {number}: a word and its tag must not be empty.")
    return word, tag
