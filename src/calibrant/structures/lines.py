"""Lines of a text file, plain or gzipped, with their numbers, in blocks between empty lines."""

import gzip
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path

from calibrant.errors import FileError

Block = list[tuple[int, str]]  # numbered lines


def read_lines(path: str | Path) -> Iterator[tuple[int, str]]:
    """The lines of a file, or of standard input for `-`, and their numbers, from 1."""
    try:
        data = sys.stdin.buffer.read() if str(path) == "-" else Path(path).read_bytes()
        if data.startswith(b"\x1f\x8b"):
            data = gzip.decompress(data)
    except FileNotFoundError as error:
        raise FileError(f"There is no file {path}.") from error
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise FileError(f"{path} is a damaged gzip file: {error}.") from error
    except OSError as error:
        raise FileError(f"{path} cannot be read: {error.strerror}.") from error
    for number, line in enumerate(data.split(b"\n"), 1):
        try:
            yield number, line.decode("utf-8-sig" if number == 1 else "utf-8").rstrip("\r")
        except UnicodeDecodeError as error:
            raise FileError(f"{path}, line {number}: not UTF-8 ({error.reason}).") from error


def read_blocks(path: str | Path) -> Iterator[Block]:
    """Runs of lines that are not empty."""
    block: Block = []
    for number, line in read_lines(path):
        if line.strip():
            block.append((number, line))
        elif block:
            yield block
            block = []
    if block:
        yield block
