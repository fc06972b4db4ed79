"""Pairs of a file in slices, for commands with --by."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from calibrant.cli.options import Reader, note

if TYPE_CHECKING:
    from calibrant.pairs import Pairs

Table = tuple[list[str], list[list[str]]]
T = TypeVar("T")


def sliced(read: Reader, by: list[str], files: list[str]) -> "dict[str, Pairs]":
    """The pairs of each slice, by its name, in the order of the columns and their values."""
    from calibrant.calibration.slicing.sliceable import from_predictions, wanted_columns
    from calibrant.errors import ParameterError

    if len(files) > 1:
        raise ParameterError("--by takes the predictions of one file: several are summarised.")
    return from_predictions(read.predictions(files[0], wanted_columns(by)), by).pairs_by_name()


def each_slice(slices: "dict[str, Pairs]", verb: "Callable[[Pairs], T]") -> dict[str, T]:
    """What a verb says of each slice; those that it refuses are noted, with the reason."""
    from calibrant.errors import CalibrantError

    found: dict[str, T] = {}
    refused: list[CalibrantError] = []
    for name, pairs in slices.items():
        try:
            found[name] = verb(pairs)
        except CalibrantError as error:
            note(f"{name}: {error}")
            refused.append(error)
    if not found:
        raise refused[0]
    return found


def joined_table(tables: dict[str, Table]) -> Table:
    """One table, with the name of the slice in the first column."""
    header = list(dict.fromkeys(name for each, _ in tables.values() for name in each))
    rows = []
    for name, (own, cells) in tables.items():
        for row in cells:
            held = dict(zip(own, row, strict=True))
            rows.append([name, *(held.get(column, "") for column in header)])
    return ["slice", *header], rows


def joined_records(records: dict[str, list[dict[str, Any]]]) -> list[dict[str, Any]]:
    """All records, each with the name of its slice."""
    return [{"slice": name} | record for name, each in records.items() for record in each]
