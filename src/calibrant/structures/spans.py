"""Spans of words, such as names, and the tags that encode them."""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

from calibrant.errors import InputError

OUTSIDE = "O"
READABLE = "a tag of spans must be O, or a type after B-, I-, E-, S-, L- or U-"
# the meaning of the letters before the hyphen: begin, inside, end (last) and single (unit)
MARKS = {"B": "B", "I": "I", "E": "E", "S": "S", "L": "E", "U": "S"}
FOREIGN = {"M": "I", "W": "S"}  # middle and whole, from the scheme BMEWO


class Span(NamedTuple):
    """Words `begin` to `end` (excluded), and their type."""

    begin: int
    end: int
    type: str


def spans(tags: Sequence[str]) -> list[Span]:
    """The spans of one sentence, as conlleval reads them.

    A span begins at B-T and S-T, and at I-T and E-T unless they continue one; I-T and E-T
    continue a span whose last tag is B-T or I-T. L is another letter for E, and U for S. So the
    same rules read IOB2 (also called BIO), IOB1, IO, BIOES and BILUO. The type is the text after
    the first hyphen.

    References
    ----------
    E. F. Tjong Kim Sang and S. Buchholz (2000). Introduction to the CoNLL-2000 Shared Task:
    Chunking. https://aclanthology.org/W00-0726

    Examples
    --------
    >>> spans(["B-PER", "I-PER", "O", "I-LOC", "B-LOC"])
    [Span(begin=0, end=2, type='PER'), Span(begin=3, end=4, type='LOC'),
     Span(begin=4, end=5, type='LOC')]
    >>> spans(["B-PER", "E-PER", "S-LOC"])
    [Span(begin=0, end=2, type='PER'), Span(begin=2, end=3, type='LOC')]
    """
    if isinstance(tags, str):
        raise InputError(f"tags must be a list of tags, but they are one string, {tags!r}.")
    found: list[Span] = []
    begin, held = 0, ""  # where the open span began, and its type; "" if no span is open
    for position, tag in enumerate([*tags, OUTSIDE]):
        parts = split_tag(tag)
        if parts is None:
            raise InputError(f"Here {READABLE}, but tag {position} is {tag!r}. {advice(tag)}")
        mark, kind = parts
        if held and (mark not in "IE" or kind != held):
            found.append(Span(begin, position, held))
            held = ""
        if kind and not held:
            begin, held = position, kind
        if mark in "ES":
            found.append(Span(begin, position + 1, held))
            held = ""
    return found


@lru_cache(4096)
def split_tag(tag: str) -> tuple[str, str] | None:
    """The mark (B, I, E or S) and the type of a tag; None if it does not encode spans.

    >>> split_tag("B-geo-loc"), split_tag("L-PER"), split_tag("O"), split_tag("NN")
    (('B', 'geo-loc'), ('E', 'PER'), ('O', ''), None)
    """
    letter, _, kind = tag.partition("-")
    if tag == OUTSIDE:
        return OUTSIDE, ""
    return (MARKS[letter], kind) if letter in MARKS and kind else None


def advice(tag: str) -> str:
    """Advice for a tag that does not encode spans."""
    letter, hyphen, kind = tag.partition("-")
    if kind and letter in FOREIGN:
        return f"If {letter}- is of the scheme BMEWO, write {FOREIGN[letter]}-{kind}."
    if letter in MARKS:
        return f"Write a type after the hyphen, such as {letter}-PER."
    if hyphen:
        return f"Its mark, before the hyphen, is {letter!r}."
    return f"If {tag} is a type, write I-{tag}; if it is a part of speech, there are no spans."


def types_of(tags: Iterable[str]) -> tuple[str, ...]:
    """The types of spans among tags, sorted.

    >>> types_of(["O", "B-PER", "I-PER", "B-LOC"])
    ('LOC', 'PER')
    """
    return tuple(sorted({parts[1] for parts in map(split_tag, tags) if parts and parts[1]}))


def are_spans(tags: Iterable[str]) -> bool:
    """Whether tags encode spans: all are readable, and some have a type.

    >>> are_spans(["O", "B-PER"]), are_spans(["O"]), are_spans(["O", "NN"])
    (True, False, False)
    """
    known = list(tags)
    return bool(types_of(known)) and None not in map(split_tag, known)
