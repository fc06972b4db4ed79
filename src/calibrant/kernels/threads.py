"""The number of threads for kernels, and a persistent thread pool."""

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache


def workers() -> int:
    """The cores this process may run on, at most eight."""
    if hasattr(os, "sched_getaffinity"):
        return max(1, min(8, len(os.sched_getaffinity(0))))
    return max(1, min(8, os.cpu_count() or 1))


@lru_cache(1)
def waiting_threads() -> ThreadPoolExecutor:
    """A persistent thread pool, for frequent small tasks."""
    return ThreadPoolExecutor(workers(), thread_name_prefix="calibrant")


def at_once(work: Callable[..., None], *arguments: Iterable[int]) -> None:
    """Run `work` for each of the arguments in parallel; `work` must not call this itself."""
    list(waiting_threads().map(work, *arguments))


if hasattr(os, "register_at_fork"):  # a forked process has no threads of its parent
    os.register_at_fork(after_in_child=waiting_threads.cache_clear)
