"""Compilation with a cache on disk, where there is a place for one."""

from collections.abc import Callable
from contextlib import suppress
from typing import Any

from numba import njit
from numba.core.caching import FunctionCache


class SturdyCache(FunctionCache):
    """A cache whose damaged files are replaced, and which a full disk does not stop.

    A process that is killed while it writes, or a disk that is full, leaves files that cannot be
    read. What is raised then depends on where they end, so nothing is distinguished: the function
    is compiled afresh.
    """

    def load_overload(self, *arguments: Any) -> Any:  # noqa: ANN401 - numba's own
        """What the cache holds; None where it holds nothing that can be read."""
        try:
            return super().load_overload(*arguments)
        except Exception:
            self._forget()
            return None

    def save_overload(self, *arguments: Any) -> None:  # noqa: ANN401
        """Keep what was compiled, if that is possible."""
        try:
            super().save_overload(*arguments)
        except Exception:
            self._forget()

    def _forget(self) -> None:
        """Begin an empty cache for this function; do without one where that fails too."""
        try:
            self.flush()
        except OSError:
            self.disable()


def compiled(**options: Any) -> Callable[[Any], Any]:  # noqa: ANN401 - numba's own options
    """Compile with numba; without a cache where neither the package nor a home can be written."""

    def decorate(function: Any) -> Any:  # noqa: ANN401
        dispatcher = njit(**options)(function)
        with suppress(RuntimeError):  # there is no place for a cache
            dispatcher._cache = SturdyCache(function)
        return dispatcher

    return decorate
