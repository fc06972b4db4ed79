"""Spans of words, such as names, and the tags that write them down."""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

from calibrant.errors import InputError

OUTSIDE = "O"
READABLE = "a tag of spans must be O, B-type or I-type"
BIOES = "ESLUMW"  # last, single and middle words, by the letters of several schemes


class Span(NamedTuple):
    """Words `begin` to `end`, which is the first after it, and what they are."""

    begin: int
    end: int
    type: str


def spans(tags: Sequence[str]) -> list[Span]:
    """The spans of one sentence, as conlleval reads them.

    A span begins at B-T, or at an I-T that does not follow B-T or I-T of the same type; it goes on
    with I-T. So one reading serves IOB2 (also called BIO), IOB1 and IO. The type is what follows
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
    """
    if isinstance(tags, str):
        raise InputError(f"tags must be a list of tags, but they are one string, {tags!r}.")
    found: list[Span] = []
    begin, held = 0, ""  # where the open span began, and its type; "" where none is open
    for position, tag in enumerate([*tags, OUTSIDE]):
        parts = split_tag(tag)
        if parts is None:
            raise InputError(f"Here {READABLE}, but tag {position} is {tag!r}. {advice(tag)}")
        mark, kind = parts
        if held and (mark != "I" or kind != held):
            found.append(Span(begin, position, held))
            held = ""
        if kind and not held:
            begin, held = position, kind
    return found


@lru_cache(4096)
def split_tag(tag: str) -> tuple[str, str] | None:
    """The mark and the type of a tag, ("O", "") outside; None for what is no tag of spans.

    >>> split_tag("B-geo-loc"), split_tag("O"), split_tag("NN")
    (('B', 'geo-loc'), ('O', ''), None)
    """
    mark, _, kind = tag.partition("-")
    if tag == OUTSIDE or (mark in ("B", "I") and kind):
        return mark, kind
    return None


def advice(tag: str) -> str:
    """What to do about a tag that writes no span."""
    mark, hyphen, kind = tag.partition("-")
    if kind and mark in tuple(BIOES):
        return (
            f"{mark}- is of BIOES or a scheme like it: write I- for its middle and last words, "
            "B- for its single ones."
        )
    if mark in ("B", "I"):
        return f"Write a type after the hyphen, such as {mark}-PER."
    if hyphen:
        return f"Its mark, before the hyphen, is {mark!r}."
    return f"If {tag} is a type, write I-{tag}; if it is a part of speech, there are no spans."


def types_of(tags: Iterable[str]) -> tuple[str, ...]:
    """The types of spans among tags, in order.

    >>> types_of(["O", "B-PER", "I-PER", "B-LOC"])
    ('LOC', 'PER')
    """
    return tuple(sorted({parts[1] for parts in map(split_tag, tags) if parts and parts[1]}))
