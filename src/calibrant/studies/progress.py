"""Progress reports of a study."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Protocol


class Track(Protocol):
    """Wraps a loop of known length to show its progress."""

    def __call__(self, items: Iterable[Any], total: int, what: str, /) -> Iterator[Any]:
        """Yield the items."""


Say = Callable[[str], None]


def quietly(items: Iterable[Any], total: int, what: str) -> Iterator[Any]:
    """Yield the items and show nothing."""
    yield from items


def silently(text: str) -> None:
    """Say nothing."""


@dataclass(frozen=True)
class Progress:
    """How a study shows its progress (default: not at all).

    Attributes
    ----------
    track
        Wraps a loop.
    say
        Takes a line of text.
    """

    track: Track = quietly
    say: Say = silently

    def about(self, prefix: str) -> "Progress":
        """Add a prefix to every line.

        >>> Progress(say=print).about("tweets, ").say("3 passes")
        tweets, 3 passes
        """
        return replace(self, say=lambda text: self.say(prefix + text))


QUIET = Progress()
