"""The bytes of a file or of standard input, and their format."""

import re
from pathlib import Path
from typing import NamedTuple

from calibrant.checks.files import file_name, read_bytes
from calibrant.errors import FileError, UnknownName

FORMATS = ("csv", "tsv", "jsonl", "parquet")
SUFFIXES = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".parquet": "parquet",
    ".pq": "parquet",
}
ARRAY = re.compile(rb"\s*\[\s*\{")  # the start of a JSON array of objects
START = 1 << 10  # bytes in which files that are no text show it
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
FOREIGN = {  # first bytes of formats that people pass by mistake
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
    """Where bytes came from, the bytes, and their format."""

    name: str
    data: bytes
    format: str


def open_source(path: str | Path, format: str | None = None) -> Source:
    """Read a file, plain or gzipped, or standard input for `-`."""
    if format is not None and format not in FORMATS:
        raise UnknownName("format", format, FORMATS)
    name, data = file_name(path), read_bytes(path)
    found = format or format_of(path, data)
    check_start(name, data, found)
    if found == "parquet":
        return Source(name, data, found)
    if b"\n" not in data:  # line ends are carriage returns alone
        data = data.replace(b"\r", b"\n")
    return Source(name, _without_blank_end(data), found)


def check_start(name: str, data: bytes, format: str) -> None:
    """Refuse what is empty, or of another format, by the first bytes."""
    if not data.strip(BYTE_ORDER_MARK + b" \t\r\n"):
        raise FileError(f"{name} is empty.")
    if format == "parquet":
        return
    for start, what in FOREIGN.items():
        if data.startswith(start):
            raise FileError(f"{name} is {what}: save it as CSV in UTF-8, or as Parquet.")
    if b"\0" in data[:START]:
        raise FileError(f"{name} is not text: give CSV, TSV or JSON lines in UTF-8, or Parquet.")
    if format == "jsonl" and ARRAY.match(data):
        raise FileError(f"{name} is one JSON array: write one object per line.")


def _without_blank_end(data: bytes) -> bytes:
    """Drop blank lines at the end, but keep trailing spaces of the last non-blank line."""
    end = data.find(b"\n", len(data.rstrip(b" \r\n")))
    return data if end < 0 else data[: end + 1]


def format_of(path: str | Path, data: bytes) -> str:
    """Choose the format by file extension; a .csv without commas in its first line is sniffed."""
    by_suffix = suffix_format(path)
    if by_suffix == "csv" and b"," not in data.split(b"\n", 1)[0]:
        return sniff(data)
    return by_suffix or sniff(data)


def suffix_format(path: str | Path) -> str | None:
    """The format that a file extension stands for."""
    suffixes = [suffix.lower() for suffix in Path(path).suffixes if suffix.lower() != ".gz"]
    return SUFFIXES.get(suffixes[-1]) if suffixes else None


def sniff(data: bytes) -> str:
    """Guess the format from the first bytes.

    >>> sniff(b"gold,prob"), sniff(b'{"gold": 1}')
    ('csv', 'jsonl')
    """
    if data.startswith(b"PAR1"):
        return "parquet"
    start = data.lstrip(BYTE_ORDER_MARK + b" \t\r\n")
    if start.startswith(b"{") or ARRAY.match(data):
        return "jsonl"
    return "tsv" if b"\t" in start.split(b"\n", 1)[0] else "csv"
