"""What a hidden Markov model takes a word for that it has hardly ever seen."""

import re
from collections.abc import Callable

NUMBER = re.compile(r"[+-]?[\d.,:/%-]*\d[\d.,:/%-]*\w{0,2}$")
ADDRESS = re.compile(r"(https?:|www\.|\S+@\S+\.\w+$)", re.IGNORECASE)
ENDING = 3  # letters of the ending that tell words apart


def one_class(word: str) -> str:
    """All of them are the same."""
    return "<rare>"


def by_shape(word: str) -> str:
    """By what the word looks like, and by its ending."""
    if ADDRESS.match(word):
        return "<address>"
    if word[:1] in ("@", "#") and len(word) > 1:
        return f"<{word[0]}>"
    if NUMBER.match(word):
        return "<number>"
    if not any(letter.isalnum() for letter in word):
        return "<sign>"
    case = "upper" if word.isupper() and len(word) > 1 else "Title" if word[0].isupper() else "low"
    other = "-" if "-" in word else "'" if "'" in word else "1" if _has_digit(word) else ""
    ending = word[-ENDING:].lower() if len(word) > ENDING else ""
    return f"<{case}{other} {ending}>"


def _has_digit(word: str) -> bool:
    return any(letter.isdigit() for letter in word)


RULES: dict[str, Callable[[str], str]] = {"one": one_class, "shape": by_shape}
