"""`calibrant compare`."""

from pathlib import Path
from typing import Annotated

import typer

from calibrant.cli.options import Format, Level, Reader, note, reads_pairs


@reads_pairs
def compare_command(
    read: Reader,
    files: Annotated[
        list[str],
        typer.Argument(metavar="FILES", help="Two or more files of the same questions."),
    ],
    score: Annotated[
        str, typer.Option("--score", help="What to compare by: CalibScore, Brier, ECE, ...")
    ] = "CalibScore",
    key: Annotated[
        str | None,
        typer.Option("--key", help="Column that names the question, where rows differ in order."),
    ] = None,
    replicates: Annotated[
        int, typer.Option("--replicates", help="Bootstrap replicates of the intervals.")
    ] = 1000,
    seed: Annotated[int, typer.Option("--seed", help="Seed of the intervals.")] = 0,
    level: Level = 0.95,
    format: Format = None,
) -> None:
    """Ask which model is better, on the same questions.

    Examples
    --------
      calibrant compare crf.parquet hmm.parquet
      calibrant compare a.csv b.csv c.csv --score Brier --key id --group sent
    """
    from calibrant.calibration.intervals import Bootstrap
    from calibrant.checks.parameters import check_level
    from calibrant.cli.output import chosen_format, render, warnings_as_notes
    from calibrant.errors import ParameterError
    from calibrant.results.naming import parse
    from calibrant.verbs import compare

    shown = chosen_format(format)
    check_level(level)
    chosen, interval = parse(score, "score"), Bootstrap(replicates, seed)
    if len(files) < 2:
        raise ParameterError("Two or more files are needed to compare.")
    if len(set(files)) < len(files):
        raise ParameterError("A file is named twice.")
    stems = [Path(each).name.removesuffix(".gz").rsplit(".", 1)[0] for each in files]
    names = stems if len(set(stems)) == len(stems) else files
    models = {name: read(each) for name, each in zip(names, files, strict=True)}
    keys = None if key is None else [read.column(each, key) for each in files]
    with warnings_as_notes():
        found = compare(models, chosen, key=keys, interval=interval, level=level)
    if shown in ("json", "csv"):
        records = found.to_dicts()
        missing = {"p_value": None}
        typer.echo(render(shown, found.table(), [missing | record for record in records]))
        return
    typer.echo(found.render(shown))
    note(found.sentence)
