"""Put answers into a form in which equal answers are equal texts."""

import re
import string

_LATEX = re.compile(r"\\(?:boxed|text|mathrm|mathbf)\{([^{}]*)\}|\\[,!;: ]|\\left|\\right")
_FRACTION = re.compile(r"\\[dt]?frac\{([^{}]*)\}\{([^{}]*)\}")
_ARTICLES = re.compile(r"\b(?:a|an|the)\b")
_SPACES = re.compile(r"\s+")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}\b)")
_NUMBER = re.compile(r"([-+]?)(\d+(?:\.\d*)?|\.\d+)(?:e([-+]?\d{1,9}))?\s{0,9}(%?)", re.IGNORECASE)
LONG = 30  # zeros to write out, before or after the other digits of a number
_EDGES = string.punctuation.replace("-", "").replace("%", "").replace(".", "") + " \t\n"


def normalise(answer: str) -> str:
    r"""The usual form of an answer: equal answers become equal texts.

    LaTeX commands around numbers and words, articles, upper case, punctuation at the ends and
    extra spaces are removed. A number is written in one way. "The letter A." and "letter a" are
    then equal, and so are "1,000.0" and "1000", but "1/2" and "0.5" are not. An answer that is
    only an article, or only punctuation, stays as it is: "A" is often the name of an option.

    >>> [normalise(each) for each in ("The Letter a.", "1,000.0", r"\boxed{\frac{1}{2}}", "(A)")]
    ['letter', '1000', '1/2', 'a']
    """
    text = _FRACTION.sub(r"\1/\2", answer)
    while (plain := _LATEX.sub(r"\1", text)) != text:
        text = plain
    text = text.replace("$", "").strip(_EDGES).rstrip(".").lower()
    text = _THOUSANDS.sub("", text)
    if found := _NUMBER.fullmatch(text):
        return _number(*found.groups(default=""))
    shorter = _SPACES.sub(" ", _ARTICLES.sub(" ", text)).strip()
    return shorter or text or answer.strip()


def _number(sign: str, digits: str, exponent: str, percent: str) -> str:
    """A number in one way of writing, with all its digits; percentages stay percentages."""
    whole, _, part = digits.partition(".")
    power = int(exponent or 0) - len(part)
    shown = (whole + part).lstrip("0")
    power += len(shown) - len(shown.rstrip("0"))
    shown = shown.rstrip("0")
    if not shown:
        return "0" + percent
    if 0 <= power <= LONG:
        shown += "0" * power
    elif -LONG <= power < 0:
        shown = shown.rjust(1 - power, "0")
        shown = f"{shown[:power]}.{shown[power:]}"
    else:
        shown += f"e{power}"
    return ("-" if sign == "-" else "") + shown + percent
