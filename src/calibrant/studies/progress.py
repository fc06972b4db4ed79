"""How a study says how far it is."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Protocol


class Track(Protocol):
    """Wraps a loop of known length to show its progress."""

    def __call__(self, items: Iterable[Any], total: int, what: str) -> Iterator[Any]:
        """Yield the items."""


def quietly(items: Iterable[Any], total: int, what: str) -> Iterator[Any]:
    """Yield the items and show nothing."""
    yield from items


Say = Callable[[str], None]
