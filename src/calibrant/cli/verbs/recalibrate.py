"""`calibrant recalibrate`."""

from dataclasses import replace
from typing import Annotated

import typer

from calibrant.cli.maps import MapFigure, MapOutput, check_finite, check_map, check_method, show_map
from calibrant.cli.options import (
    File,
    Limits,
    Reader,
    Show,
    has_interval,
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
    output: MapOutput = None,
    figure: MapFigure = None,
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
    from calibrant.cli.output import warnings_as_notes
    from calibrant.verbs import recalibrate

    check_map(output, figure, file)
    check_method(method, score)
    pairs = read(file)
    check_finite(pairs, score)
    with warnings_as_notes():
        found = recalibrate(
            pairs, method, score=score, interval=limits.interval, level=limits.level
        )
    named = read.given.get("q")
    show_map(replace(found, column=named if isinstance(named, str) else ""), show, output, figure)
