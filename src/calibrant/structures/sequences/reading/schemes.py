"""Span schemes: check, repair and convert the tags of a corpus."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from calibrant.errors import InputError
from calibrant.structures.sequences.reading.corpus import Corpus
from calibrant.structures.sequences.reading.faults import (
    Fault,
    Place,
    find_fault,
    find_unreadable,
    scheme_named,
)
from calibrant.structures.spans import OUTSIDE, Span, spans

SHOWN = 3  # maximum number of places to name in a message
ENDS = {"BIOES": ("E", "S"), "BILUO": ("L", "U")}  # letters for last words and single words


def check_scheme(corpus: Corpus, scheme: str = "IOB2") -> None:
    """Refuse a corpus whose tags break the rules of a scheme.

    Parameters
    ----------
    corpus
        The corpus.
    scheme
        "IOB2", also called "BIO": B-T begins every span and I-T continues it. "IOB1": I-T begins
        spans too, and B-T only those that directly follow a span of the same type. "IO": only O
        and I-T. "BIOES" (or "IOBES"): E-T ends every span, and S-T is a span of one word.
        "BILUO" (or "BILOU"): the same with L and U for E and S.

    Examples
    --------
    >>> corpus = Corpus(words=(("Ada", "Lovelace"),), tags=(("O", "I-PER"),))
    >>> check_scheme(corpus)
    Traceback (most recent call last):
    ...
    calibrant.errors.InputError: Sentence 0, word 1 (from 0): in IOB2, I-type must follow B-type
    or I-type of the same type, but I-PER follows O (1 of 2 tags breaks the rule). repair=True, or
    repair_scheme(corpus), turns them into B-type.
    >>> check_scheme(corpus, "IO")
    """
    _refuse(corpus, find_fault(corpus.tags, scheme))


@dataclass(frozen=True, slots=True)
class Repairs:
    """The places where I-type became B-type; its length is their number."""

    places: tuple[Place, ...]

    def __len__(self) -> int:
        return len(self.places)

    def __str__(self) -> str:
        return self.describe(str) + (" Counted from 0." if self.places else "")

    def describe(self, where: Callable[[Place], str]) -> str:
        """Describe how many tags changed, and the first places, as named by `where`."""
        if not self.places:
            return "Nothing had to be repaired."
        many = "1 I- tag" if len(self) == 1 else f"{len(self)} I- tags"
        shown = [f"{where(place)} ({place.tag})" for place in self.places[:SHOWN]]
        more = [f"{len(self) - SHOWN} more"] if len(self) > SHOWN else []
        return f"{many} that continued nothing became B-: {'; '.join([*shown, *more])}."


def repair_scheme(corpus: Corpus) -> tuple[Corpus, Repairs]:
    """Turn every I-T that does not continue a span into B-T, so the corpus follows IOB2.

    The spans, as conlleval reads them, do not change.

    Examples
    --------
    >>> corpus = Corpus(words=(("Ada", "Lovelace"),), tags=(("I-PER", "I-PER"),))
    >>> mended, repairs = repair_scheme(corpus)
    >>> mended.tags
    (('B-PER', 'I-PER'),)
    >>> print(repairs)
    1 I- tag that continued nothing became B-: sentence 0, word 0 (I-PER). Counted from 0.
    """
    fault = find_fault(corpus.tags, "IOB2")
    if fault is None:
        return corpus, Repairs(())
    if not fault.mendable:
        _refuse(corpus, fault)
    tags = [list(sentence) for sentence in corpus.tags]
    for place in fault.places:
        tags[place.sentence][place.word] = "B" + place.tag[1:]
    return replace(corpus, tags=tuple(map(tuple, tags))), Repairs(fault.places)


def convert_scheme(corpus: Corpus, scheme: str) -> Corpus:
    """Write the spans of a corpus in "IOB2" (or "BIO"), "IOB1", "IO", "BIOES" or "BILUO".

    IO cannot separate two adjacent spans of the same type: they become one span.

    Examples
    --------
    >>> corpus = Corpus(words=(("Ada", "Lovelace"),), tags=(("I-PER", "I-PER"),))
    >>> convert_scheme(corpus, "IOB2").tags
    (('B-PER', 'I-PER'),)
    >>> convert_scheme(corpus, "BIOES").tags
    (('B-PER', 'E-PER'),)
    """
    name = scheme_named(scheme)
    _refuse(corpus, find_unreadable(corpus.tags))
    tags = tuple(_written(spans(each), len(each), name) for each in corpus.tags)
    return replace(corpus, tags=tags)


def _written(found: list[Span], length: int, scheme: str) -> tuple[str, ...]:
    tags = [OUTSIDE] * length
    before = Span(0, -1, "")
    for span in found:
        tags[span.begin : span.end] = [f"I-{span.type}"] * (span.end - span.begin)
        touches = (before.end, before.type) == (span.begin, span.type)
        if scheme not in ("IOB1", "IO") or (scheme == "IOB1" and touches):
            tags[span.begin] = f"B-{span.type}"
        if scheme in ENDS:
            last, single = ENDS[scheme]
            mark = single if span.end - span.begin == 1 else last
            tags[span.end - 1] = f"{mark}-{span.type}"
        before = span
    return tuple(tags)


def _refuse(corpus: Corpus, fault: Fault | None) -> None:
    if fault is not None:
        name = f"{corpus.name}, s" if corpus.name else "S"
        place = f"{name}{str(fault.places[0])[1:]} (from 0)"
        raise InputError(f"{place}: {fault.text} {fault.remedy}")
