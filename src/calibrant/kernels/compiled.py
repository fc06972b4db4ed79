"""Compile functions with numba, with a cache on disk if possible."""

from collections.abc import Callable
from contextlib import suppress
from typing import Any

from numba import njit
from numba.core.caching import FunctionCache


class SturdyCache(FunctionCache):
    """A cache that replaces damaged files and tolerates a full disk.

    A process killed while it writes, or a full disk, leaves unreadable files. The errors they cause
    depend on where the files end, so any error leads to recompilation.
    """

    def load_overload(self, *arguments: Any) -> Any:  # noqa: ANN401 - as in numba
        """Load from the cache; None if there is nothing readable."""
        try:
            return super().load_overload(*arguments)
        except Exception:
            self._forget()
            return None

    def save_overload(self, *arguments: Any) -> None:  # noqa: ANN401
        """Save to the cache, if possible."""
        try:
            super().save_overload(*arguments)
        except Exception:
            self._forget()

    def _forget(self) -> None:
        """Reset the cache of this function; disable it if that fails too."""
        try:
            self.flush()
        except OSError:
            self.disable()


def compiled(**options: Any) -> Callable[[Any], Any]:  # noqa: ANN401 - options of numba
    """Compile with numba; cache the result if the package or home folder is writable."""

    def decorate(function: Any) -> Any:  # noqa: ANN401
        dispatcher = njit(**options)(function)
        with suppress(RuntimeError):  # no writable place for a cache
            dispatcher._cache = SturdyCache(function)
        return dispatcher

    return decorate
