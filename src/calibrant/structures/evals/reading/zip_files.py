"""Read members of zip archives, including those compressed by zstandard."""

import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from calibrant.checks.files import check_unpacked_size, file_name
from calibrant.errors import FileError

ZSTANDARD = 93  # method number in zip archives
HEADER = struct.Struct("<4s5H3L2H")  # of a member, before its name


class Archive:
    """An open zip archive."""

    def __init__(self, path: str | Path, archive: zipfile.ZipFile) -> None:
        self.path, self._archive = path, archive
        self._members = {each.filename: each for each in archive.infolist()}

    def names(self) -> list[str]:
        """The names of all members, in order."""
        return list(self._members)

    def read(self, name: str) -> bytes:
        """The content of a member."""
        place = f"{file_name(self.path)}, {name}"
        info = self._members.get(name)
        if info is None:
            raise FileError(f"{file_name(self.path)} has no {name}.")
        check_unpacked_size(info.file_size, place)
        try:
            if info.compress_type == ZSTANDARD:
                return _unpacked(self._raw(info), info.file_size)
            return self._archive.read(info)
        except (
            zipfile.BadZipFile,
            zlib.error,
            EOFError,
            NotImplementedError,  # a compression method that zipfile does not know
            RuntimeError,  # encrypted
            struct.error,
        ) as error:
            raise FileError(f"{place}: damaged ({error}).") from error

    def _raw(self, info: zipfile.ZipInfo) -> bytes:
        with Path(self.path).open("rb") as file:
            file.seek(info.header_offset)
            header = HEADER.unpack(file.read(HEADER.size))
            file.seek(header[-2] + header[-1], 1)  # name and further fields
            return file.read(info.compress_size)


def _unpacked(data: bytes, size: int) -> bytes:
    try:
        import zstandard
    except ImportError as error:
        raise FileError(
            "This log is compressed by zstandard: install calibrant[inspect] to read it."
        ) from error
    try:
        return zstandard.ZstdDecompressor().decompress(data, max_output_size=size)
    except zstandard.ZstdError as error:
        raise zipfile.BadZipFile(str(error)) from error


@contextmanager
def opened(path: str | Path) -> Iterator[Archive]:
    """Open a zip archive."""
    try:
        archive = zipfile.ZipFile(path)
    except FileNotFoundError as error:
        raise FileError(f"There is no file {file_name(path)}.") from error
    except (zipfile.BadZipFile, OSError) as error:
        raise FileError(f"{file_name(path)} is not a complete zip archive ({error}).") from error
    with archive:
        yield Archive(path, archive)
