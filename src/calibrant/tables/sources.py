"""Bytes of a file or of standard input, and what format they are in."""

import gzip
import re
import sys
import zlib
from pathlib import Path
from typing import NamedTuple

from calibrant.errors import FileError, UnknownName

FORMATS = ("csv", "tsv", "jsonl", "parquet")
SUFFIXES = {".csv": "csv", ".tsv": "tsv", ".tab": "tsv", ".jsonl": "jsonl", ".ndjson": "jsonl"} | {
    ".parquet": "parquet",
    ".pq": "parquet",
}
ARRAY = re.compile(rb"\s*\[\s*\{")
FOREIGN = {
    b"\xff\xfe": "text in UTF-16",
    b"\xfe\xff": "text in UTF-16",
    b"PK\x03\x04": "a zip archive (as .xlsx and .npz are)",
    b"\x93NUMPY": "a numpy array",
    b"\x89HDF": "an HDF5 file",
    b"\x28\xb5\x2f\xfd": "compressed by zstd",
    b"BZh": "compressed by bzip2",
    b"\xfd7zXZ": "compressed by xz",
}


class Source(NamedTuple):
    """Where the bytes came from, the bytes, and their format."""

    name: str
    data: bytes
    format: str


def open_source(path: str | Path, format: str | None = None) -> Source:
    """Read a file, plain or gzipped, or `-` for standard input."""
    if format is not None and format not in FORMATS:
        raise UnknownName("format", format, FORMATS)
    name = "standard input" if str(path) == "-" else str(path)
    data = _decompressed(_bytes(path), name)
    if not data.strip(b"\xef\xbb\xbf \t\r\n"):
        raise FileError(f"{name} is empty.")
    found = format or _format_of(path, data)
    if found == "parquet":
        return Source(name, data, found)
    for start, what in FOREIGN.items():
        if data.startswith(start):
            raise FileError(f"{name} is {what}: save it as CSV in UTF-8, or as Parquet.")
    if found == "jsonl" and ARRAY.match(data):
        raise FileError(f"{name} is one JSON array: write one object per line.")
    if b"\n" not in data:  # lines that end in a carriage return alone
        data = data.replace(b"\r", b"\n")
    return Source(name, data, found)


def _format_of(path: str | Path, data: bytes) -> str:
    """By the ending of the name, unless a .csv turns out to have tabs and no commas."""
    by_suffix = suffix_format(path)
    if by_suffix == "csv" and b"," not in data.split(b"\n", 1)[0]:
        return sniff(data)
    return by_suffix or sniff(data)


def _bytes(path: str | Path) -> bytes:
    if str(path) == "-":
        if sys.stdin is None:
            raise FileError("Standard input is closed.")
        return sys.stdin.buffer.read()
    try:
        return Path(path).read_bytes()
    except FileNotFoundError as error:
        raise FileError(f"There is no file {path}.") from error
    except OSError as error:
        raise FileError(f"{path} cannot be read: {error.strerror}.") from error


def _decompressed(data: bytes, name: str) -> bytes:
    if not data.startswith(b"\x1f\x8b"):
        return data
    try:
        return gzip.decompress(data)
    except (EOFError, OSError, zlib.error) as error:
        raise FileError(f"{name} is a damaged gzip file: {error}.") from error


def suffix_format(path: str | Path) -> str | None:
    """The format that the ending of a name tells."""
    suffixes = [suffix.lower() for suffix in Path(path).suffixes if suffix.lower() != ".gz"]
    return SUFFIXES.get(suffixes[-1]) if suffixes else None


def sniff(data: bytes) -> str:
    """Guess the format from the first bytes."""
    if data.startswith(b"PAR1"):
        return "parquet"
    start = data.lstrip(b"\xef\xbb\xbf \t\r\n")
    if start.startswith(b"{") or ARRAY.match(data):
        return "jsonl"
    return "tsv" if b"\t" in start.split(b"\n", 1)[0] else "csv"
