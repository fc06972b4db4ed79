"""The files of a scan: a path, a pattern, a folder, or several of these."""

import re
from collections.abc import Iterable
from glob import glob, has_magic
from os import PathLike, fspath, stat_result
from os.path import realpath
from pathlib import Path
from typing import NamedTuple

from calibrant.checks.files import GZIP, file_name
from calibrant.errors import FileError, UnknownName
from calibrant.tables.sources import FORMATS, SUFFIXES, check_start, format_of, suffix_format

HIVE = re.compile(r"[^=]+=[^=]*")  # a folder such as month=2024-05, whose name is a column

START = 1 << 16  # bytes that show what a file is
STREAMED = ("parquet", "csv", "tsv")  # formats that are read piece by piece


def streamed_format(path: str) -> bool:
    """Whether a file with this name is read piece by piece."""
    return suffix_format(path) in STREAMED and not path.endswith(".gz")


class Part(NamedTuple):
    """One file of a scan."""

    path: str
    format: str  # empty for standard input, unless it is told
    size: int  # bytes when the scan began
    changed: int  # when the file was last changed, in nanoseconds
    packed: bool = False  # by gzip, whatever the name says
    source: str = ""  # the path, folder or pattern that stands for it

    @property
    def name(self) -> str:
        """How messages call the file."""
        return file_name(self.path)

    @property
    def streamed(self) -> bool:
        """Whether the file can be read piece by piece."""
        return self.format in STREAMED and self.path != "-" and not self.packed

    @property
    def hive(self) -> bool:
        """Whether names of folders are columns."""
        return any(HIVE.fullmatch(each) for each in Path(self.path).parts[:-1])

    def check_unchanged(self) -> None:
        """Refuse a file that was written to after the scan began."""
        if self.path == "-":
            return
        now = _stat(self.path)
        if (now.st_size, now.st_mtime_ns) != (self.size, self.changed):
            raise FileError(
                f"{self.name} changed while it was read ({self.size} bytes before, "
                f"{now.st_size} after): scan it again when nothing writes to it."
            )


def find_parts(
    source: str | PathLike[str] | Iterable[str | PathLike[str]], format: str | None
) -> list[Part]:
    """List the files of a path, pattern or folder, or of several of these, in order of names."""
    given = [source] if isinstance(source, str | PathLike) else list(source)
    found = [(path, fspath(each)) for each in given for path in _expanded(fspath(each))]
    if not found:
        raise FileError("There is no file to scan.")
    seen: set[str] = set()
    for path, _ in found:
        if realpath(path) in seen:
            raise FileError(f"{path} is given twice: its rows would count twice.")
        seen.add(realpath(path))
    return [_part(path, format)._replace(source=source) for path, source in found]


def is_pattern(source: object) -> bool:
    """Whether a path stands for several files: a pattern such as parts/*.parquet, or a folder."""
    if not isinstance(source, str | PathLike):
        return False
    path = fspath(source)
    if not path:  # Path("") is this folder
        return False
    return Path(path).is_dir() or (has_magic(path) and not Path(path).exists())


def _expanded(path: str) -> list[str]:
    if not path:
        raise FileError("There is no file ''.")
    if Path(path).is_dir():
        found = [str(each) for each in Path(path).rglob("*") if _readable(each)]
        if not found:
            raise FileError(f"{path} contains no files that end in {', '.join(SUFFIXES)}.")
        return sorted(found)
    if has_magic(path) and not Path(path).exists():
        matches = glob(path, recursive=True)  # noqa: PTH207 - patterns may be absolute
        found = [each for each in matches if Path(each).is_file()]
        if not found:
            raise FileError(f"No file matches {path}.")
        return sorted(found)
    return [path]


def _readable(path: Path) -> bool:
    """Whether a file in a folder holds rows; engines also leave files such as _SUCCESS there.

    A link to nothing is listed, so that it is not passed over in silence.
    """
    return not path.is_dir() and path.name[0] not in "._" and suffix_format(path) is not None


def _part(path: str, format: str | None) -> Part:
    if path == "-":
        return Part(path, format or "", 0, 0)
    if format is not None and format not in FORMATS:
        raise UnknownName("format", format, FORMATS)
    if format is None and suffix_format(path) is None:
        raise FileError(
            f"{path} cannot be scanned: its name must end in one of {', '.join(SUFFIXES)}."
        )
    status = _stat(path)
    with Path(path).open("rb") as file:
        start = file.read(START)
    packed = start.startswith(GZIP)
    found = format or (str(suffix_format(path)) if packed else format_of(path, start))
    if not packed:
        check_start(file_name(path), start, found)
    return Part(path, found, status.st_size, status.st_mtime_ns, packed)


def _stat(path: str) -> stat_result:
    try:
        return Path(path).stat()
    except FileNotFoundError as error:
        raise FileError(f"There is no file {path}.") from error
    except OSError as error:
        raise FileError(f"{path} cannot be read: {error.strerror or error}.") from error
