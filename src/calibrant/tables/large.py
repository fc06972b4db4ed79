"""Whether files are too many or too large to be loaded into memory."""

import os
from pathlib import Path

from calibrant.tables.scanning.parts import is_pattern, streamed_format

SHARE = 8  # a file larger than memory / SHARE is summarised: loaded, it may need all of it


def why_summarised(file: str, *more: str) -> str | None:
    """Why these files are summarised rather than loaded; None if they are loaded."""
    if more:
        return f"{1 + len(more)} files"
    if is_pattern(file):
        return f"{file} stands for many files"
    memory = memory_size()
    if memory is None or not Path(file).is_file() or not streamed_format(file):
        return None
    size = Path(file).stat().st_size
    if size <= memory / SHARE:
        return None
    return (
        f"{file} has {size / 1e9:.1f} GB, more than an eighth of the memory ({memory / 1e9:.0f} GB)"
    )


def memory_size() -> int | None:
    """The bytes of memory of this machine; None if they are not known."""
    names = ("SC_PAGE_SIZE", "SC_PHYS_PAGES")
    if not all(name in getattr(os, "sysconf_names", {}) for name in names):
        return None
    return os.sysconf(names[0]) * os.sysconf(names[1])
