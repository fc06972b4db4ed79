"""Errors of polars about damaged files, in the words of this library."""

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import IO

from calibrant.errors import FileError, on_command_line
from calibrant.tables.sources import Source

STDERR = 2  # its file descriptor


@contextmanager
def readable(source: Source) -> Iterator[None]:
    """Turn all that polars raises while it reads into a `FileError`.

    Damaged pages of Parquet make polars panic. Its PanicException is not an `Exception`, and a
    text about the panic goes to stderr, which a command leaves out: it says the same in one line.
    """
    import polars

    with _without_panic_text() if on_command_line() else nullcontext():
        try:
            yield
        except (polars.exceptions.PolarsError, OSError) as error:
            raise _unreadable(source, str(error)) from error
        except BaseException as error:
            if type(error).__name__ != "PanicException":
                raise
            raise _unreadable(source, f"polars cannot read it ({error})") from error


def _unreadable(source: Source, why: str) -> FileError:
    first = (why.strip() or "it is damaged").splitlines()[0].rstrip(".")
    return FileError(f"{source.name} is not a readable {source.format} file: {first}.")


@contextmanager
def _without_panic_text() -> Iterator[None]:
    """Keep back what is written to stderr, and show it unless there was an error."""
    with tempfile.TemporaryFile() as kept:
        with _redirected(kept):
            yield
        kept.seek(0)
        text = kept.read().decode("utf-8", "replace")
    if text:
        sys.stderr.write(text)


@contextmanager
def _redirected(file: IO[bytes]) -> Iterator[None]:
    before = os.dup(STDERR)
    os.dup2(file.fileno(), STDERR)
    try:
        yield
    finally:
        os.dup2(before, STDERR)
        os.close(before)
