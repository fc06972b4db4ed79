"""Corpora of documents with mentions in a column of brackets, as in CoNLL-2012."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, NamedTuple

from calibrant.corpora.documents import Document, Documents, Mention, Sentences
from calibrant.corpora.heads import head_of_words, likely_head
from calibrant.corpora.lines import read_lines
from calibrant.corpora.noun_phrases import find_mentions
from calibrant.corpora.parse_bits import Bit, read_bits
from calibrant.errors import FileError, UnknownName
from calibrant.parameters import whole_number
from calibrant.parses import Parse

NOTHING = {"", "-", "_", "*"}  # cells without brackets
MARK = re.compile(r"\|?(?:\(([^()|\s]+)(\))?|([^()|\s]+)\))")
BEGIN = re.compile(r"#\s*begin document\s*(.*)")
END = re.compile(r"#\s*end document")
NAME = re.compile(r"\((.*)\)\s*;?\s*(?:part\s*0*(\d+))?\s*$")
POLICIES = ("refuse", "first")
ORIGINS = ("gold", "trees")  # of mentions
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


class Bracketed(NamedTuple):
    """Words `begin` to `end` (excluded) of a sentence, in a pair of brackets of an entity."""

    sentence: int
    begin: int
    end: int
    entity: str


def read_coreference(
    path: str | Path,
    *,
    word: int = 3,
    mentions: int = -1,
    tag: Column = "auto",
    parse: Column = "auto",
    speaker: Column = "auto",
    mentions_from: str = "gold",
    repeated: str = "refuse",
) -> Documents:
    '''Read documents with a word per line and brackets of mentions in a column.

    Lines `#begin document (name); part 000` and `#end document` enclose documents, empty lines
    part sentences, tabs or spaces part columns. A cell such as `(3|(4)` opens a mention of entity
    3 and has a whole one of entity 4; `3)` closes. A cell of `-`, `_`, `*` or nothing has none.

    Mentions must begin and end within one sentence and be closed by the entity that opened them.
    Those of different entities may cross. Documents without mentions are kept; a file without any
    is refused. Heads are those of the trees, or guessed from the words where there are none.

    Parameters
    ----------
    path
        The file, plain or gzipped, in UTF-8.
    word, mentions
        The columns, counted from 0; negative ones from the right.
    tag, parse, speaker
        The columns of parts of speech, of parse bits, such as `(S(NP*`, `*` and `*)`, and of who
        says the sentence. "auto" is 4, 5 and 9 in lines of twelve columns or more, as CoNLL-2012
        has them; None does without. A document whose cells are all `-`, `_` or `*` has none.
    mentions_from
        "gold" takes those of the column of brackets; "trees" noun phrases and pronouns, of those
        that share a head the largest, each of the entity that has its very words.
    repeated
        What to do with words that are bracketed twice: "refuse" them, or take the "first" pair
        that opens, as the reference scorer does.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "letters.conll")
    ...     _ = path.write_text("""#begin document (letter); part 000
    ... letter 0 0 Ada (1)
    ... letter 0 1 met -
    ... letter 0 2 her (2|(1)
    ... letter 0 3 friend 2)
    ...
    ... #end document
    ... """)
    ...     documents = read_coreference(path)
    >>> documents
    Documents(letters.conll: 1 documents, 4 words, 3 mentions)
    >>> documents[0].clusters
    ((0, 2), (1,))
    '''
    columns = Columns(
        whole_number("word", word, -100, 100), whole_number("mentions", mentions, -100, 100),
        _column("tag", tag), _column("parse", parse), _column("speaker", speaker),
    )  # fmt: skip
    if repeated not in POLICIES:
        raise UnknownName("policy for repeated mentions", str(repeated), POLICIES)
    check_origin(mentions_from)
    found = tuple(
        _document(path, text, repeated == "first", mentions_from == "trees")
        for text in read_texts(path, columns)
    )
    if not found:
        raise FileError(f"{path} has no documents.")
    documents = Documents(found, Path(path).name)
    if not documents.mentions:
        where = "its trees" if mentions_from == "trees" else f"column {mentions}"
        raise FileError(
            f"{path} has no mentions in {where}: is another column the one of brackets?"
        )
    return documents


def check_origin(mentions_from: str) -> None:
    """Refuse what mentions cannot be taken from."""
    if mentions_from not in ORIGINS:
        raise UnknownName("origin of mentions", str(mentions_from), ORIGINS)


def _column(name: str, given: Column) -> Column:
    if given is None or given == "auto":
        return given
    return whole_number(name, given, -100, 100)


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
        elif not (line.startswith("#") and "\t" not in line):
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
    cells = line.split("\t") if "\t" in line else line.split()
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


def _document(path: str | Path, text: Text, first: bool, from_trees: bool) -> Document:
    """A document from its rows."""
    brackets = [
        each
        for k, rows in enumerate(text.sentences)
        for each in bracketed(path, text.name, k, rows)
    ]
    words, tags = (
        tuple(tuple(getattr(row, what) for row in rows) for rows in text.sentences)
        for what in ("word", "tag")
    )
    told = not {tag for sentence in tags for tag in sentence} <= NOTHING
    trees = _trees(path, text)
    lines = [rows[0].line for rows in text.sentences]
    document = make_document(
        path, text.name, words, brackets, lines, first, tags if told else None, trees,
        _speakers(text),
    )  # fmt: skip
    if not from_trees:
        return document
    if trees is None:
        raise FileError(
            f"{path}, line {text.line}, document {text.name!r}: mentions are to come from trees, "
            f"but there are none: parse bits are in column {PARSE} of twelve or more, or in the "
            "one that parse= says."
        )
    return document.with_mentions(find_mentions(trees))


def _speakers(text: Text) -> tuple[str, ...] | None:
    """Who says each sentence: its first word does."""
    found = tuple(rows[0].speaker for rows in text.sentences)
    if set(found) <= NOTHING:
        return None
    return tuple("" if each in NOTHING else each for each in found)


def _trees(path: str | Path, text: Text) -> tuple[Parse, ...] | None:
    if {row.bit for rows in text.sentences for row in rows} <= NOTHING:
        return None
    return tuple(
        read_bits(path, text.name, [Bit(row.line, row.tag, row.bit) for row in rows])
        for rows in text.sentences
    )


def make_document(
    path: str | Path, name: str, words: Sentences, brackets: Sequence[Bracketed],
    lines: Sequence[int], first: bool, tags: Sentences | None = None,
    trees: Sequence[Parse] | None = None, speakers: tuple[str, ...] | None = None,
) -> Document:  # fmt: skip
    """A document from mentions in the order in which they open."""
    home: dict[Mention, str] = {}
    for each in brackets:
        sentence, begin, end, entity = each
        if trees is None:
            head = begin + likely_head(words[sentence][begin:end])
        else:
            head = head_of_words(trees[sentence], begin, end)
        mention = Mention(sentence, begin, end, head)
        if mention in home and not first:
            raise FileError(
                f"{path}, line {lines[sentence] + begin}, document {name!r}: words must be "
                f"bracketed once, but {' '.join(words[sentence][begin:end])!r} is a mention of "
                f'entity {home[mention]} and of entity {entity}. repeated="first" takes the first.'
            )
        home.setdefault(mention, entity)
    ordered = sorted(home, key=lambda each: (each.sentence, each.begin, -each.end))
    clusters: dict[str, list[int]] = {}
    for k, mention in enumerate(ordered):
        clusters.setdefault(home[mention], []).append(k)
    found = tuple(map(tuple, clusters.values()))
    return Document(name, words, tuple(ordered), found, tags, speakers)


def bracketed(
    path: str | Path, document: str, sentence: int, rows: Sequence[Row]
) -> list[Bracketed]:
    """The mentions of one sentence, in the order in which they open."""
    open_: dict[str, list[int]] = {}
    found: list[Bracketed | None] = []  # by the order in which they open
    begins: list[int] = []
    for at, row in enumerate(rows):
        if row.cell in NOTHING:
            continue
        for entity, whole, closing in _marks(path, document, row):
            if entity:
                found.append(Bracketed(sentence, at, at + 1, entity) if whole else None)
                begins.append(at)
                if not whole:
                    open_.setdefault(entity, []).append(len(found) - 1)
            elif open_.get(closing):
                number = open_[closing].pop()
                found[number] = Bracketed(sentence, begins[number], at + 1, closing)
            else:
                raise FileError(
                    f"{path}, line {row.line}, document {document!r}: {row.cell!r} closes a "
                    f"mention of entity {closing}, but none is open in this sentence."
                )
    for entity, numbers in open_.items():
        if numbers:
            row = rows[begins[numbers[-1]]]
            raise FileError(
                f"{path}, line {row.line}, document {document!r}: {row.cell!r} opens a mention of "
                f"entity {entity} that is not closed in its sentence."
            )
    return [each for each in found if each is not None]


def _marks(path: str | Path, document: str, row: Row) -> Iterator[tuple[str, bool, str]]:
    """The brackets of a cell: the entity that opens, whether it closes at once, or which closes."""
    at = 0
    while at < len(row.cell):
        mark = MARK.match(row.cell, at)
        if mark is None:
            raise FileError(
                f"{path}, line {row.line}, document {document!r}: brackets of mentions must look "
                f"like (3, 3) or (3)|(4, but the cell is {row.cell!r}."
            )
        yield mark.group(1) or "", mark.group(2) is not None, mark.group(3) or ""
        at = mark.end()
