"""Which column is which: named by the user, or guessed from names and contents."""

import math
from collections.abc import Callable, Mapping, Sequence
from enum import IntEnum
from fnmatch import fnmatchcase
from typing import Any, Literal, NamedTuple

from calibrant.errors import InputError, option
from calibrant.pairs import Pairs
from calibrant.tables.showing import shown

GUESSES: Mapping[
    str, Sequence[Sequence[str]]
] = {  # names in a tuple have equal rank; earlier tuples take precedence
    "y": (
        ("y",),
        (
            *("gold", "label", "target", "truth", "true", "y_true", "obs", "observed"),
            *("observation", "outcome", "resolution", "correct", "is_correct", "answer"),
            "prob1_outcome",
        ),
    ),
    "q": (
        ("q",),
        (
            *("prob", "probability", "proba", "p", "y_prob", "confidence", "conf", "prediction"),
            *("predicted", "pred", "score", "p_yes", "prob1"),
        ),
        ("*_probability",),
    ),
    "yes": (("yes",),),
    "draws": (("draws",), ("samples",)),
    "weight": (("weight",), ("weights",)),
    "group": (
        *(("group",), ("sent",), ("sentence",), ("sent_id",), ("sentence_id",)),
        *(("doc",), ("document",), ("doc_id",), ("document_id",)),
    ),
}
Given = Mapping[str, str | int | Literal[False] | None]  # False: no such column, do not guess
Look = Callable[[list[str]], Mapping[str, Sequence[object]]]  # the first values of some columns
GUESSED_BY_CONTENTS = ("y", "q")
REQUIRED = ("y", "q", "yes", "draws")
WANTED = {
    "y": "the observations (0 or 1)",
    "q": "the predicted probabilities",
    "yes": "the number of draws that said yes",
    "draws": "the number of draws",
}
SEEN = 1000  # rows to inspect when guessing: enough to tell text from numbers, and fast
LISTED = 40  # maximum number of column names in one message
TRUTHS = {"true": 1.0, "false": 0.0}
DIGITS = 15  # maximum length of a number of draws: such whole numbers are exact as floats


class Fit(IntEnum):
    """How well the contents of a column fit a role."""

    NOT = 0
    WEAK = 1  # predictions of only 0 and 1 are probably decisions
    WELL = 2


class Columns(NamedTuple):
    """The column of each role; None if there is no such column."""

    y: str
    q: str | None = None
    yes: str | None = None
    draws: str | int | None = None  # a number if it is the same for all rows
    weight: str | None = None
    group: str | None = None

    def roles(self) -> dict[str, str]:
        """The columns that exist, by role."""
        return {role: name for role, name in self._asdict().items() if isinstance(name, str)}

    def pairs(self, values: Mapping[str, Any]) -> Pairs:
        """The pairs of these columns."""
        if self.yes is None:
            return Pairs(**values)
        return Pairs.from_draws(**{"draws": self.draws, **values})

    def __str__(self) -> str:
        there = {role: name for role, name in self._asdict().items() if name is not None}
        return ", ".join(f"{role}={name}" for role, name in there.items())


class Chosen(NamedTuple):
    """The chosen columns, and why others were skipped."""

    columns: Columns
    skipped: Mapping[str, str]

    def __str__(self) -> str:
        reasons = "; ".join(f"skipped {name}, which {why}" for name, why in self.skipped.items())
        return f"{self.columns}" + (f" ({reasons})" if reasons else "")


def choose_columns(available: Sequence[str], given: Given, place: str, look: Look) -> Chosen:
    """Use the given column names and guess the others; errors list the columns.

    `look` returns the first values of columns. It is called only if several names are plausible.
    """
    predictions = ("yes", "draws") if _sampled(available, given) else ("q",)
    chooser = _Chooser(available, given, place, look)
    roles = ("y", *predictions, "weight", "group")
    found: dict[str, Any] = {role: chooser.choose(role) for role in roles}
    columns = Columns(**found)  # y is required, so it is there
    _refuse_twins(columns.roles(), available, place)
    return Chosen(columns, chooser.skipped)


def choose_prediction(available: Sequence[str], given: Given, place: str, look: Look) -> str:
    """The column of predictions of a table that need not have observations."""
    found = _Chooser(available, given, place, look).choose("q")
    _refuse_twins({"q": str(found)}, available, place)
    return str(found)


def named(role: str, available: Sequence[str], given: Given, place: str) -> str | None:
    """The column that the user names for a role, or whose name suggests it; None if none does."""
    name = given.get(role)
    if name is False:
        return None
    if name is None:
        return guessed(role, [each for each in available if each not in given.values()])
    if name not in available:
        raise InputError(
            f"{place} has no column {shown(name)} for {role}. "
            f"Its columns are: {', '.join(map(str, available[:LISTED]))}."
        )
    return str(name)


def _sampled(available: Sequence[str], given: Given) -> bool:
    """Whether predictions are counts of draws: named by the user, or the only ones found."""
    if given.get("yes") is not None or given.get("draws") is not None:
        if given.get("q") is not None:
            raise InputError(
                f"Use either {option('q')} or {option('yes')} with {option('draws')}, not both."
            )
        return True
    if given.get("q") is not None:
        return False
    there = {role: bool(_candidates(role, available)) for role in ("q", "yes", "draws")}
    return not there["q"] and there["yes"] and there["draws"]


def _refuse_twins(found: Mapping[str, str], available: Sequence[str], place: str) -> None:
    for role, name in found.items():
        if list(available).count(name) > 1:
            raise InputError(f"{place} has more than one column {name!r}: rename one of them.")
        twin = next((other for other in found if other != role and found[other] == name), None)
        if twin is not None:
            raise InputError(f"{place}: column {name!r} cannot be both {role} and {twin}.")


def _candidates(role: str, available: Sequence[str]) -> list[list[str]]:
    """List the columns whose names suggest a role, the most specific names first."""
    folded = {name: str(name).strip().lower() for name in available}
    tiers = [
        [
            name
            for pattern in patterns
            for name in dict.fromkeys(available)
            if fnmatchcase(folded[name], pattern)
        ]
        for patterns in GUESSES[role]
    ]
    return [tier for tier in tiers if tier]


def guessed(role: str, available: Sequence[str]) -> str | None:
    """The column whose name suggests a role; None if there is none.

    >>> guessed("group", ["y", "q", "Sentence"])
    'Sentence'
    """
    tiers = _candidates(role, available)
    return tiers[0][0] if tiers else None


class _Chooser:
    """Chooses a column for each role in turn."""

    def __init__(self, available: Sequence[str], given: Given, place: str, look: Look) -> None:
        self.available, self.given, self.place, self.look = available, given, place, look
        self.skipped: dict[str, str] = {}

    def choose(self, role: str) -> str | int | None:
        """The column of a role, or the number of draws."""
        given = self.given.get(role)
        if given is None:
            return self._guess(role)
        if given is False:
            if role in REQUIRED:
                raise InputError(f"{self.place}: {option(role)} must name a column.")
            return None
        if given in self.available:
            return given
        if role == "draws" and (number := _number(given)) is not None:
            return number
        raise InputError(
            f"{self.place} has no column {shown(given)} for {role}. "
            f"Its columns are: {self._listed()}."
        )

    def _listed(self) -> str:
        names = ", ".join(map(str, self.available[:LISTED]))
        return names + (", ..." if len(self.available) > LISTED else "")

    def _free(self) -> list[str]:
        """The columns that the user has not named for another role."""
        return [name for name in self.available if name not in self.given.values()]

    def _guess(self, role: str) -> str | None:
        tiers = _candidates(role, self._free()) or _candidates(role, self.available)
        if sum(map(len, tiers)) > 1 and role in GUESSED_BY_CONTENTS:
            return self._guess_by_contents(role, tiers)
        if tiers:
            return tiers[0][0]
        if role not in REQUIRED:
            return None
        raise self._untold(role, f"Its columns are: {self._listed()}.")

    def _guess_by_contents(self, role: str, tiers: list[list[str]]) -> str:
        """Choose among several columns the one whose contents fit the role."""
        reasons: dict[str, str] = {}
        for tier in tiers:
            seen = {name: _look(role, values) for name, values in self.look(tier).items()}
            best = max(fit for fit, _ in seen.values())
            fitting = [name for name in tier if seen[name][0] is best]
            if best is Fit.NOT or len(fitting) < len(tier):
                reasons |= {name: why for name, (fit, why) in seen.items() if fit < Fit.WELL}
            if best is not Fit.NOT:
                return self._only(role, fitting, reasons)
        told = "; column ".join(f"{name} {why}" for name, why in reasons.items())
        raise self._untold(role, f"Column {told}.")

    def _only(self, role: str, fitting: list[str], reasons: Mapping[str, str]) -> str:
        if len(fitting) > 1:
            names = f"{', '.join(fitting[:-1])} or {fitting[-1]}"
            raise self._untold(role, f"It could be {names}.")
        self.skipped |= {name: why for name, why in reasons.items() if name not in fitting}
        return fitting[0]

    def _untold(self, role: str, why: str) -> InputError:
        return InputError(
            f"{self.place}: cannot tell which column holds {WANTED[role]}. {why} "
            f"Name one with {option(role, 'COLUMN')}."
        )


def _number(given: str | int) -> int | None:
    """Parse a number of draws given in place of a column."""
    text = str(given)
    if not (text.isascii() and text.isdigit() and len(text) <= DIGITS):
        return None
    if int(text) < 2:
        raise InputError(f"{option('draws')} must be at least 2, but it is {int(text)}.")
    return int(text)


def _look(role: str, values: Sequence[object]) -> tuple[Fit, str]:
    """Rate how well the values fit a role, and describe them if they do not."""
    there = [value for value in values if not _missing(value)]
    numbers = [as_number(value, truths=role == "y") for value in there]
    good = [number in (0, 1) if role == "y" else 0 <= number <= 1 for number in numbers]
    if not there:
        return Fit.NOT, "is empty"
    if 2 * sum(good) <= len(there):
        return Fit.NOT, f"holds {shown(there[good.index(False)])}"
    if role == "q" and all(number in (0, 1) for number in numbers):
        return Fit.WEAK, "holds only 0 and 1"
    return Fit.WELL, ""


def _missing(value: object) -> bool:
    return value is None or value == "" or (isinstance(value, float) and math.isnan(value))


def as_number(value: object, truths: bool = False) -> float:
    """Convert a value to a number, or NaN if that is impossible.

    With `truths`, the words true and false become 1 and 0.

    >>> as_number("0.25"), as_number(" True ", truths=True), as_number("Paris")
    (0.25, 1.0, nan)
    """
    text = str(value).strip().lower()
    if truths and text in TRUTHS:
        return TRUTHS[text]
    try:
        return float(text)
    except ValueError:
        return math.nan
