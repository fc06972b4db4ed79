"""Options that several commands share."""

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from calibrant.pairs import Pairs
    from calibrant.tables.columns import Given

File = Annotated[
    str,
    typer.Argument(
        metavar="FILE", help="CSV, TSV, JSON lines or Parquet, plain or .gz; - is standard input."
    ),
]
Y = Annotated[str | None, typer.Option("--y", help="Column of observations, 0 or 1.")]
Q = Annotated[str | None, typer.Option("--q", help="Column of predicted probabilities.")]
Weight = Annotated[str | None, typer.Option("--weight", help="Column of weights.")]
Group = Annotated[str | None, typer.Option("--group", help="Column of sentences or documents.")]
NoWeight = Annotated[bool, typer.Option("--no-weight", help="Ignore a column of weights.")]
NoGroup = Annotated[bool, typer.Option("--no-group", help="Treat all rows as independent.")]
From = Annotated[
    str | None, typer.Option("--from", help="Input format: csv, tsv, jsonl or parquet.")
]
Format = Annotated[
    str | None,
    typer.Option(
        "--format", help="text, json, csv, md or latex; text unless in a pipe, then json."
    ),
]
Level = Annotated[float, typer.Option("--level", help="Level of intervals.")]


def note(text: str) -> None:
    """A line on stderr."""
    typer.echo(text, err=True)


def load(
    file: str,
    y: str | None,
    q: str | None,
    weight: str | None,
    no_weight: bool,
    group: str | None,
    no_group: bool,
    format: str | None,
) -> "Pairs":
    """Read pairs and say which columns were used."""
    from calibrant.errors import ParameterError
    from calibrant.tables import pairs_from_file

    if group is not None and no_group:
        raise ParameterError("Give --group or --no-group, not both.")
    if weight is not None and no_weight:
        raise ParameterError("Give --weight or --no-weight, not both.")
    given: Given = {
        "y": y,
        "q": q,
        "weight": False if no_weight else weight,
        "group": False if no_group else group,
    }
    return pairs_from_file(file, given, format, note)
