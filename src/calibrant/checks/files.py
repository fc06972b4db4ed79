"""Writing files so that an interrupted run leaves nothing half-written."""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from enum import Enum
from pathlib import Path

from calibrant.checks.folders import (
    default_mode,
    read_folder,
    replacing_folder,
    reworded,
    temporary_name,
    unwritable,
)

__all__ = ["check_writable", "read_folder", "replacing", "replacing_folder", "write_text"]


@contextmanager
def replacing(path: str | Path) -> Iterator[Path]:
    """A temporary name beside `path`, renamed to it when the block ends without error.

    A symbolic link is followed, and the permissions of an existing file are kept. Devices and
    pipes such as /dev/stdout are written directly. An error or Ctrl-C leaves `path` as it was.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with replacing(Path(folder) / "note.txt") as temporary:
    ...         _ = temporary.write_text("done")
    ...     (Path(folder) / "note.txt").read_text()
    'done'
    """
    target = Path(os.path.realpath(path))
    if _kind(target) is Kind.DEVICE:
        with reworded(path, target):
            yield target
        return
    temporary = target.with_name(temporary_name(target))
    with reworded(path):
        target.parent.mkdir(parents=True, exist_ok=True)
    try:
        with reworded(path, temporary):
            temporary.touch(exist_ok=False)
            yield temporary
            temporary.chmod(_mode(target))
            temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)


def _mode(target: Path) -> int:
    there = _kind(target) is Kind.FILE
    return stat.S_IMODE(target.stat().st_mode) if there else default_mode(0o666)


class Kind(Enum):
    """What stands under a name."""

    NOTHING = "nothing"
    FILE = "a file"
    FOLDER = "a folder"
    DEVICE = "a device or a pipe"


def _kind(path: Path) -> Kind:
    try:
        mode = path.stat().st_mode
    except OSError:
        return Kind.NOTHING
    if stat.S_ISDIR(mode):
        return Kind.FOLDER
    return Kind.FILE if stat.S_ISREG(mode) else Kind.DEVICE


def check_writable(path: str | Path) -> None:
    """Refuse a name that cannot be written, before long work is done for it."""
    path = Path(path)
    target = Path(os.path.realpath(path))
    kind = _kind(target)
    if kind is Kind.FOLDER:
        raise unwritable(path, "Is a directory")
    if kind is not Kind.NOTHING and not os.access(target, os.W_OK):
        raise unwritable(path, "Permission denied")
    if kind is not Kind.DEVICE:
        _check_parent(path, target)


def _check_parent(path: Path, target: Path) -> None:
    folder = next((each for each in target.parents if each.exists()), target.parent)
    if not folder.is_dir():
        raise unwritable(path, f"{folder} is not a folder")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise unwritable(path, "Permission denied")


def write_text(path: str | Path, text: str) -> None:
    """Write text, whole or not at all."""
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8")
