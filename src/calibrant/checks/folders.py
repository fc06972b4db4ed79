"""Folders replaced as a whole: readers see the old one or the new one, never a mixture.

On Linux the new folder and the old one exchange their names in one step. Where the system or the
file system cannot do that, the old folder is renamed to `.NAME.old`, the new one takes its name,
and the old one is removed. A process killed between those steps leaves `.NAME.old`, which
`read_folder` reads and the next `replacing_folder` restores.
"""

import contextlib
import ctypes
import errno
import os
import secrets
import shutil
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from calibrant.errors import FileError

AT_FDCWD = -100  # from <fcntl.h> on Linux: names are relative to the current folder
RENAME_EXCHANGE = 2  # from <linux/fs.h>
CANNOT_EXCHANGE = {errno.EINVAL, errno.ENOSYS, errno.ENOTSUP, errno.EPERM, errno.EXDEV}
TRIES = 100  # how often to repeat a step that other processes interrupt
PAUSE = 0.01  # seconds between tries; a replacement takes far less
SUFFIX = ".new"  # of temporary names
STEM = 200  # bytes of the name kept in temporary names, whose limit is 255 bytes in all


@contextlib.contextmanager
def replacing_folder(folder: str | Path) -> Iterator[Path]:
    """Give an empty folder that replaces `folder` when the block ends without error.

    Everything in the old folder is removed, so callers check it first if it may hold other files.
    A symbolic link is followed, and the permissions of an existing folder are kept.
    Several processes may replace the same folder: the last one wins, and none leaves stray
    files behind. The next writer removes what a killed process left.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as parent:
    ...     with replacing_folder(Path(parent) / "model") as new:
    ...         _ = (new / "model.json").write_text("{}")
    ...     read_folder(Path(parent) / "model", ["model.json"])
    {'model.json': b'{}'}
    """
    place = Path(os.path.realpath(folder))
    if place.is_file():  # one look: another writer may be replacing the folder just now
        raise unwritable(Path(folder), "it is a file, not a folder")
    made = place.with_name(temporary_name(place))
    with contextlib.ExitStack() as held:
        with reworded(folder):
            place.parent.mkdir(parents=True, exist_ok=True)
            with locked(place.parent):
                _tidy(place)
                held.callback(shutil.rmtree, made, ignore_errors=True)
                made.mkdir()
                held.enter_context(locked(made))  # shows other processes that the writer is alive
        with reworded(folder, made):
            yield made
            made.chmod(_mode(place))
            _install(made, place)


def read_folder(folder: str | Path, names: Sequence[str]) -> dict[str, bytes]:
    """Read files of a folder, all from the same version; missing files are left out.

    A folder that is replaced at the same time is read again.
    """
    for _ in range(TRIES):
        found = _version(Path(folder), names)
        if found is not None:
            return found
        time.sleep(PAUSE)
    raise FileError(f"{folder} cannot be read: other processes keep replacing it.")


def unwritable(path: Path, reason: str | None) -> FileError:
    """The error for a path that cannot be written."""
    return FileError(f"{path} cannot be written: {reason}.")


@contextlib.contextmanager
def reworded(path: str | Path, written: str | Path = "") -> Iterator[None]:
    """Turn system errors about `written` (default: any) into errors about writing `path`."""
    try:
        yield
    except OSError as error:
        about_it = str(error.filename or written).startswith(str(written))
        if isinstance(error, BrokenPipeError) or error.strerror is None or not about_it:
            raise
        raise unwritable(Path(path), error.strerror) from error


def temporary_name(path: Path) -> str:
    """A unique temporary name beside `path`."""
    return f".{_stem(path)}.{secrets.token_hex(4)}{SUFFIX}"


def default_mode(mode: int) -> int:
    """The permissions that a new file (0o666) or folder (0o777) gets here."""
    umask = os.umask(0)
    os.umask(umask)
    return mode & ~umask


@contextlib.contextmanager
def locked(folder: Path, wait: bool = True) -> Iterator[bool]:
    """Hold the lock of a folder; gives False if it is taken and `wait` is False.

    On systems without locks (Windows, some network file systems) nothing is held.
    """
    try:
        import fcntl

        handle = os.open(folder, os.O_RDONLY)
    except (ImportError, OSError):
        yield wait
        return
    try:
        held = True
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        except BlockingIOError:
            held = False
        except OSError:
            held = wait
        yield held
    finally:
        os.close(handle)


def _tidy(place: Path) -> None:
    """Restore or remove what killed writers left; call it with the parent folder locked."""
    old = _old(place)
    if old.exists():
        old.rename(place.with_name(temporary_name(place)) if place.exists() else place)
    start = f".{_stem(place)}."
    for each in place.parent.iterdir():
        if each.name.startswith(start) and each.suffix == SUFFIX and each.is_dir():
            with locked(each, wait=False) as orphaned:
                if orphaned:
                    shutil.rmtree(each, ignore_errors=True)


def _old(place: Path) -> Path:
    return place.with_name(f".{_stem(place)}.old")


def _stem(path: Path) -> str:
    return os.fsdecode(os.fsencode(path.name)[:STEM])


def _mode(place: Path) -> int:
    try:
        return place.stat().st_mode & 0o7777
    except FileNotFoundError:
        return default_mode(0o777)


def _install(made: Path, place: Path) -> None:
    """Give a new folder its name; `made` may then hold the old one."""
    for _ in range(TRIES):
        try:
            if not place.exists():
                made.rename(place)
            elif not _exchange(made, place):
                with locked(place.parent):
                    _move_away_and_in(made, place)
            return
        except OSError as error:  # another process removed the folder, or put one there
            if error.errno not in (errno.ENOENT, errno.ENOTEMPTY, errno.EEXIST):
                raise unwritable(place, error.strerror) from error
    raise unwritable(place, "other processes keep replacing it")


def _exchange(one: Path, other: Path) -> bool:
    """Exchange two names in one step; False if the system cannot."""
    if not sys.platform.startswith("linux"):
        return False
    try:
        renameat2 = ctypes.CDLL(None, use_errno=True).renameat2
    except (AttributeError, OSError):  # the C library lacks renameat2
        return False
    names = os.fsencode(one), os.fsencode(other)
    if renameat2(AT_FDCWD, names[0], AT_FDCWD, names[1], RENAME_EXCHANGE) == 0:
        return True
    code = ctypes.get_errno()
    if code in CANNOT_EXCHANGE:
        return False
    raise OSError(code, os.strerror(code), str(other))


def _move_away_and_in(made: Path, place: Path) -> None:
    """Rename the old folder, then the new one; restore the old one if that fails."""
    _tidy(place)
    old = _old(place)
    if place.exists():
        place.rename(old)
    try:
        made.rename(place)
    except BaseException:
        if old.exists():
            old.rename(place)
        raise
    if old.exists():
        old.rename(made)  # so that nobody starts to read it while it is removed


def _version(folder: Path, names: Sequence[str]) -> dict[str, bytes] | None:
    """Read the current version of a folder; None if it was replaced while being read."""
    place = _standing(folder)
    try:
        with _opened(place) as handle:
            found = {name: _data(name, handle) for name in names}
            complete = None not in found.values()
            if not complete and not os.path.samestat(os.fstat(handle), place.stat()):
                return None
            return {name: data for name, data in found.items() if data is not None}
    except FileNotFoundError:
        return None
    except OSError as error:
        raise FileError(f"{folder} cannot be read: {error.strerror}.") from error


def _standing(folder: Path) -> Path:
    """Find the folder, or the old version that a killed or slow writer has set aside."""
    place = Path(os.path.realpath(folder))
    for _ in range(5):  # between two renames a folder is missing for a moment
        for each in (place, _old(place)):
            if each.is_dir():
                return each
        time.sleep(PAUSE)
    raise FileError(f"There is no folder {folder}.")


@contextlib.contextmanager
def _opened(folder: Path) -> Iterator[int]:
    """Open a handle that follows this folder even if it is renamed."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        yield handle
    finally:
        os.close(handle)


def _data(name: str, folder: int) -> bytes | None:
    """Read a file in an open folder; None if it does not exist."""

    def opener(name: str, flags: int) -> int:
        return os.open(name, flags, dir_fd=folder)

    try:
        with open(name, "rb", opener=opener) as file:
            return file.read()
    except FileNotFoundError:
        return None
