"""Features of words and their neighbours, for conditional random fields."""

import itertools
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from calibrant.checks.parameters import whole_number
from calibrant.errors import InputError, ParameterError, UnknownName

Words = Sequence[Sequence[str]]
Custom = Callable[[Sequence[str], int], Iterable[str]]
Item = TypeVar("Item", bound=Hashable)


def word(text: str, affix: int) -> list[str]:
    """The word itself."""
    return [f"word={text}"]


def lower(text: str, affix: int) -> list[str]:
    """The word in lower case."""
    return [f"lower={text.lower()}"]


def shape(text: str, affix: int) -> list[str]:
    """Its pattern of upper case, lower case, digits and punctuation; runs count once."""
    kinds = (_kind(letter) for letter in text)
    return ["shape=" + "".join(kind for kind, _ in itertools.groupby(kinds))]


def length(text: str, affix: int) -> list[str]:
    """Its number of letters."""
    return [f"length={len(text)}"]


def prefix(text: str, affix: int) -> list[str]:
    """Its prefixes of 1 to `affix` letters, in lower case."""
    small = text.lower()
    return [f"prefix={small[:k]}" for k in range(1, min(affix, len(small)) + 1)]


def suffix(text: str, affix: int) -> list[str]:
    """Its suffixes of 1 to `affix` letters, in lower case."""
    small = text.lower()
    return [f"suffix={small[-k:]}" for k in range(1, min(affix, len(small)) + 1)]


def _kind(letter: str) -> str:
    if letter.isupper():
        return "X"
    if letter.isalpha():
        return "x"
    return "d" if letter.isdigit() else letter


OF_A_WORD = {each.__name__: each for each in (word, lower, shape, length, prefix, suffix)}
FAMILIES = ("word", "lower", "context", "shape", "length", "prefix", "suffix")


class Column(NamedTuple):
    """One kind of bundle for every word: its number, and the attributes of each number."""

    of_word: NDArray[np.int64]
    attributes: list[list[str]]


@dataclass(frozen=True)
class Features:
    """Families of features; each is conjoined with the tag.

    Parameters
    ----------
    families
        Any of "word", "lower" (the word in lower case), "context" (the words around it, in lower
        case, and the edges of the sentence), "shape" (Xx, d-x, ...), "length", "prefix" and
        "suffix" (in lower case).
    reach
        The number of context words on either side.
    affix
        The length of the longest prefix and suffix.
    custom
        A function for custom features: it takes the words of a sentence and a position, and
        returns a list of strings.

    Examples
    --------
    >>> import calibrant as cb
    >>> cb.models.Features(("word", "shape")).of_sentence(["On", "2nd"])
    [['word=On', 'shape=Xx'], ['word=2nd', 'shape=dx']]
    >>> cb.models.Advanced().without("prefix", "suffix").families
    ('word', 'lower', 'context', 'shape', 'length')
    """

    families: tuple[str, ...]
    reach: int = 2
    affix: int = 4
    custom: Custom | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if isinstance(self.families, str):
            raise ParameterError(f"families must be a tuple of names, not {self.families!r}.")
        for family in self.families:
            if family not in FAMILIES:
                raise UnknownName("family of features", str(family), FAMILIES)
        if not self.families and self.custom is None:
            raise ParameterError("There must be at least one family of features, or custom.")
        object.__setattr__(self, "families", tuple(f for f in FAMILIES if f in self.families))
        for name in ("reach", "affix"):
            object.__setattr__(self, name, whole_number(name, getattr(self, name), 1))
        if self.custom is not None and not callable(self.custom):
            raise ParameterError(f"custom must be a function, but it is {self.custom!r}.")

    def without(self, *families: str) -> "Features":
        """A copy without these families."""
        for family in families:
            if family not in self.families:
                raise UnknownName("family of these features", str(family), self.families)
        return replace(self, families=tuple(f for f in self.families if f not in families))

    def plus(self, *families: str) -> "Features":
        """A copy with these families added."""
        return replace(self, families=(*self.families, *families))

    def told(self) -> dict[str, Any]:
        """All settings for saving; of a custom function, only the name is saved."""
        function = self.custom
        name = None if function is None else str(getattr(function, "__name__", "custom"))
        return {"families": self.families, "reach": self.reach, "affix": self.affix, "custom": name}

    def of_sentence(self, words: Sequence[str]) -> list[list[str]]:
        """The attributes of every word of a sentence, as strings."""
        columns = self.columns([words])
        return [
            [each for column in columns for each in column.attributes[column.of_word[t]]]
            for t in range(len(words))
        ]

    def columns(self, sentences: Words) -> list[Column]:
        """The attributes of all words, computed once for each distinct word."""
        flat = [word for sentence in sentences for word in sentence]
        found: list[Column] = []
        makers = [OF_A_WORD[family] for family in self.families if family in OF_A_WORD]
        if makers:
            codes, types = _numbered(flat)
            made = [[a for make in makers for a in make(w, self.affix)] for w in types]
            found.append(Column(codes, made))
        if "context" in self.families:
            found += self._context(flat, [len(sentence) for sentence in sentences])
        if self.custom is not None:
            codes, bags = _numbered(_custom(self.custom, sentences))
            found.append(Column(codes, [list(bag) for bag in bags]))
        return found

    def _context(self, flat: list[str], lengths: list[int]) -> list[Column]:
        codes, types = _numbered([word.lower() for word in flat])
        sentence = np.repeat(np.arange(len(lengths)), lengths)
        places = np.arange(codes.size)
        steps = [step for step in range(-self.reach, self.reach + 1) if step]
        columns = []
        for step in steps:
            there = places + step
            inside = (there >= 0) & (there < codes.size)
            there = there.clip(0, max(codes.size - 1, 0))
            inside &= sentence[there] == sentence
            around = np.where(inside, codes[there], len(types))
            made = [[f"{step:+d}={word}"] for word in types] + [[f"{step:+d} edge"]]
            columns.append(Column(around, made))
        return columns


def Basic() -> Features:
    """The word alone: the basic features of the thesis."""
    return Features(("word",))


def Advanced() -> Features:
    """All families: the word, the words around it, shape, length, prefixes and suffixes."""
    return Features(FAMILIES)


def _numbered(items: Sequence[Item]) -> tuple[NDArray[np.int64], list[Item]]:
    """Number items in the order of first occurrence; return the numbers and distinct items."""
    number: dict[Item, int] = {}
    codes = [number.setdefault(item, len(number)) for item in items]
    return np.array(codes, np.int64), list(number)


def _custom(function: Custom, sentences: Words) -> list[tuple[str, ...]]:
    bags = []
    for k, sentence in enumerate(sentences):
        for t in range(len(sentence)):
            found = function(sentence, t)
            listed = isinstance(found, Iterable) and not isinstance(found, str)
            bag = list(found) if listed else []
            if not listed or not all(isinstance(each, str) for each in bag):
                raise InputError(
                    f"custom must give strings, a list of them for each word, but for word {t} of "
                    f"sentence {k} it gave {bag if listed else found!r}."
                )
            bags.append(tuple(f"custom={each}" for each in bag))
    return bags
