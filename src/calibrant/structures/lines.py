"""Read numbered lines of text files, plain or gzipped, and blocks between blank lines."""

from collections.abc import Iterator
from pathlib import Path

from calibrant.checks.files import file_name, read_bytes
from calibrant.errors import FileError

Block = list[tuple[int, str]]  # numbered lines


def read_lines(path: str | Path) -> Iterator[tuple[int, str]]:
    """Read the lines of a file, or of standard input for `-`, numbered from 1."""
    for number, line in enumerate(read_bytes(path).split(b"\n"), start=1):
        try:
            yield number, line.decode("utf-8-sig" if number == 1 else "utf-8").rstrip("\r")
        except UnicodeDecodeError as error:
            raise FileError(
                f"{file_name(path)}, line {number}: not UTF-8 ({error.reason})."
            ) from error


def read_blocks(path: str | Path) -> Iterator[Block]:
    """Read the blocks of lines between blank lines."""
    block: Block = []
    for number, line in read_lines(path):
        if line.strip():
            block.append((number, line))
        elif block:
            yield block
            block = []
    if block:
        yield block
