"""Options that several commands share."""

import functools
import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.pairs import Pairs
    from calibrant.tables.columns import Given

File = Annotated[
    str,
    typer.Argument(
        metavar="FILE", help="CSV, TSV, JSON lines or Parquet, plain or .gz; - is standard input."
    ),
]
Format = Annotated[
    str | None,
    typer.Option(
        "--format", help="text, json, csv, md or latex; text unless in a pipe, then json."
    ),
]
ModelFolder = Annotated[str, typer.Option("-o", "--output", help="Folder for the model.")]
Unknown = Annotated[
    str | None,
    typer.Option("--unknown", help="Rare words become classes by shape (unless given), or one."),
]
Rare = Annotated[
    int | None, typer.Option("--rare", help="Words seen as often are rare; 1 unless given.")
]
Level = Annotated[float, typer.Option("--level", help="Level of intervals.")]


class Reader(NamedTuple):
    """Reads files by the options of the command line."""

    given: "Given"
    format: str | None

    def __call__(self, file: str) -> "Pairs":
        """The pairs of a file; a note says which columns were used."""
        from calibrant.tables import pairs_from_file

        return pairs_from_file(file, self.given, self.format, note)

    def column(self, file: str, name: str) -> "NDArray[Any]":
        """A single column of a file."""
        from calibrant.tables import column_from_file

        return column_from_file(file, name, self.format)


def _input(
    y: Annotated[str | None, typer.Option("--y", help="Column of observations, 0 or 1.")] = None,
    q: Annotated[str | None, typer.Option("--q", help="Column of predicted probabilities.")] = None,
    yes: Annotated[
        str | None,
        typer.Option("--yes", help="Instead of --q: column that counts the draws that said yes."),
    ] = None,
    draws: Annotated[
        str | None,
        typer.Option("--draws", help="Column of the number of draws, or a number."),
    ] = None,
    weight: Annotated[str | None, typer.Option("--weight", help="Column of weights.")] = None,
    no_weight: Annotated[
        bool, typer.Option("--no-weight", help="Ignore a column of weights.")
    ] = False,
    group: Annotated[
        str | None, typer.Option("--group", help="Column of sentences or documents.")
    ] = None,
    no_group: Annotated[
        bool, typer.Option("--no-group", help="Treat all rows as independent.")
    ] = False,
    source: Annotated[
        str | None, typer.Option("--from", help="Input format: csv, tsv, jsonl or parquet.")
    ] = None,
) -> Reader:
    """The options that say what to read, as a reader."""
    from calibrant.errors import ParameterError

    if group is not None and no_group:
        raise ParameterError("Give --group or --no-group, not both.")
    if weight is not None and no_weight:
        raise ParameterError("Give --weight or --no-weight, not both.")
    given: Given = {
        "y": y,
        "q": q,
        "yes": yes,
        "draws": draws,
        "weight": False if no_weight else weight,
        "group": False if no_group else group,
    }
    return Reader(given, source)


def with_reader(make: Callable[..., Any], command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of `make`; its first argument becomes what that makes of them."""
    first, *own = inspect.signature(command).parameters.values()
    options = inspect.signature(make).parameters.values()

    @functools.wraps(command)
    def with_options(**values: Any) -> None:  # noqa: ANN401 - what typer has read
        read = make(**{option.name: values.pop(option.name) for option in options})
        command(**{first.name: read}, **values)

    every = [each.replace(kind=inspect.Parameter.KEYWORD_ONLY) for each in (*own, *options)]
    with_options.__signature__ = inspect.Signature(every)  # type: ignore[attr-defined]
    with_options.__annotations__ = {each.name: each.annotation for each in every}
    return with_options


def reads_pairs(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options that say what to read; its first argument becomes a reader."""
    return with_reader(_input, command)


def note(text: str) -> None:
    """A line on stderr; names in it cannot steer the terminal."""
    from calibrant.errors import printable

    typer.echo("\n".join(map(printable, text.split("\n"))), err=True)


def present(options: dict[str, Any]) -> dict[str, Any]:
    """The options that were given."""
    return {name: value for name, value in options.items() if value is not None}
