"""Read files whole, unpack gzip up to a limit, and write files whole or not at all."""

import gzip
import io
import os
import re
import reprlib
import stat
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from enum import Enum
from pathlib import Path

from calibrant.checks.folders import default_mode, reworded, temporary_name, unwritable
from calibrant.errors import FileError, ParameterError, on_command_line

GZIP = b"\x1f\x8b"  # how gzip files begin
UNPACK_LIMIT = "4GiB"  # fits the memory of most machines; files of pairs are far smaller
LIMIT_VARIABLE = "CALIBRANT_UNPACK_LIMIT"
SIZES = {"": 1, "B": 1} | {
    f"{letter}{unit}": base**power
    for power, letter in enumerate("KMGT", start=1)
    for unit, base in (("B", 1000), ("iB", 1024))
}
PIECE = 1 << 20  # bytes unpacked at once: small beside the limit, large beside the cost of a call


def read_bytes(path: str | Path) -> bytes:
    """Read a file, or standard input for `-`; gzip is unpacked.

    A gzip file that would unpack to more than 4 GiB is refused, so a small file cannot fill the
    memory. The environment variable CALIBRANT_UNPACK_LIMIT (on the command line the option
    --unpack-limit) sets another limit, such as 20GiB, or none.
    """
    name = file_name(path)
    try:
        data = _standard_input() if str(path) == "-" else Path(path).read_bytes()
    except FileNotFoundError as error:
        raise FileError(f"There is no file {name}.") from error
    except OSError as error:
        raise FileError(f"{name} cannot be read: {error.strerror}.") from error
    return _unpacked(data, name) if data.startswith(GZIP) else data


def byte_lines(path: str | Path) -> Iterator[bytes]:
    """The lines of a file, as `read_bytes` reads it; a plain file is never in memory as a whole."""
    if Path(path).is_file():
        with Path(path).open("rb") as file:
            if file.read(len(GZIP)) != GZIP:
                file.seek(0)
                yield from file
                return
    yield from io.BytesIO(read_bytes(path))


def file_name(path: str | Path) -> str:
    """What messages call a file."""
    return "standard input" if str(path) == "-" else str(path) or "''"


def _standard_input() -> bytes:
    if sys.stdin is None:
        raise FileError("Standard input is closed.")
    return sys.stdin.buffer.read()


def _unpacked(data: bytes, name: str) -> bytes:
    out = io.BytesIO()
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as file:
            while piece := file.read(PIECE):
                out.write(piece)
                check_unpacked_size(out.tell(), name)
    except (EOFError, OSError, zlib.error) as error:
        raise FileError(f"{name} is a damaged gzip file: {error}.") from error
    return out.getvalue()


def check_unpacked_size(size: int, name: str) -> None:
    """Refuse to unpack more than the limit."""
    text = os.environ.get(LIMIT_VARIABLE, UNPACK_LIMIT)
    limit = size_limit(text)
    if limit is not None and size > limit:
        raise FileError(
            f"{name} unpacks to more than {text}. If you trust it, set a higher limit "
            f"with {_limit_option()}."
        )


def _limit_option() -> str:
    if on_command_line():
        return "--unpack-limit 20GiB (or none)"
    return f"the environment variable {LIMIT_VARIABLE}=20GiB (or none)"


def size_limit(text: str, name: str | None = None) -> int | None:
    """Parse a size in bytes; None for "none", which sets no limit. `name` is that of the option.

    >>> size_limit("20GiB"), size_limit("1.5 MB"), size_limit("none")
    (21474836480, 1500000, None)
    """
    if text.strip().lower() == "none":
        return None
    units = {unit.lower(): size for unit, size in SIZES.items()}
    match = re.fullmatch(r"([0-9]{1,15}(?:\.[0-9]{1,3})?)\s*([a-z]*)", text.strip().lower())
    if match is None or match[2] not in units:
        where = name or ("--unpack-limit" if on_command_line() else LIMIT_VARIABLE)
        raise ParameterError(
            f"{where} must be a size such as 500MB or 20GiB, or none, but it is "
            f"{reprlib.repr(text)}."
        )
    return int(float(match[1]) * units[match[2]])


@contextmanager
def replacing(path: str | Path) -> Iterator[Path]:
    """Give a temporary name that is renamed to `path` when the block succeeds.

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
    """The kinds of file that a path may lead to."""

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
    """Refuse a path that cannot be written, before any long computation."""
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
