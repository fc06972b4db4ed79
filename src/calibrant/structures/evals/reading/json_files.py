"""Read JSON documents and JSON lines, with errors that name file and line."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from calibrant.checks.files import byte_lines, file_name, read_bytes
from calibrant.errors import CalibrantError, FileError, printable

UNEXPECTED = (TypeError, ValueError, LookupError, AttributeError, ArithmeticError)
_decode = json.JSONDecoder().decode  # json.loads guesses the encoding of every line first


def json_objects(path: str | Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects of a file of JSON lines, with their line numbers; blank lines are skipped."""
    file = file_name(path)
    for number, line in enumerate(byte_lines(path), start=1):
        if not line.isspace():
            yield number, _object(line, f"{file}, line {number}")


def json_document(path: str | Path) -> Any:  # noqa: ANN401 - any JSON
    """The only value of a JSON file."""
    return parsed(read_bytes(path), file_name(path))


def parsed(data: bytes | str, place: str) -> Any:  # noqa: ANN401 - any JSON
    """A JSON value; `place` says where it stands."""
    try:
        return _decode(data.decode() if isinstance(data, bytes) else data)
    except ValueError:
        pass  # not UTF-8 (or with a mark at its beginning), or not JSON
    except RecursionError as error:
        raise FileError(f"{place}: lists or objects are nested too deeply.") from error
    try:
        return json.loads(data)
    except ValueError as error:  # also text that is not UTF-8
        raise FileError(f"{place}: not JSON ({error}). Is the file complete?") from error


def _object(line: bytes, place: str) -> dict[str, Any]:
    value = parsed(line, place)
    if not isinstance(value, dict):
        raise FileError(f"{place}: an object {{...}} was expected.")
    return value


def unexpected(place: str, error: Exception) -> CalibrantError:
    """The error for a record one of whose fields is not what it should be."""
    if isinstance(error, CalibrantError):
        return error
    reason = printable(f"{type(error).__name__}: {error}")[:120]
    return FileError(f"{place}: a field is not as expected ({reason}).")
