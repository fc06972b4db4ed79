"""Rows of words, one per line, in sentences and documents, as in CoNLL-2012."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, NamedTuple

from calibrant.errors import FileError
from calibrant.structures.lines import read_lines

BEGIN = re.compile(r"#\s*begin document\s*(.*)")
END = re.compile(r"#\s*end document")
NAME = re.compile(r"\((.*)\)\s*;?\s*(?:part\s*0*(\d+))?\s*$")
FULL = 12  # columns at least of CoNLL-2012's own files
TAG, PARSE, SPEAKER = 4, 5, 9  # where those have tags, parse bits and speakers
Column = int | Literal["auto"] | None


class Columns(NamedTuple):
    """Which columns are read; "auto" ones only in lines that have all of CoNLL-2012's."""

    word: int
    mentions: int
    tag: Column = None
    parse: Column = None
    speaker: Column = None


class Row(NamedTuple):
    """A word, its brackets, tag, parse bit and speaker ("" for none), and the line it is on."""

    line: int
    word: str
    cell: str
    tag: str
    bit: str
    speaker: str


@dataclass
class Text:
    """A document as it is read: its name, and the rows of each sentence."""

    name: str
    line: int
    told: bool  # whether a line says that it begins
    sentences: list[list[Row]] = field(default_factory=list)


def read_texts(path: str | Path, columns: Columns) -> Iterator[Text]:
    """The documents of a file; one, with the file's name, where it does not tell any."""
    text: Text | None = None
    closed = True  # whether the next word begins a sentence
    for number, line in read_lines(path):
        begun = BEGIN.match(line)
        if begun:
            if text is not None:
                raise FileError(
                    f"{path}, line {number}: document {text.name!r}, begun on line {text.line}, "
                    "must end with #end document before another begins."
                )
            text, closed = Text(_name(begun.group(1), path), number, told=True), True
        elif END.match(line):
            if text is None:
                raise FileError(f"{path}, line {number}: #end document ends no document.")
            yield _filled(path, text)
            text = None
        elif not line.strip():
            closed = True
        elif not _is_comment(line, columns.word, closed):
            text = text or Text(Path(path).name.split(".")[0], number, told=False)
            if closed:
                text.sentences.append([])
                closed = False
            text.sentences[-1].append(_row(path, text, number, line, columns))
    if text is not None:
        if text.told:
            raise FileError(
                f"{path}: document {text.name!r}, begun on line {text.line}, has no #end document: "
                "is the file complete?"
            )
        yield _filled(path, text)


def _is_comment(line: str, word: int, closed: bool) -> bool:
    """Whether a line `#...` is a comment: not where words come first and it may be a hashtag."""
    if not line.startswith("#") or "\t" in line:
        return False
    return word not in (0, -len(_cells(line))) or (closed and line.startswith("# "))


def _cells(line: str) -> list[str]:
    """The columns of a line; a no-break space is part of a word."""
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
        told = (cells[at].strip() if isinstance(at, int) else "" for at in others)
        return Row(number, cells[columns.word], cells[columns.mentions].strip(), *told)
    except IndexError:
        raise FileError(
            f"{path}, line {number}, document {text.name!r}: columns "
            f"{', '.join(map(str, wanted[:-1]))} and {wanted[-1]} are wanted, but there are "
            f"{len(cells)}."
        ) from None
