"""Places where tags break the rules of their scheme of spans."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from calibrant.errors import UnknownName
from calibrant.structures.spans import OUTSIDE, READABLE, advice, split_tag

SYNONYMS = {"BIO": "IOB2"}
RULES = {
    "IOB2": "in IOB2, I-type must follow B-type or I-type of the same type",
    "IOB1": "in IOB1, B-type must follow B-type or I-type of the same type",
    "IO": "in IO, a tag must be O or I-type",
}
REMEDIES = {
    "IOB2": "repair=True, or repair_scheme(corpus), turns them into B-type.",
    "IOB1": 'If B-type begins every span, the scheme is "IOB2".',
    "IO": 'If B-type begins spans, the scheme is "IOB2"; convert_scheme(corpus, "IO") drops it.',
}


class Place(NamedTuple):
    """A tag that breaks a rule: the numbers of its sentence and word, from 0, and the tag."""

    sentence: int
    word: int
    tag: str

    def __str__(self) -> str:
        return f"sentence {self.sentence}, word {self.word}"


@dataclass(frozen=True)
class Fault:
    """A rule that is broken, where, and what to do about it."""

    places: tuple[Place, ...]
    text: str
    remedy: str
    mendable: bool = False


def scheme_named(scheme: str) -> str:
    """The scheme's first name: "IOB2" for "BIO"."""
    name = SYNONYMS.get(scheme, scheme)
    if name not in RULES:
        raise UnknownName("scheme of spans", str(scheme), (*RULES, *SYNONYMS))
    return name


def find_fault(tags: Sequence[Sequence[str]], scheme: str) -> Fault | None:
    """What is wrong with the tags, if anything is: tags of no scheme come before broken rules."""
    return find_unreadable(tags) or _find_broken(tags, scheme_named(scheme))


def find_unreadable(tags: Sequence[Sequence[str]]) -> Fault | None:
    """Tags that are none of spans, such as NN or E-PER."""
    places = tuple(
        Place(k, position, tag)
        for k, sentence in enumerate(tags)
        for position, tag in enumerate(sentence)
        if split_tag(tag) is None
    )
    if not places:
        return None
    return Fault(
        places,
        f"{READABLE}, but it is {places[0].tag!r} ({_share(places, tags)} are none).",
        advice(places[0].tag),
    )


def _find_broken(tags: Sequence[Sequence[str]], scheme: str) -> Fault | None:
    places = tuple(_broken_places(tags, scheme))
    if not places:
        return None
    sentence, word, tag = places[0]
    before = f"follows {tags[sentence][word - 1]}" if word else "begins a sentence"
    found = f"{tag} {before} ({_share(places, tags)} break the rule)"
    return Fault(places, f"{RULES[scheme]}, but {found}.", REMEDIES[scheme], scheme == "IOB2")


def _broken_places(tags: Sequence[Sequence[str]], scheme: str) -> Iterator[Place]:
    for k, sentence in enumerate(tags):
        before = ""
        for position, tag in enumerate(sentence):
            mark, kind = split_tag(tag) or (OUTSIDE, "")
            if mark == ("I" if scheme == "IOB2" else "B") and (kind != before or scheme == "IO"):
                yield Place(k, position, tag)
            before = kind


def _share(places: tuple[Place, ...], tags: Sequence[Sequence[str]]) -> str:
    return f"{len(places)} of {sum(map(len, tags))} tags"
