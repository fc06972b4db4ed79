"""`calibrant compare`."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from calibrant.cli.options import (
    Limits,
    Reader,
    Show,
    has_interval,
    note,
    reads_pairs,
    shows_results,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray


@shows_results
@has_interval
@reads_pairs
def compare_command(
    read: Reader,
    limits: Limits,
    show: Show,
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILES", help="Two or more files of predictions on the same questions."
        ),
    ],
    score: Annotated[
        str,
        typer.Option("--score", metavar="SCORE", help="Score to compare by: Brier, ECE, ..."),
    ] = "CalibScore",
    key: Annotated[
        list[str] | None,
        typer.Option(
            "--key",
            metavar="COLUMN",
            help="Column that identifies the question, if the files are in different orders; "
            "repeatable, for keys of several columns.",
        ),
    ] = None,
) -> None:
    """Compare models on the same questions.

    Examples
    --------
      calibrant compare crf.parquet hmm.parquet
      calibrant compare a.csv b.csv c.csv --score Brier --key id --group sent
      calibrant compare a.csv b.csv --key sentence --key begin --key end
    """
    from calibrant.cli.output import warnings_as_notes
    from calibrant.errors import ParameterError
    from calibrant.results.choices import choose
    from calibrant.tables import file_names
    from calibrant.verbs import compare

    chosen = choose(score, "score")
    if len(files) < 2:
        raise ParameterError("Two or more files are needed to compare.")
    if len(set(files)) < len(files):
        raise ParameterError("A file is named twice.")
    models = {name: read(each) for name, each in zip(file_names(files), files, strict=True)}
    keys = [_key(read, each, key) for each in files] if key else None
    with warnings_as_notes():
        found = compare(models, chosen, key=keys, interval=limits.interval, level=limits.level)
    if show.format in ("json", "csv"):
        show(found.table(), [each | {"p_value": each.get("p_value")} for each in found.to_dicts()])
        return
    typer.echo(found.render(show.format))
    note(found.sentence)


def _key(read: Reader, file: str, names: "list[str]") -> "NDArray[Any]":
    """The key of each question, from one column or several."""
    import numpy as np

    columns = [read.column(file, name) for name in names]
    if len(columns) == 1:
        return columns[0]
    return np.array([repr(row) for row in zip(*(each.tolist() for each in columns), strict=True)])
