"""Standard streams that a closed pipe, a full disk or a missing stream cannot make fail badly."""

import io
import os
import sys
from typing import TYPE_CHECKING

from calibrant.errors import FileError

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

STANDARD = range(3)  # the file descriptors of stdin, stdout and stderr


class _Output(io.FileIO):
    """Standard output: what no reader of a pipe wants is dropped, so that commands still end.

    An exit code thus says what it should, also if a pipe closes before a gate has been checked.
    """

    def write(self, data: "ReadableBuffer", /) -> int:
        try:
            return super().write(data)
        except BrokenPipeError:
            return memoryview(data).nbytes
        except OSError as error:
            raise FileError(f"Standard output cannot be written: {error.strerror}.") from error


class _Notes(io.FileIO):
    """Standard error: nobody can be told that it fails."""

    def write(self, data: "ReadableBuffer", /) -> int:
        try:
            return super().write(data)
        except OSError:
            return memoryview(data).nbytes


def prepare_streams() -> None:
    """Give the streams of this process their manners; others (of tests, notebooks) stay."""
    _fill_closed()
    if sys.stderr is None or sys.stderr is sys.__stderr__:
        sys.stderr = _text(_Notes(2, "w", closefd=False), line_buffering=True)
    if sys.stdout is None:
        raise FileError("Standard output is closed.")
    if sys.stdout is sys.__stdout__:
        raw = _Output(1, "w", closefd=False)
        sys.stdout = _text(raw, line_buffering=raw.isatty())


def _fill_closed() -> None:
    """Open what is closed, lest a file that is opened later takes the place of a stream."""
    for number in STANDARD:
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # the lowest number that is free


def _text(raw: io.FileIO, line_buffering: bool) -> io.TextIOWrapper:
    encoding = getattr(sys.__stdout__ or sys.__stderr__, "encoding", "utf-8")
    return io.TextIOWrapper(
        io.BufferedWriter(raw),
        encoding=encoding,
        errors="backslashreplace",  # what the encoding has no letters for
        line_buffering=line_buffering,
    )


def flush_or_drop() -> None:
    """Write what is still to be written to stdout; drop it where that fails."""
    if sys.stdout is None:
        return
    try:
        sys.stdout.flush()
    except (FileError, OSError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
