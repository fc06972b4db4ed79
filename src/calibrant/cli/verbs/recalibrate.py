"""`calibrant recalibrate`."""

from pathlib import Path
from typing import Annotated

import typer

from calibrant.cli.options import (
    OUTPUT,
    File,
    Limits,
    Reader,
    Show,
    has_interval,
    note,
    reads_pairs,
    shows_results,
)


@shows_results
@has_interval
@reads_pairs
def recalibrate_command(
    read: Reader,
    limits: Limits,
    show: Show,
    file: File,
    method: Annotated[
        str,
        typer.Argument(
            metavar="METHOD",
            help="Temperature, Platt, Beta, Isotonic, Spline, 'Spline(knots=12)', or auto, which "
            "chooses one of them, or none.",
        ),
    ] = "auto",
    output: Annotated[
        str | None,
        typer.Option(
            "-o",
            "--output",
            metavar="FILE",
            help="Save the map, .json, for calibrant apply.",
            rich_help_panel=OUTPUT,
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
) -> None:
    """Mend probabilities, and say what that gains on unseen documents.

    A map of probabilities is learnt from the file. Its gain is measured on groups (or rows, if
    there are none) that the map has not seen.

    Examples
    --------
      calibrant recalibrate dev.parquet -o map.json
      calibrant recalibrate dev.csv Platt --group doc
      calibrant apply map.json test.parquet -o fixed.parquet
    """
    from calibrant.cli.output import check_output, warnings_as_notes
    from calibrant.errors import ParameterError
    from calibrant.verbs import recalibrate

    _check(method, score)
    if output is not None:
        if not output.lower().endswith(".json"):
            raise ParameterError(f"A map is a file in .json, but -o is {output}.")
        check_output(output, file)
    pairs = read(file)
    with warnings_as_notes():
        found = recalibrate(
            pairs, method, score=score, interval=limits.interval, level=limits.level
        )
    if show.format in ("json", "csv"):
        show(found.table(), found.to_frame().to_dicts())
    else:
        typer.echo(found.render(show.format))
    told = f" ({found.told})" if found.told else ""
    note(f"{found.method}{told}")
    note(found.sentence)
    note(found.signature)
    if output is not None:
        found.save(output)
        note(f"wrote {output}")


def _check(method: str, score: str) -> None:
    """Refuse words that cannot work before the file is read, which may take long."""
    from calibrant.calibration.scores import Score
    from calibrant.errors import ParameterError
    from calibrant.results.choices import choose

    if Path(method).is_file():
        raise ParameterError(
            f"calibrant recalibrate takes one file, but {method} is a second one. Its other "
            "argument is a method, such as Platt, or auto."
        )
    if method.strip().lower() != "auto":
        choose(method, "recalibrator")
    rule: Score = choose(score, "score")
    if rule.above is not None or rule.below is not None:
        raise ParameterError(
            f"--score must judge all predictions, but {rule!r} judges a range of them: leave "
            "above and below out."
        )
