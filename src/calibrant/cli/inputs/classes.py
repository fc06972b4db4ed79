"""Probabilities of many classes on the command line."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

from calibrant.cli.options import (
    GroupColumn,
    NoGroup,
    column_or_none,
    input_option,
    note,
    with_reader,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.structures.labels.labels import Labels
    from calibrant.tables.matrices import ClassColumns


class Classified(NamedTuple):
    """What a classifier believes about each item, what is true, and the groups of items."""

    posterior: "Labels"
    gold: "NDArray[Any]"
    group: "NDArray[Any] | None"


class ClassReader(NamedTuple):
    """Reads the probabilities of classes as the command-line options specify."""

    wanted: "ClassColumns"
    format: str | None

    def __call__(self, file: str) -> Classified:
        """Read a file, and print what was used as a note."""
        from calibrant.structures.labels.labels import Labels
        from calibrant.tables.matrices import classes_from_file

        found = classes_from_file(file, self.wanted, self.format, note)
        return Classified(Labels(found.probabilities, found.classes), found.gold, found.group)


def _classes_input(
    columns: Annotated[
        list[str] | None,
        input_option(
            "--columns",
            metavar="NAMES",
            help="Columns of the probabilities of classes: a name, or a pattern such as 'prob_*', "
            "whose * stands for the class; repeatable. Not for .npz files.",
        ),
    ] = None,
    gold: Annotated[
        str | None,
        input_option(
            "--gold",
            metavar="COLUMN",
            help="Column (or array) of the true class (default: guessed from common names).",
        ),
    ] = None,
    group: GroupColumn = None,
    no_group: NoGroup = False,
    source: Annotated[
        str | None,
        input_option(
            "--from",
            metavar="FORMAT",
            help="csv, tsv, jsonl, parquet or npz (default: from the file name).",
        ),
    ] = None,
) -> ClassReader:
    """Turn the options for reading classes into a reader."""
    from calibrant.tables.matrices import ClassColumns

    chosen = column_or_none("group", group, no_group)
    return ClassReader(ClassColumns(columns or (), gold, chosen), source)


def reads_classes(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options for reading classes to a command; its first argument is the reader."""
    return with_reader(_classes_input, command)
