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
    found = [read.with_keys(each, key or []) for each in files]
    models = dict(zip(file_names(files), [pairs for pairs, _ in found], strict=True))
    keys = [_key(key, columns) for _, columns in found] if key else None
    with warnings_as_notes():
        compared = compare(models, chosen, key=keys, interval=limits.interval, level=limits.level)
    if show.format in ("json", "csv"):
        records = [each | {"p_value": each.get("p_value")} for each in compared.to_dicts()]
        show(compared.table(), records)
        return
    typer.echo(compared.render(show.format))
    note(compared.sentence)


def _key(names: list[str], columns: "list[NDArray[Any]]") -> "NDArray[Any]":
    """The name of each question; several columns name it together."""
    import numpy as np

    if len(columns) == 1:
        return columns[0]
    rows = zip(*(each.tolist() for each in columns), strict=True)
    return np.array(
        [
            ", ".join(f"{name} {part!r}" for name, part in zip(names, row, strict=True))
            for row in rows
        ]
    )
