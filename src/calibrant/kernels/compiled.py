"""Compilation with a cache on disk, where there is a place for one."""

from collections.abc import Callable
from typing import Any

from numba import njit


def compiled(**options: Any) -> Callable[[Any], Any]:  # noqa: ANN401 - numba's own options
    """Compile with numba; without a cache where neither the package nor a home can be written."""

    def decorate(function: Any) -> Any:  # noqa: ANN401
        try:
            return njit(cache=True, **options)(function)
        except RuntimeError:
            return njit(**options)(function)

    return decorate
