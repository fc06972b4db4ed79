"""Check arguments that are lists of things, before anything is done with their items."""

from collections.abc import Iterable, Mapping
from typing import Any

from calibrant.errors import InputError

SHOWN = 60  # characters of a value that messages show, so that they stay on one line


def listed_items(values: object, name: str, what: str) -> list[Any]:
    """The items of a list, an array or another sequence; refuse None, text and single values."""
    if isinstance(values, Iterable) and not isinstance(values, str | bytes | Mapping):
        try:
            return list(values)
        except TypeError:  # an array without dimensions
            pass
    raise InputError(f"{name} must be a list of {what}, but it is {described(values)}.")


def described(value: object) -> str:
    """Describe any value within one line.

    >>> described(None), described("a"), described(0.5), described({"a": 1})
    ('None', "'a'", '0.5', 'a dict')
    """
    if value is None or isinstance(value, str | bytes | int | float):
        try:
            text = repr(value)
        except ValueError:  # Python refuses to print integers of thousands of digits
            return "a very large number"
        return text if len(text) <= SHOWN else f"{text[:SHOWN]}..."
    kind = type(value).__name__
    return f"{'an' if kind[0] in 'aeiouAEIOU' else 'a'} {kind}"
