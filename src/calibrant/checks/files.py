"""Writing files so that an interrupted run leaves nothing half-written."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from calibrant.errors import FileError


@contextmanager
def replacing(path: str | Path) -> Iterator[Path]:
    """A temporary name beside `path`, renamed to it when the block ends well."""
    path = Path(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    except OSError as error:
        raise _unwritable(path, error.strerror) from error
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        temporary.chmod(0o666 & ~_umask())
        temporary.replace(path)
    except IsADirectoryError as error:
        raise _unwritable(path, error.strerror) from error
    finally:
        temporary.unlink(missing_ok=True)


def check_writable(path: str | Path) -> None:
    """Refuse a name that cannot be written, before long work is done for it."""
    path = Path(path)
    if path.is_dir():
        raise _unwritable(path, "Is a directory")
    folder = next((each for each in path.parents if each.exists()), path.parent)
    if not folder.is_dir():
        raise _unwritable(path, f"{folder} is not a folder")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise _unwritable(path, "Permission denied")


def _unwritable(path: Path, reason: str | None) -> FileError:
    return FileError(f"{path} cannot be written: {reason}.")


def _umask() -> int:
    current = os.umask(0)
    os.umask(current)
    return current


def write_text(path: str | Path, text: str) -> None:
    """Write text, whole or not at all."""
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8")
