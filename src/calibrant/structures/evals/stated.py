"""Confidences that a model states in words: numbers, percentages and phrases."""

import re
from collections.abc import Mapping
from math import isfinite

# Kent (1964, "Words of estimative probability") set the values of almost certain(ly), probable,
# about even, probably not and almost certainly not; the others are placed between them. Readers
# differ, so a table of your own can replace this one.
PHRASES: Mapping[str, float] = {
    "certain": 0.99,
    "almost certain": 0.93,
    "almost certainly": 0.93,
    "highly likely": 0.90,
    "very likely": 0.90,
    "likely": 0.75,
    "probable": 0.75,
    "probably": 0.75,
    "about even": 0.50,
    "maybe": 0.50,
    "possibly": 0.50,
    "probably not": 0.30,
    "unlikely": 0.25,
    "very unlikely": 0.10,
    "highly unlikely": 0.10,
    "almost certainly not": 0.07,
    "impossible": 0.01,
}
_NUMBER = r"(\d+(?:\.\d+)?(?:e[-+]?\d+)?|\.\d+)"
_UNIT = r"\s*(%|/\s*100?\b)?"
# "0,9", "0.9.5", "1/5", "1 in 10" and "80-90 %" are not numbers that could be read
_END = r"(?!\d|[.,]\d|\s*(?:/|[-–]\s*\d|(?:of|in|out|to)\b))"
_LABELLED = re.compile(
    r"(?:confidence|probability|certainty|sure)\b(?:\s{0,3}\([^()\n]{0,20}\))?"
    r"[^\d%.\n]{0,30}?(?<![-−+])" + _NUMBER + r"(?!\d|[.,]\d)" + _UNIT + _END,
    re.IGNORECASE,
)
_BARE = re.compile(_NUMBER + _UNIT, re.IGNORECASE)


def stated_confidence(
    text: object, phrases: Mapping[str, float] = PHRASES, *, alone: bool = False
) -> float | None:
    """The confidence that a text states, between 0 and 1; None if it states none.

    A number after "confidence", "probability", "certainty" or "sure" counts; of several, the last.
    "85 %", "85/100" and "0.85" are 0.85, "8/10" is 0.8. A number above 1 without a sign is not
    guessed to be a percentage, and a number outside the range is not a confidence. Without a
    number, the longest phrase of the table counts. With `alone`, the whole text is the confidence
    (a field of its own), so a bare number or phrase is enough.

    >>> [stated_confidence(t) for t in ("Confidence: 85%", "I am 0.9 sure", "sure: 7/10", "42")]
    [0.85, None, 0.7, None]
    >>> stated_confidence("0.9", alone=True), stated_confidence("very likely", alone=True)
    (0.9, 0.9)
    """
    if isinstance(text, int | float) and not isinstance(text, bool):
        return _within(float(text))
    if not isinstance(text, str):
        return None
    if alone:
        whole = _BARE.fullmatch(text.strip())
        if whole:
            return _value(whole[1], whole[2])
        return phrases.get(" ".join(text.lower().strip(" .!").split()))
    found = _LABELLED.findall(text)
    return _value(*found[-1]) if found else None


def _value(number: str, unit: str | None) -> float | None:
    scale = {"": 1.0, "%": 100.0, "/10": 10.0, "/100": 100.0}
    return _within(float(number) / scale["".join((unit or "").split())])


def _within(value: float) -> float | None:
    return value if isfinite(value) and 0 <= value <= 1 else None
