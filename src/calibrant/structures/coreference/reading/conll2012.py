"""Corpora of documents with mentions in a column of brackets, as in CoNLL-2012."""

from collections.abc import Sequence
from pathlib import Path

from calibrant.checks.parameters import whole_number
from calibrant.errors import FileError, UnknownName
from calibrant.structures.coreference.documents import Document, Documents, Mention, Sentences
from calibrant.structures.coreference.noun_phrases import find_mentions
from calibrant.structures.coreference.reading.mention_brackets import NOTHING, Bracketed, bracketed
from calibrant.structures.coreference.reading.parse_bits import Bit, read_bits
from calibrant.structures.coreference.reading.rows import PARSE, Column, Columns, Text, read_texts
from calibrant.structures.trees.heads import Heads, likely_head
from calibrant.structures.trees.parse import Parse

POLICIES = ("refuse", "first")
ORIGINS = ("gold", "trees")  # of mentions


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
        whole_number("word", word, -100, 100),
        whole_number("mentions", mentions, -100, 100),
        _column("tag", tag),
        _column("parse", parse),
        _column("speaker", speaker),
    )
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
        if mentions_from == "trees":
            raise FileError(f"{path} has no mentions: its trees have no noun phrase or pronoun.")
        raise FileError(
            f"{path} has no mentions in column {mentions}: is another column the one of brackets?"
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
        lines,
        first,
        tags if told else None,
        trees,
        _speakers(text),
    )
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
    path: str | Path,
    name: str,
    words: Sentences,
    brackets: Sequence[Bracketed],
    lines: Sequence[Sequence[int]],
    first: bool,
    tags: Sentences | None = None,
    trees: Sequence[Parse] | None = None,
    speakers: tuple[str, ...] | None = None,
) -> Document:
    """A document from mentions in the order in which they open."""
    heads = None if trees is None else [Heads(tree) for tree in trees]
    home: dict[Mention, str] = {}
    for each in brackets:
        sentence, begin, end, entity = each
        if heads is None:
            head = begin + likely_head(words[sentence][begin:end])
        else:
            head = heads[sentence].of_words(begin, end)
        mention = Mention(sentence, begin, end, head)
        if mention in home and not first:
            raise FileError(
                f"{path}, line {lines[sentence][begin]}, document {name!r}: words must be "
                f"bracketed once, but {' '.join(words[sentence][begin:end])!r} is a mention of "
                f'entity {home[mention]} and of entity {entity}. repeated="first" takes the first.'
            )
        home.setdefault(mention, entity)
    ordered = sorted(home, key=lambda each: each.order)
    clusters: dict[str, list[int]] = {}
    for k, mention in enumerate(ordered):
        clusters.setdefault(home[mention], []).append(k)
    found = tuple(map(tuple, clusters.values()))
    return Document(name, words, tuple(ordered), found, tags, speakers)
