"""Format values of tables for messages."""

import reprlib

_SHORT = reprlib.Repr()
_SHORT.maxstring = _SHORT.maxlong = _SHORT.maxother = 60  # characters: a message stays one line


def shown(value: object) -> str:
    """Format a value as Python code, shortened in the middle if it is long.

    >>> shown("Paris"), shown([0.5])
    ("'Paris'", '[0.5]')
    """
    return _SHORT.repr(value)
