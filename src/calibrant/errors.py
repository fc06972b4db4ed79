"""Every error and warning that calibrant raises.

```
CalibrantError
├── InputError            the data break a rule: NaN, q outside [0, 1], y not 0 or 1, ...
│   └── FileError         the same, in a file: names the file, line, column and value
├── ParameterError        an invalid argument: size=0, level=95, both size and count
│   └── UnknownName       an unknown name; suggests the nearest known one
└── UnsupportedError      two things that do not work together: NormalSampling and Brier

CalibrantWarning          the result is correct, but something about it deserves attention
```

All errors are also `ValueError`s, so `except ValueError` catches them.
"""

import difflib
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_ON_COMMAND_LINE = ContextVar("_ON_COMMAND_LINE", default=False)
# control characters, bidirectional marks, line separators and lone surrogates
RENAMED = {"format": "from"}  # parameters whose command-line option has another name
QUOTES = "'\""
_UNSAFE = re.compile("[\\x00-\\x1f\\x7f-\\x9f\\u2028-\\u202e\\u2066-\\u2069\\ud800-\\udfff]")

ALIKE = 0.5  # minimum similarity of a suggestion: Briar finds Brier, zzzz finds nothing


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name most similar to this one, or None."""
    by_fold = {each.lower(): each for each in known}
    near = difflib.get_close_matches(name.lower(), list(by_fold), n=1, cutoff=ALIKE)
    return by_fold[near[0]] if near else None


@contextmanager
def command_line() -> Iterator[None]:
    """Make error messages name command-line options instead of Python arguments."""
    token = _ON_COMMAND_LINE.set(True)
    try:
        yield
    finally:
        _ON_COMMAND_LINE.reset(token)


def on_command_line() -> bool:
    """Whether a command is running, so messages name its options."""
    return _ON_COMMAND_LINE.get()


def option(name: str, value: str = "") -> str:
    """Spell a parameter as the reader of a message would set it.

    >>> option("level", "0.95"), option("interval", "None"), option("group", "False")
    ('level=0.95', 'interval=None', 'group=False')
    >>> with command_line():
    ...     option("level", "0.95"), option("interval", "None"), option("group", "False")
    ('--level 0.95', '--interval none', '--no-group')
    """
    if not on_command_line():
        return f"{name}={value}" if value else name
    word = RENAMED.get(name, name).replace("_", "-")
    if value in ("True", "False"):
        return f"--{word}" if value == "True" else f"--no-{word}"
    return f"--{word} {'none' if value == 'None' else value.strip(QUOTES)}".rstrip()


def printable(text: str) -> str:
    r"""Escape control characters, so no name or value can control the terminal.

    >>> printable("red \x1b[31m")
    'red \\x1b[31m'
    """
    return _UNSAFE.sub(lambda found: repr(found[0])[1:-1], text)


class CalibrantError(ValueError):
    """The base class of all errors that calibrant raises on purpose."""


class InputError(CalibrantError):
    """The data break a rule; the message names the index, the value and how many are bad."""


class FileError(InputError):
    """A file cannot be read; the message names the file, line, column and value."""


class ParameterError(CalibrantError):
    """An argument has an invalid value."""


class UnknownName(ParameterError):
    """An unknown name; the message suggests the nearest known one."""

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        known = sorted(known)
        near = nearest(name, known)
        hint = f" Did you mean {near}?" if near else ""
        super().__init__(f"There is no {kind} {name!r}.{hint} Known: {', '.join(known)}.")


class UnsupportedError(CalibrantError):
    """Two things that do not work together, such as NormalSampling and a score without bins."""


class CalibrantWarning(UserWarning):
    """The result is correct, but something about it deserves attention."""
