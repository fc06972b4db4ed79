"""`Parse`: the tree of a sentence, read from and printed as brackets."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from calibrant.errors import InputError
from calibrant.structures.spans import Span

TOKEN = re.compile(r"[()]|[^\s()]+")
FUNCTION = re.compile(r"(?<=[^-=|])[-=|].*$")  # functions, as in NP-SBJ-2
ROOTS = frozenset(("ROOT", "TOP", "S1", ""))  # labels of roots, which are not constituents
DEEPEST = 400  # maximum depth, for recursive functions; real trees have a few dozen levels


@dataclass(frozen=True, slots=True)
class Parse:
    """A node of a tree: a label, and other nodes or one word below it.

    Parameters
    ----------
    label
        The label of a phrase, or the tag of a word.
    children
        The nodes below, from left to right; empty for the tag of a word.
    word
        The word, if the node is the tag of a word.

    Examples
    --------
    >>> tree = Parse.from_text("(S (NP (DT the) (NN dog)) (VP (VBZ runs)))")
    >>> tree.words
    ('the', 'dog', 'runs')
    >>> tree.spans
    [Span(begin=0, end=3, type='S'), Span(begin=0, end=2, type='NP'), Span(begin=2, end=3,
     type='VP')]
    >>> print(tree)
    (S (NP (DT the) (NN dog)) (VP (VBZ runs)))
    """

    label: str
    children: tuple["Parse", ...] = ()
    word: str | None = None
    size: int = field(init=False, repr=False, compare=False)  # number of words below

    def __post_init__(self) -> None:
        if (self.word is None) == (not self.children):
            raise InputError(
                f"A node must have children or a word, but {self.label!r} has "
                f"{'both' if self.children else 'neither'}."
            )
        size = sum(child.size for child in self.children) if self.children else 1
        object.__setattr__(self, "size", size)

    @classmethod
    def from_text(cls, text: str) -> "Parse":
        """Read one tree in brackets, on one or more lines."""
        try:
            found = [tree for _, tree in read_parses(enumerate(text.split("\n"), 1))]
        except BracketFault as fault:
            raise InputError(f"Line {fault.line} of the tree: {fault.text}") from fault
        if len(found) != 1:
            raise InputError(f"text must contain one tree, but it contains {len(found)}.")
        return found[0]

    def __str__(self) -> str:
        pieces: list[str] = []
        waiting: list[Parse | str] = [self]
        while waiting:  # trees may be deeper than Python can recurse
            here = waiting.pop()
            if isinstance(here, str):
                pieces.append(here)
            elif here.word is not None:
                pieces.append(f" ({here.label} {here.word})")
            else:
                pieces.append(f" ({here.label}")
                waiting += [")", *reversed(here.children)]
        return "".join(pieces)[1:]

    @property
    def leaves(self) -> list["Parse"]:
        """The nodes of words, from left to right."""
        return [node for node, _ in self.nodes() if node.word is not None]

    @property
    def words(self) -> tuple[str, ...]:
        """The words of the sentence."""
        return tuple(str(leaf.word) for leaf in self.leaves)

    @property
    def tags(self) -> tuple[str, ...]:
        """Their tags."""
        return tuple(leaf.label for leaf in self.leaves)

    @property
    def spans(self) -> list[Span]:
        """All phrases, parents before children; tags of words are not phrases."""
        return [
            Span(begin, begin + node.size, node.label)
            for node, begin in self.nodes()
            if node.word is None
        ]

    def nodes(self) -> Iterator[tuple["Parse", int]]:
        """All nodes with their first word, parents before children, left to right."""
        stack = [(self, 0)]
        while stack:
            node, begin = stack.pop()
            yield node, begin
            end = begin + node.size
            for child in reversed(node.children):
                end -= child.size
                stack.append((child, end))


def bare_label(label: str) -> str:
    """The label of a phrase without functions and indices.

    >>> bare_label("NP-SBJ-2")
    'NP'
    """
    return FUNCTION.sub("", label)


class BracketFault(Exception):
    """Brackets that do not form a tree: the line and the reason."""

    def __init__(self, line: int, text: str) -> None:
        super().__init__(text)
        self.line, self.text = line, text


@dataclass(slots=True)
class _Open:
    """An open bracket: its line and its contents so far."""

    line: int
    label: str | None = None
    children: list[Parse] = field(default_factory=list)
    word: str | None = None


def read_parses(
    lines: Iterable[tuple[int, str]], join: str | None = None
) -> Iterator[tuple[int, Parse]]:
    """Read the trees of numbered lines, each with the line on which it begins.

    An outermost bracket without a label has the label "". The parts of a word with spaces are
    joined by `join`, or refused if it is None.
    """
    stack: list[_Open] = []
    number = 0
    for number, line in lines:
        for token in TOKEN.findall(line):
            if token == "(":
                _check_opening(stack, number)
                stack.append(_Open(number))
            elif token == ")":
                if not stack:
                    raise BracketFault(number, "a bracket is closed that was not opened.")
                closed = stack.pop()
                node = _close(closed, number, outermost=not stack)
                if stack:
                    stack[-1].children.append(node)
                else:
                    yield closed.line, node
            else:
                _take(stack, token, number, join)
    if stack:
        raise BracketFault(
            stack[0].line,
            f"the bracket opened here is never closed ({len(stack)} are open at the end, on line "
            f"{number}).",
        )


def _check_opening(stack: list[_Open], number: int) -> None:
    if not stack:
        return
    if stack[-1].word is not None:
        raise BracketFault(
            number, f"a bracket opens beside the word {stack[-1].word!r}, which needs its own tag."
        )
    if len(stack) >= DEEPEST:
        raise BracketFault(number, f"brackets must not be nested deeper than {DEEPEST}.")
    if stack[-1].label is None:
        if len(stack) > 1:
            raise BracketFault(number, "a label must follow the bracket, but another bracket does.")
        stack[-1].label = ""


def _take(stack: list[_Open], token: str, number: int, join: str | None) -> None:
    if not stack:
        raise BracketFault(number, f"{token!r} is outside of all brackets.")
    held = stack[-1]
    if held.label is None:
        held.label = token
    elif held.word is not None and join is not None:
        held.word += join + token
    elif held.word is not None:
        raise BracketFault(
            number, f"{held.label} must have one word, but it has {held.word!r} and {token!r}."
        )
    elif held.children:
        raise BracketFault(number, f"the word {token!r} is beside a bracket and needs a tag.")
    else:
        held.word = token


def _close(held: _Open, number: int, outermost: bool) -> Parse:
    if held.label is None or (held.word is None and not held.children):
        raise BracketFault(
            number, f"({held.label or ''}) is empty: it has no word and no children."
        )
    if outermost and held.word is not None and held.label == "":
        raise BracketFault(number, f"the word {held.word!r} has no tag.")
    return Parse(held.label, tuple(held.children), held.word)
