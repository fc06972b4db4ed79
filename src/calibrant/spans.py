"""Spans that tags B, I and O write down: names, chunks, quotations."""

from collections.abc import Sequence
from typing import NamedTuple


class Span(NamedTuple):
    """Words `begin` to `end − 1` of a sentence, and what they are."""

    begin: int
    end: int
    type: str


def spans(tags: Sequence[str]) -> list[Span]:
    """The spans of a sentence, in order, as conlleval reads them.

    A span of a type T begins at B-T, or at I-T that follows neither B-T nor I-T. It goes on with
    I-T and ends before anything else. Tags of no such form are outside all spans.

    Examples
    --------
    >>> spans(["B-PER", "I-PER", "O", "I-LOC", "B-LOC"])
    [Span(begin=0, end=2, type='PER'), Span(begin=3, end=4, type='LOC'),
     Span(begin=4, end=5, type='LOC')]
    """
    found: list[Span] = []
    for at, tag in enumerate(tags):
        part, type = split_tag(tag)
        if not part:
            continue
        if part == "I" and found and found[-1].end == at and found[-1].type == type:
            found[-1] = found[-1]._replace(end=at + 1)
        else:
            found.append(Span(at, at + 1, type))
    return found


def split_tag(tag: str) -> tuple[str, str]:
    """The part, B or I, and the type of a tag; two empty strings for what is outside.

    Examples
    --------
    >>> split_tag("B-geo-loc"), split_tag("O")
    (('B', 'geo-loc'), ('', ''))
    """
    part, _, type = str(tag).partition("-")
    return (part, type) if part in ("B", "I") and type else ("", "")
