"""Read JSON documents and JSON lines, with errors that name file and line."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from calibrant.checks.files import byte_lines, file_name, read_bytes
from calibrant.errors import CalibrantError, FileError, printable

REFUSED = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)  # by the fast decoder
UNEXPECTED = (TypeError, ValueError, LookupError, AttributeError, ArithmeticError)
_decode = msgspec.json.Decoder().decode  # twice as fast as json; stricter, see `parsed`


@dataclass(slots=True)
class Place:
    """Where in a file a reader is; written out only in messages, because there are many lines."""

    file: str
    line: int = 0

    def __str__(self) -> str:
        return f"{self.file}, line {self.line}"


def json_objects(path: str | Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects of a file of JSON lines, with their line numbers; blank lines are skipped."""
    place = Place(file_name(path))
    for number, line in enumerate(byte_lines(path), start=1):
        if not line.isspace():
            place.line = number
            yield number, json_object(line, place)


def json_object(line: bytes, place: Place) -> dict[str, Any]:
    """The object in a line."""
    value = parsed(line, place)
    if not isinstance(value, dict):
        raise FileError(f"{place}: an object {{...}} was expected.")
    return value


def json_document(path: str | Path) -> Any:  # noqa: ANN401 - any JSON
    """The only value of a JSON file."""
    return parsed(read_bytes(path), file_name(path))


def parsed(data: bytes | str, place: str | Place) -> Any:  # noqa: ANN401 - any JSON
    """A JSON value; `place` says where it stands.

    What the fast decoder refuses is left to Python's own: it accepts NaN, infinities, half a
    surrogate pair and a mark at the beginning of a file, and says what is wrong with the rest.
    """
    try:
        return _decode(data)
    except REFUSED:
        pass
    try:
        return json.loads(data)
    except RecursionError as error:
        raise FileError(f"{place}: lists or objects are nested too deeply.") from error
    except ValueError as error:  # also text that is not UTF-8
        raise FileError(f"{place}: not JSON ({error}). Is the file complete?") from error


class FieldError(ValueError):
    """A field that is not what it should be; `unexpected` says where."""

    def __init__(self, name: str, expected: str, value: object) -> None:
        super().__init__(f"{name}: {expected} was expected, not {printable(repr(value))[:60]}.")


def as_object(value: object, name: str) -> Mapping[str, Any]:
    """An object; nothing is an empty one."""
    if value is not None and not isinstance(value, dict):
        raise FieldError(name, "an object", value)
    return value or {}


def as_objects(value: object, name: str) -> list[Mapping[str, Any]]:
    """A list of objects; nothing is an empty one."""
    if value is not None and not isinstance(value, list):
        raise FieldError(name, "a list", value)
    return [as_object(each, f"{name}[{i}]") for i, each in enumerate(value or [])]


def unexpected(place: str | Place, error: Exception) -> CalibrantError:
    """The error for a record one of whose fields is not what it should be."""
    if isinstance(error, CalibrantError):
        return error
    if isinstance(error, FieldError):
        return FileError(f"{place}, {error}")
    reason = printable(f"{type(error).__name__}: {error}")[:120]
    return FileError(f"{place}: a field is not as expected ({reason}).")
