"""Classes of rare and unknown words."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

NUMBER = re.compile(r"[+-]?[\d.,:/%-]*\d[\d.,:/%-]*\w{0,2}$")
ADDRESS = re.compile(r"(https?:|www\.|\S+@\S+\.\w+$)", re.IGNORECASE)
ENDING = 3  # letters: long enough for -ing and -ion, short enough to be seen often


@dataclass(frozen=True, order=True, slots=True)
class WordClass:
    """A class of words, which never equals any word of a corpus.

    >>> WordClass("<number>") == "<number>"
    False
    """

    name: str

    def __str__(self) -> str:
        return self.name


Entry = str | WordClass  # the unit that a model counts: a word, or a class of rare words
OTHER = WordClass("<other>")  # for words whose class was not seen either


def one_class(word: str) -> WordClass:
    """One class for all words."""
    return WordClass("<rare>")


def by_shape(word: str) -> WordClass:
    """The class of a word by its shape and its ending.

    >>> print(by_shape("3.5"), by_shape("Running"))
    <number> <Title ing>
    """
    return WordClass(f"<{_shape(word)}>")


def _shape(word: str) -> str:
    if ADDRESS.match(word):
        return "address"
    if word[:1] in ("@", "#") and len(word) > 1:
        return word[0]
    if NUMBER.match(word):
        return "number"
    if not any(letter.isalnum() for letter in word):
        return "sign"
    ending = word[-ENDING:].lower() if len(word) > ENDING else ""
    return f"{_case(word)}{_inner_sign(word)} {ending}"


def _case(word: str) -> str:
    if word.isupper() and len(word) > 1:
        return "upper"
    return "Title" if word[0].isupper() else "low"


def _inner_sign(word: str) -> str:
    """The first of hyphen, apostrophe and digit (as 1) that the word contains, if any."""
    if "-" in word:
        return "-"
    if "'" in word:
        return "'"
    return "1" if any(letter.isdigit() for letter in word) else ""


RULES: dict[str, Callable[[str], WordClass]] = {"one": one_class, "shape": by_shape}


def look_up(word: str, known: Mapping[Entry, object], rule: str) -> Entry:
    """Return the word if it is known, else its class, else the class of all others."""
    if word in known:
        return word
    found = RULES[rule](word)
    return found if found in known else OTHER
