"""`calibrant recalibrate-evals`: a map for each kind of confidence of language models."""

from typing import Annotated

import typer

from calibrant.cli.inputs.logs import LogReader, reads_logs
from calibrant.cli.maps import check_method
from calibrant.cli.options import OUTPUT, Limits, Show, has_interval, note, shows_results


@shows_results
@has_interval
@reads_logs
def recalibrate_evals_command(
    read: LogReader,
    limits: Limits,
    show: Show,
    paths: Annotated[
        list[str],
        typer.Argument(metavar="PATHS", help="Logs, or folders of logs of one format."),
    ],
    method: Annotated[
        str,
        typer.Option(
            "--method",
            metavar="METHOD",
            help="A method of calibrant recalibrate, or auto, which chooses one, or none.",
        ),
    ] = "auto",
    kind: Annotated[
        list[str] | None,
        typer.Option(
            "--kind",
            metavar="KIND",
            help="Kind of confidence (default: all), as for calibrant evals; repeatable.",
        ),
    ] = None,
    score: Annotated[
        str,
        typer.Option(
            "--score",
            metavar="RULE",
            help="The proper scoring rule to judge by: Brier, LogLoss or Spherical.",
        ),
    ] = "Brier",
    output: Annotated[
        str | None,
        typer.Option(
            "-o",
            "--output",
            metavar="FOLDER",
            help="Save the maps, one file in .json for each model, task and kind.",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
) -> None:
    """Mend the confidence of language models, and say what that gains on unseen groups.

    Examples
    --------
      calibrant recalibrate-evals logs/ --kind stated -o maps
      calibrant evals new.csv --kind stated -o answers.parquet
      calibrant apply maps/gpt-4o-mmlu-stated.json answers.parquet -o fixed.parquet
    """
    from pathlib import Path

    from calibrant.cli.output import warnings_as_notes
    from calibrant.errors import ParameterError
    from calibrant.verbs import recalibrate_evals

    check_method(method, score)
    if output is not None and Path(output).exists() and not Path(output).is_dir():
        raise ParameterError(f"-o names a folder for the maps, but {output} is a file.")
    evals = read(paths)
    with warnings_as_notes():
        found = recalibrate_evals(
            evals,
            method,
            kind=kind,
            score=score,
            interval=limits.interval,
            level=limits.level,
            progress=True,
        )
    show(found.table(), found.to_dicts())
    for each in evals.notes:
        note(each)
    for reason, many in evals.set_aside().items():
        note(f"set aside: {many} of {len(evals)} attempts ({reason})")
    if output is not None:
        written = found.save(output)
        note(f"wrote {len(written)} maps to {output}")
