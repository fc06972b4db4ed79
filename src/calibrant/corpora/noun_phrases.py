"""Mentions from trees: noun phrases and pronouns, the largest of those that share a head."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from calibrant.corpora.documents import Document, Mention
from calibrant.corpora.heads import head_of_phrase
from calibrant.corpora.lines import read_lines
from calibrant.errors import FileError

PRONOUNS = {"PRP", "PRP$"}
PIECE = re.compile(r"[()]|[^()\s]+", re.ASCII)  # words may have other kinds of spaces in them
ESCAPED = {"-LRB-": "(", "-RRB-": ")"}


class Phrase(NamedTuple):
    """A node of a tree: its label, its words from `begin` to `end`, and its head word."""

    label: str
    begin: int
    end: int
    head: int


class Parsed(NamedTuple):
    """A sentence: words, their tags, and the phrases above them."""

    words: tuple[str, ...]
    tags: tuple[str, ...]
    phrases: tuple[Phrase, ...]


def read_phrases(path: str | Path) -> list[Parsed]:
    """The sentences of a file of bracketed trees."""
    found, reader = [], _Reader(path)
    for number, line in read_lines(path):
        for piece in PIECE.findall(line):
            done = reader.take(number, piece)
            if done is not None:
                found.append(done)
    reader.finish()
    return found


class _Reader:
    """Takes a file's pieces one by one, and gives a sentence whenever a tree is complete."""

    def __init__(self, path: str | Path) -> None:
        self.path = path
        self._clear()

    def _clear(self) -> None:
        self.line = 0
        self.open: list[list[Phrase | str]] = []  # for each open bracket its label and children
        self.words: list[str] = []
        self.tags: list[str] = []
        self.phrases: list[Phrase] = []

    def take(self, line: int, piece: str) -> Parsed | None:
        if piece == "(":
            self.line = self.line or line
            self.open.append([])
            return None
        if not self.open:
            raise FileError(f"{self.path}, line {line}: {piece!r} is outside of any tree.")
        if piece != ")":
            self.open[-1].append(piece)
            return None
        self._close(line)
        if self.open:
            return None
        done = Parsed(tuple(self.words), tuple(self.tags), tuple(self.phrases))
        self._clear()
        return done

    def _close(self, line: int) -> None:
        content = self.open.pop()
        children = [each for each in content if isinstance(each, Phrase)]
        texts = [each for each in content if isinstance(each, str)]
        if not children and len(texts) == 2:
            at = len(self.words)
            self.words.append(_unescaped(texts[1]))
            self.tags.append(texts[0])
            node = Phrase(texts[0], at, at + 1, at)
        elif children and len(texts) <= 1:
            head = children[head_of_phrase([each.label for each in children])].head
            label = texts[0] if texts else "ROOT"
            node = Phrase(label, children[0].begin, children[-1].end, head)
            self.phrases.append(node)
        else:
            raise FileError(
                f"{self.path}, line {line}: a bracket must hold a label and a word, or a label and "
                f"brackets, but it holds {len(texts)} words and {len(children)} brackets."
            )
        if self.open:
            self.open[-1].append(node)

    def finish(self) -> None:
        if self.open:
            raise FileError(f"{self.path}: the tree that begins on line {self.line} is not closed.")


def _unescaped(word: str) -> str:
    for escaped, plain in ESCAPED.items():
        word = word.replace(escaped, plain)
    return word


def find_mentions(sentences: Sequence[Parsed]) -> list[Mention]:
    """Noun phrases and pronouns; of those that share a head only the largest.

    A smaller phrase stays where a comma or a conjunction follows it: it is then one of several
    things named together.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "trees.ptb")
    ...     tree = "(S (NP (NP (DT the) (NN head)) (PP (IN of) (NP (PRP it)))) (VP (VBZ is)))"
    ...     _ = path.write_text(tree)
    ...     find_mentions(read_phrases(path))
    [Mention(sentence=0, begin=0, end=4, head=1), Mention(sentence=0, begin=3, end=4, head=3)]
    """
    return [mention for k, each in enumerate(sentences) for mention in _of_sentence(k, each)]


def _of_sentence(number: int, sentence: Parsed) -> Iterator[Mention]:
    kept: dict[int, list[Phrase]] = {}
    for phrase in sorted(_candidates(sentence), key=lambda each: (each.begin, -each.end)):
        others = kept.setdefault(phrase.head, [])
        if any(each.begin == phrase.begin and each.end == phrase.end for each in others):
            continue
        follows = sentence.tags[phrase.end] if phrase.end < len(sentence.tags) else ""
        if not others or follows in (",", "CC"):
            others.append(phrase)
    found = [phrase for phrases in kept.values() for phrase in phrases]
    for phrase in sorted(found, key=lambda each: (each.begin, -each.end)):
        yield Mention(number, phrase.begin, phrase.end, phrase.head)


def _candidates(sentence: Parsed) -> Iterator[Phrase]:
    for phrase in sentence.phrases:
        if phrase.label.split("-")[0].split("=")[0] == "NP":
            yield phrase
    for at, tag in enumerate(sentence.tags):
        if tag in PRONOUNS:
            yield Phrase(tag, at, at + 1, at)


class Recall(NamedTuple):
    """How many true mentions there are, how many were found, and how many are both."""

    true: int
    found: int
    both: int

    @property
    def recall(self) -> float:
        """The share of true mentions that were found."""
        return self.both / self.true if self.true else 0.0

    @property
    def precision(self) -> float:
        """The share of found mentions that are true."""
        return self.both / self.found if self.found else 0.0


def mention_recall(gold: Sequence[Document], found: Sequence[Document]) -> Recall:
    """How well the mentions of documents agree with the true ones."""
    true = [{each.span for each in document.mentions} for document in gold]
    other = [{each.span for each in document.mentions} for document in found]
    both = sum(len(a & b) for a, b in zip(true, other, strict=True))
    return Recall(sum(map(len, true)), sum(map(len, other)), both)
