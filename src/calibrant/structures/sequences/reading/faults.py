"""Find tags that break the rules of their span scheme."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from calibrant.errors import UnknownName, on_command_line
from calibrant.structures.spans import OUTSIDE, READABLE, advice, split_tag

Tags = Sequence[Sequence[str]]
SYNONYMS = {"BIO": "IOB2", "IOBES": "BIOES", "BILOU": "BILUO"}
LETTERS = {"IOB2": "BI", "IOB1": "BI", "IO": "I", "BIOES": "BIES", "BILUO": "BILU"}
RULES = {
    "IOB2": "in IOB2, I-type must follow B-type or I-type of the same type",
    "IOB1": "in IOB1, B-type must follow B-type or I-type of the same type",
    "BIOES": "in BIOES, a span must be S-type alone, or B-type, any number of I-type, and E-type",
    "BILUO": "in BILUO, a span must be U-type alone, or B-type, any number of I-type, and L-type",
}
ANY = 'convert_scheme(corpus, "{scheme}") rewrites every span in {scheme}.'
REMEDIES = {
    "IOB1": 'If B-type begins every span, the scheme is "IOB2".',
    "BIOES": ANY.format(scheme="BIOES"),
    "BILUO": ANY.format(scheme="BILUO"),
}
COMMANDS = {  # the same on the command line, which converts nothing
    "IOB1": "If B-type begins every span, the scheme is --scheme IOB2.",
    "BIOES": "If B-type begins every span and I-type goes on, the scheme is --scheme IOB2.",
    "BILUO": "If B-type begins every span and I-type goes on, the scheme is --scheme IOB2.",
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
    """A broken rule: where it is broken, and what to do about it."""

    places: tuple[Place, ...]
    text: str
    remedy: str
    mendable: bool = False


def scheme_named(scheme: str) -> str:
    """The main name of a scheme: "IOB2" for "BIO"."""
    name = SYNONYMS.get(scheme, scheme)
    if name not in LETTERS:
        raise UnknownName("scheme of spans", str(scheme), (*LETTERS, *SYNONYMS))
    return name


def find_fault(tags: Tags, scheme: str) -> Fault | None:
    """Find what is wrong with the tags: unreadable tags, foreign letters, or broken rules."""
    name = scheme_named(scheme)
    return find_unreadable(tags) or _find_foreign(tags, name) or _find_broken(tags, name)


def find_unreadable(tags: Tags) -> Fault | None:
    """Find tags that do not encode spans, such as NN."""
    places = tuple(each for each in _places(tags) if split_tag(each.tag) is None)
    if not places:
        return None
    found = (
        f"{READABLE}, but it is {places[0].tag!r} ({_share(places, tags, 'is not', 'are not')})."
    )
    return Fault(places, found, advice(places[0].tag))


def _find_foreign(tags: Tags, scheme: str) -> Fault | None:
    """Find tags whose letters do not belong to this scheme."""
    letters = LETTERS[scheme]
    places = tuple(
        each for each in _places(tags) if each.tag != OUTSIDE and each.tag[0] not in letters
    )
    if not places:
        return None
    allowed = [OUTSIDE, *(f"{letter}-type" for letter in letters)]
    listed = f"{', '.join(allowed[:-1])} or {allowed[-1]}"
    other = next(each for each in ("IOB2", "BIOES", "BILUO") if places[0].tag[0] in LETTERS[each])
    return Fault(
        places,
        f"in {scheme}, a tag must be {listed}, but it is {places[0].tag!r} "
        f"({_share(places, tags, 'is not', 'are not')}).",
        f"If the scheme is {other}, give --scheme {other}."
        if on_command_line()
        else f'If the scheme is "{other}", say so; {ANY.format(scheme=scheme)}',
    )


def _find_broken(tags: Tags, scheme: str) -> Fault | None:
    places = tuple(_broken_places(tags, scheme))
    if not places:
        return None
    share = _share(places, tags, "breaks the rule", "break the rule")
    found = f"{_described(tags, places[0], scheme)} ({share})"
    return Fault(places, f"{RULES[scheme]}, but {found}.", _remedy(scheme), scheme == "IOB2")


def _broken_places(tags: Tags, scheme: str) -> Iterator[Place]:
    for place in _places(tags):
        follows, continued = _neighbours(tags, place)
        mark, _ = split_tag(place.tag) or (OUTSIDE, "")
        if scheme in ("IOB2", "IOB1"):
            broken = mark == ("I" if scheme == "IOB2" else "B") and not follows
        else:
            broken = (mark in "IE" and not follows) or (mark in "BI" and not continued)
        if broken and scheme != "IO":
            yield place


def _neighbours(tags: Tags, place: Place) -> tuple[bool, bool]:
    """Whether B or I of the same type comes before a tag, and I or E of that type after it."""
    sentence, kind = tags[place.sentence], place.tag[1:]
    before = sentence[place.word - 1] if place.word else OUTSIDE
    after = sentence[place.word + 1] if place.word + 1 < len(sentence) else OUTSIDE
    return before in (f"B{kind}", f"I{kind}"), after in (f"I{kind}", f"E{kind}", f"L{kind}")


def _described(tags: Tags, place: Place, scheme: str) -> str:
    """Describe the tag that breaks a rule, with the neighbour that shows it."""
    sentence = tags[place.sentence]
    follows, _ = _neighbours(tags, place)
    if scheme in ("BIOES", "BILUO") and (follows or place.tag[0] == "B"):
        last = place.word + 1 == len(sentence)
        after = "ends a sentence" if last else f"is followed by {sentence[place.word + 1]}"
        return f"{place.tag} {after}"
    before = f"follows {sentence[place.word - 1]}" if place.word else "begins a sentence"
    return f"{place.tag} {before}"


def _places(tags: Tags) -> Iterator[Place]:
    for k, sentence in enumerate(tags):
        for position, tag in enumerate(sentence):
            yield Place(k, position, tag)


def _share(places: tuple[Place, ...], tags: Tags, one: str, many: str) -> str:
    """How many tags there are at these places, with the verb for one or for many."""
    return f"{len(places)} of {sum(map(len, tags))} tags {one if len(places) == 1 else many}"


def _remedy(scheme: str) -> str:
    if scheme != "IOB2":
        return COMMANDS[scheme] if on_command_line() else REMEDIES[scheme]
    how = "--repair" if on_command_line() else "repair=True, or repair_scheme(corpus),"
    return f"{how} turns them into B-type."
