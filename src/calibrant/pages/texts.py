"""The values of a row as a page shows them: as pieces of text, shortened, with marked places."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from calibrant.pages.markup import shown

Piece = list[Any]  # a text, and which mark it has: 0 for none, 1 for the first, 2 for the second
Values = Mapping[str, Sequence[Any]]  # columns, as lists
ELLIPSIS = "…"
MARKED = "text"  # the column whose places are marked
PARSED = "parse"  # the column that is drawn as a tree, which a part of it is not
BRACKETS = 4  # a parse has about four times as many characters as its sentence
PLACES = (("begin", "end"), ("begin2", "end2"))  # columns that say where


class Span(NamedTuple):
    """A marked place in a text: characters begin, ..., end − 1."""

    begin: int
    end: int


def pieces(text: str, spans: Sequence[Span | None], longest: int) -> list[Piece]:
    """Cut a text at its marked places; far from them, leave out what exceeds `longest`.

    Pieces are cut here because JavaScript counts characters in another way.

    >>> pieces("the old man", [Span(4, 7)], 100)
    [['the ', 0], ['old', 1], [' man', 0]]
    >>> pieces("abcdefghij", [], 4)
    [['abcd… (6 more characters)', 0]]
    """
    marks = _known(text, spans)
    if len(text) > longest:
        return _shortened(text, marks, longest)
    return _cut(text, marks)


def marked_pieces(values: Values, name: str, k: int, longest: int) -> list[Piece]:
    """The value of a column in row k; in the column `text`, places of other columns are marked.

    >>> marked_pieces({"text": ["a dog"], "begin": [2], "end": [5]}, "text", 0, 100)
    [['a ', 0], ['dog', 1]]
    """
    text = as_text(values[name][k])
    if name == PARSED and len(text) > longest:
        fits = len(text) <= BRACKETS * longest
        return [[shown(text) if fits else f"({len(text)} characters left out)", 0]]
    return pieces(text, _spans(values, k) if name == MARKED else [], longest)


def _spans(values: Values, k: int) -> list[Span | None]:
    """The places to mark in a row."""
    return [
        _span(values[begin][k], values[end][k]) if begin in values and end in values else None
        for begin, end in PLACES
    ]


def _span(begin: object, end: object) -> Span | None:
    """A place from two cells; None if they are not whole numbers."""
    texts = [str(each) for each in (begin, end)]
    if not all(each.isascii() and each.isdigit() and len(each) < 10 for each in texts):
        return None
    return Span(int(texts[0]), int(texts[1]))


def _known(text: str, spans: Sequence[Span | None]) -> list[tuple[Span, int]]:
    """The spans inside the text with their marks, in order; overlapping ones are left out."""
    inside = [
        (span, mark)
        for mark, span in enumerate(spans, start=1)
        if span is not None and 0 <= span.begin < span.end <= len(text)
    ]
    found: list[tuple[Span, int]] = []
    for span, mark in sorted(inside):
        if not found or span.begin >= found[-1][0].end:
            found.append((span, mark))
    return found


def _cut(text: str, marks: Sequence[tuple[Span, int]]) -> list[Piece]:
    found: list[Piece] = []
    at = 0
    for span, mark in marks:
        found += [[text[at : span.begin], 0], [text[span.begin : span.end], mark]]
        at = span.end
    found.append([text[at:], 0])
    return [[shown(part), mark] for part, mark in found if part]


def _shortened(text: str, marks: Sequence[tuple[Span, int]], longest: int) -> list[Piece]:
    """The part of the text around the first mark, or its beginning."""
    first = marks[0][0].begin if marks else 0
    start = min(max(0, first - longest // 3), len(text) - longest)
    end = start + longest
    moved = [
        (Span(span.begin - start, span.end - start), mark)
        for span, mark in marks
        if span.begin >= start and span.end <= end
    ]
    found = _cut(text[start:end], moved)
    if start:
        found.insert(0, [f"({start} characters) {ELLIPSIS}", 0])
    if end < len(text):
        found = _ended(found, len(text) - end)
    return found


def _ended(found: list[Piece], missing: int) -> list[Piece]:
    """Say at the end how much is missing."""
    said = f"{ELLIPSIS} ({missing} more characters)"
    if found and found[-1][1] == 0:
        return [*found[:-1], [found[-1][0] + said, 0]]
    return [*found, [said, 0]]


def as_text(value: object) -> str:
    """A value of any column as text: lists and mappings readably, nothing for a missing one.

    >>> as_text(["A", "B"]), as_text({"a": 1}), as_text(0.123456789), as_text(None)
    ('A; B', 'a: 1', '0.1235', '')
    """
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, dict):
        return "; ".join(f"{name}: {as_text(each)}" for name, each in value.items())
    if isinstance(value, list | tuple) or type(value).__name__ == "Series":
        return "; ".join(as_text(each) for each in value)  # type: ignore[attr-defined]
    return str(value)
