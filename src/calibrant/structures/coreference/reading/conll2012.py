"""Documents with mentions in a column of brackets, as in CoNLL-2012."""

from collections.abc import Sequence
from pathlib import Path

from calibrant.checks.parameters import whole_number
from calibrant.errors import FileError, UnknownName, option
from calibrant.structures.coreference.documents import Document, Documents, Mention, Sentences
from calibrant.structures.coreference.noun_phrases import find_mentions
from calibrant.structures.coreference.reading.mention_brackets import NOTHING, Bracketed, bracketed
from calibrant.structures.coreference.reading.parse_bits import Bit, read_bits
from calibrant.structures.coreference.reading.rows import (
    FULL,
    PARSE,
    Column,
    Columns,
    Text,
    read_texts,
)
from calibrant.structures.trees.heads import Heads, likely_head
from calibrant.structures.trees.parse import Parse

POLICIES = ("refuse", "first")  # policies for words that are bracketed twice
FARTHEST = 100  # largest column number from either side; no format has so many columns
ORIGINS = ("gold", "trees")  # origins of mentions


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
    '''Read documents with one word per line and mentions as brackets in a column.

    Lines `#begin document (name); part 000` and `#end document` enclose documents, empty lines
    separate sentences, tabs or spaces separate columns. A cell such as `(3|(4)` opens a mention of
    entity 3 and contains a whole mention of entity 4; `3)` closes the first. A cell of `-`, `_`,
    `*` or nothing contains no mention.

    Mentions must begin and end within one sentence and be closed by the entity that opened them.
    Mentions of different entities may cross. Documents without mentions are kept; a file without
    any mention is refused. Heads come from the trees, or are guessed from the words.

    Parameters
    ----------
    path
        The file, plain or gzipped, in UTF-8.
    word, mentions
        The columns, counted from 0; negative ones from the right.
    tag, parse, speaker
        The columns of parts of speech, of parse bits such as `(S(NP*`, `*` and `*)`, and of
        speakers. "auto" is 4, 5 and 9 in lines of at least twelve columns, as in CoNLL-2012; None
        reads no such column. In a document whose cells are all `-`, `_` or `*`, there are none.
    mentions_from
        "gold" takes the mentions of the column of brackets. "trees" takes noun phrases and
        pronouns, the largest of those that share a head; each belongs to the entity that has
        exactly its words.
    repeated
        What to do if the same words are bracketed twice: "refuse" the file, or take the "first"
        pair that opens, as the reference scorer does.

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
    Documents(letters.conll: 1 document, 4 words, 3 mentions)
    >>> documents[0].clusters
    ((0, 2), (1,))
    '''
    columns = Columns(
        word=whole_number("word", word, -FARTHEST, FARTHEST),
        mentions=whole_number("mentions", mentions, -FARTHEST, FARTHEST),
        tag=_column("tag", tag),
        parse=_column("parse", parse),
        speaker=_column("speaker", speaker),
    )
    if repeated not in POLICIES:
        raise UnknownName("policy for repeated mentions", str(repeated), POLICIES)
    check_origin(mentions_from)
    found = tuple(
        _document(path, text, repeated == "first", mentions_from == "trees")
        for text in read_texts(path, columns)
    )
    if not found:
        raise FileError(f"{path} contains no document.")
    documents = Documents(found, Path(path).name)
    if not documents.mentions:
        if mentions_from == "trees":
            raise FileError(f"{path} has no mentions: its trees contain no noun phrase or pronoun.")
        raise FileError(
            f"{path} has no mentions in column {mentions}. Name the right column: "
            f"{option('mentions', 'COLUMN')}"
        )
    return documents


def check_origin(mentions_from: str) -> None:
    """Refuse an unknown origin of mentions."""
    if mentions_from not in ORIGINS:
        raise UnknownName("origin of mentions", str(mentions_from), ORIGINS)


def _column(name: str, given: Column) -> Column:
    if given is None or given == "auto":
        return given
    return whole_number(name, given, -FARTHEST, FARTHEST)


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
    lines = [[row.line for row in rows] for rows in text.sentences]
    document = make_document(
        path,
        text.name,
        words,
        brackets,
        lines=lines,
        first=first,
        tags=tags if told else None,
        trees=trees,
        speakers=_speakers(text),
    )
    if not from_trees:
        return document
    if trees is None:
        raise FileError(
            f"{path}, line {text.line}, document {text.name!r}: mentions should come from trees, "
            f"but the document has none. Parse bits are read from column {PARSE} of at least "
            f"{FULL}, or from the column given as parse=."
        )
    return document.with_mentions(find_mentions(trees))


def _speakers(text: Text) -> tuple[str, ...] | None:
    """The speaker of each sentence, from the line of its first word."""
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
    path: str | Path,
    name: str,
    words: Sentences,
    brackets: Sequence[Bracketed],
    *,
    lines: Sequence[Sequence[int]],
    first: bool,
    tags: Sentences | None = None,
    trees: Sequence[Parse] | None = None,
    speakers: tuple[str, ...] | None = None,
) -> Document:
    """Make a document from mentions in the order in which they open.

    `lines` are the line numbers of the words, for messages. With `first`, the first of two mentions
    of the same words is kept; otherwise such mentions are refused.
    """
    heads = None if trees is None else [Heads(tree) for tree in trees]
    home: dict[Mention, str] = {}
    for each in brackets:
        mention = _mention(each, words[each.sentence], heads[each.sentence] if heads else None)
        if mention in home and not first:
            text = " ".join(words[each.sentence][each.begin : each.end])
            raise FileError(
                f"{path}, line {lines[each.sentence][each.begin]}, document {name!r}: words must "
                f"be bracketed once, but {text!r} is a mention of entity {home[mention]} and of "
                f'entity {each.entity}. repeated="first" takes the first.'
            )
        home.setdefault(mention, each.entity)
    ordered = sorted(home, key=lambda each: each.order)
    clusters: dict[str, list[int]] = {}
    for k, mention in enumerate(ordered):
        clusters.setdefault(home[mention], []).append(k)
    found = tuple(map(tuple, clusters.values()))
    return Document(name, words, tuple(ordered), found, tags, speakers)


def _mention(at: Bracketed, words: Sequence[str], heads: Heads | None) -> Mention:
    """Make a mention; its head comes from the tree or, without a tree, from its words."""
    if heads is None:
        head = at.begin + likely_head(words[at.begin : at.end])
    else:
        head = heads.of_words(at.begin, at.end)
    return Mention(at.sentence, at.begin, at.end, head)
