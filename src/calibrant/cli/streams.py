"""Make standard streams robust to closed pipes, full disks and missing streams."""

import io
import os
import sys
from typing import TYPE_CHECKING

from calibrant.errors import FileError

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

STANDARD = range(3)  # the file descriptors of stdin, stdout and stderr


class _Output(io.FileIO):
    """Standard output that drops what a closed pipe no longer reads.

    The command then runs to its end, so its exit code is right even if the pipe closes before
    a gate has been checked.
    """

    def write(self, data: "ReadableBuffer", /) -> int:
        try:
            return super().write(data)
        except BrokenPipeError:
            return memoryview(data).nbytes
        except OSError as error:
            raise FileError(f"Standard output cannot be written: {error.strerror}.") from error


class _Notes(io.FileIO):
    """Standard error that ignores write errors: there is nowhere left to report them."""

    def write(self, data: "ReadableBuffer", /) -> int:
        try:
            return super().write(data)
        except OSError:
            return memoryview(data).nbytes


def prepare_streams() -> None:
    """Replace the standard streams of this process; leave those of tests and notebooks alone."""
    _fill_closed()
    if sys.stderr is None or sys.stderr is sys.__stderr__:
        sys.stderr = _text(_Notes(2, "w", closefd=False), line_buffering=True)
    if sys.stdout is None:
        raise FileError("Standard output is closed.")
    if sys.stdout is sys.__stdout__:
        raw = _Output(1, "w", closefd=False)
        sys.stdout = _text(raw, line_buffering=raw.isatty())


def _fill_closed() -> None:
    """Open closed streams, so that no file opened later takes their descriptors."""
    for number in STANDARD:
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest free descriptor


def _text(raw: io.FileIO, line_buffering: bool) -> io.TextIOWrapper:
    encoding = getattr(sys.__stdout__ or sys.__stderr__, "encoding", "utf-8")
    return io.TextIOWrapper(
        io.BufferedWriter(raw),
        encoding=encoding,
        errors="backslashreplace",  # for characters that the encoding lacks
        line_buffering=line_buffering,
    )


def flush_or_drop() -> None:
    """Flush stdout; drop the remaining output if that fails."""
    if sys.stdout is None:
        return
    try:
        sys.stdout.flush()
    except (FileError, OSError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
