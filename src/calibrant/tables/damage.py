"""Turn polars errors about damaged files into errors of this library."""

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
    """Turn anything that polars raises while reading into a `FileError`.

    Damaged Parquet pages make polars panic. Its PanicException is not an `Exception`, and it prints
    a report to stderr. Commands suppress that report, since their own message is enough.
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
    advice = " Save it in UTF-8." if "invalid utf-8" in first else ""
    return FileError(f"{source.name} is not a readable {source.format} file: {first}.{advice}")


@contextmanager
def _without_panic_text() -> Iterator[None]:
    """Hold back what is written to stderr; show it only if there was no error."""
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
