"""CoNLL-U, the format of Universal Dependencies."""

from pathlib import Path

from calibrant.errors import FileError, UnknownName
from calibrant.structures.lines import Block, read_blocks
from calibrant.structures.sequences.reading.corpus import Corpus
from calibrant.structures.sequences.reading.rows import Row, Rows, document_begun, to_corpus

TAGS = {"upos": 3, "xpos": 4}


def read_conllu(path: str | Path, *, tag: str = "xpos") -> Corpus:
    """Read CoNLL-U; ranges such as 3-4 and empty nodes such as 3.1 are left out.

    Parameters
    ----------
    path
        The file, plain or gzipped, in UTF-8.
    tag
        Which tags: "xpos", the language-specific tags (Penn tags for English), or "upos".

    Examples
    --------
    >>> import pathlib, tempfile
    >>> row = ["1", "Go", "go", "VERB", "VB", "_", "0", "root", "_", "_"]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "small.conllu")
    ...     _ = path.write_text(chr(9).join(row))
    ...     read_conllu(path, tag="upos").tags
    (('VERB',),)
    """
    if tag not in TAGS:
        raise UnknownName("column of tags", str(tag), tuple(TAGS))
    blocks = [Rows(document_begun(each), _rows(path, each, tag)) for each in read_blocks(path)]
    return to_corpus(path, blocks)


def _rows(path: str | Path, block: Block, tag: str) -> list[Row]:
    found: list[Row] = []
    for number, line in block:
        if line.startswith("#"):
            continue
        parts = _ten(path, number, line)
        if "-" in parts[0] or "." in parts[0]:
            continue
        if parts[0] != str(len(found) + 1):
            raise FileError(
                f"{path}, line {number}: word {len(found) + 1} was expected, but its number is "
                f"{parts[0]!r}."
            )
        found.append(_checked(path, Row(number, parts[1], parts[TAGS[tag]]), tag))
    return found


def _ten(path: str | Path, number: int, line: str) -> list[str]:
    parts = line.split("\t")
    if len(parts) != 10:
        raise FileError(
            f"{path}, line {number}: CoNLL-U has ten columns separated by tabs, but there "
            f"{'is' if len(parts) == 1 else 'are'} {len(parts)}: {line[:60]!r}."
        )
    return parts


def _checked(path: str | Path, row: Row, tag: str) -> Row:
    if not row.word or not row.tag:
        raise FileError(f"{path}, line {row.line}: a word and its tag must not be empty.")
    if row.tag == "_":  # the format writes _ for missing annotations
        other = "upos" if tag == "xpos" else "xpos"
        raise FileError(
            f"{path}, line {row.line}: a word must have a tag, but its {tag} is '_', which means "
            f'not annotated. Try tag="{other}".'
        )
    return row
