"""Run work in parts, by threads."""

from collections.abc import Callable

from calibrant.kernels.threads import at_once


def in_parts(work: Callable[[int], None], parts: int) -> None:
    """Run `work` for every part; a single part needs no thread."""
    if parts == 1:
        work(0)
    else:
        at_once(work, range(parts))
