"""How many threads the kernels use."""

import os


def workers() -> int:
    """The cores this process may run on, at most eight."""
    if hasattr(os, "sched_getaffinity"):
        return max(1, min(8, len(os.sched_getaffinity(0))))
    return max(1, min(8, os.cpu_count() or 1))
