"""Read rows of words, one per line, in sentences and documents, as in CoNLL-2012."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, NamedTuple

from calibrant.errors import FileError
from calibrant.results.wording import counted
from calibrant.structures.lines import read_lines

BEGIN = re.compile(r"#\s*begin document\s*(.*)")
END = re.compile(r"#\s*end document")
NAME = re.compile(r"\((.*)\)\s*;?\s*(?:part\s*0*(\d+))?\s*$")
FULL = 12  # the minimum number of columns in CoNLL-2012 files
TAG, PARSE, SPEAKER = 4, 5, 9  # its columns of tags, parse bits and speakers
SHOWN = 60  # maximum characters of a line or a cell to quote in messages
Column = int | Literal["auto"] | None


class Columns(NamedTuple):
    """The columns to read; "auto" applies to lines with all columns of CoNLL-2012."""

    word: int
    mentions: int
    tag: Column = None
    parse: Column = None
    speaker: Column = None


class Row(NamedTuple):
    """A line of a word: its number and its cells; "" for columns that are not read."""

    line: int
    word: str
    cell: str  # brackets of mentions
    tag: str
    bit: str
    speaker: str


@dataclass
class Text:
    """A document while it is read: its name and the rows of each sentence."""

    name: str
    line: int
    announced: bool  # whether a #begin document line started it
    sentences: list[list[Row]] = field(default_factory=list)


def read_texts(path: str | Path, columns: Columns) -> Iterator[Text]:
    """Read the documents of a file; one without #begin lines is a single document."""
    text: Text | None = None
    ended = 0  # the line of the last #end document
    between = True  # whether the next word begins a sentence
    for number, line in read_lines(path):
        begun = BEGIN.match(line)
        if begun:
            _check_begin(path, number, text)
            text, between = Text(_name(begun.group(1), path), number, announced=True), True
        elif END.match(line):
            yield _ended(path, number, text)
            text, ended, between = None, number, True
        elif not line.strip():
            between = True
        elif not _is_comment(line, columns.word, between):
            text = text or _unannounced(path, number, line, ended)
            if between:
                text.sentences.append([])
                between = False
            text.sentences[-1].append(_row(path, text, number, line, columns))
    if text is not None:
        yield _complete(path, text)


def _check_begin(path: str | Path, number: int, text: Text | None) -> None:
    if text is None:
        return
    if text.announced:
        raise FileError(
            f"{path}, line {number}: document {text.name!r}, begun on line {text.line}, must end "
            "with #end document before another begins."
        )
    raise FileError(
        f"{path}, line {number}: all words must follow a line #begin document, but there are words "
        f"before the first one, from line {text.line} on."
    )


def _ended(path: str | Path, number: int, text: Text | None) -> Text:
    if text is None:
        raise FileError(f"{path}, line {number}: #end document without a #begin document.")
    return _filled(path, text)


def _unannounced(path: str | Path, number: int, line: str, ended: int) -> Text:
    """The document of a file that has no #begin lines."""
    if ended:
        raise FileError(
            f"{path}, line {number}: only #begin document may follow the #end document of line "
            f"{ended}, but the line is {shortened(line)}."
        )
    return Text(Path(path).name.split(".")[0], number, announced=False)


def shortened(text: str) -> str:
    """Quote a text for messages, truncated if it is long."""
    return repr(text) if len(text) <= SHOWN else f"{text[:SHOWN]!r}..."


def _complete(path: str | Path, text: Text) -> Text:
    if text.announced:
        raise FileError(
            f"{path}: document {text.name!r}, begun on line {text.line}, has no #end document. "
            "Is the file complete?"
        )
    return _filled(path, text)


def _is_comment(line: str, word: int, between: bool) -> bool:
    """Whether a line `#...` is a comment.

    If words are in the first column, `#...` may be a hashtag, so only `# ...` between sentences is
    a comment.
    """
    if not line.startswith("#") or "\t" in line:
        return False
    return word not in (0, -len(_cells(line))) or (between and line.startswith("# "))


def _cells(line: str) -> list[str]:
    """Split a line into columns; a no-break space is part of a word."""
    return line.split("\t") if "\t" in line else [each for each in line.split(" ") if each]


def _name(rest: str, path: str | Path) -> str:
    found = NAME.match(rest)
    if found:
        part = found.group(2)
        return found.group(1) + (f", part {part}" if part and part != "0" else "")
    return rest.strip() or Path(path).name.split(".")[0]


def _filled(path: str | Path, text: Text) -> Text:
    if not text.sentences:
        raise FileError(f"{path}, line {text.line}: document {text.name!r} has no words.")
    return text


def _row(path: str | Path, text: Text, number: int, line: str, columns: Columns) -> Row:
    cells = _cells(line)
    others = [
        usual if column == "auto" and len(cells) >= FULL else column
        for column, usual in zip(columns[2:], (TAG, PARSE, SPEAKER), strict=True)
    ]
    wanted = (columns.word, columns.mentions, *(at for at in others if isinstance(at, int)))
    try:
        more = (cells[at].strip() if isinstance(at, int) else "" for at in others)
        return Row(number, cells[columns.word], cells[columns.mentions].strip(), *more)
    except IndexError:
        raise FileError(
            f"{path}, line {number}, document {text.name!r}: columns "
            f"{', '.join(map(str, wanted[:-1]))} and {wanted[-1]} are needed, but the line has "
            f"{counted(len(cells), 'column')}."
        ) from None
