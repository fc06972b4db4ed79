"""`calibrant slices`."""

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from calibrant.cli.options import (
    By,
    File,
    Limits,
    Reader,
    Show,
    has_interval,
    note,
    reads_mapped_pairs,
    shows_results,
)

if TYPE_CHECKING:
    from calibrant.calibration.slicing.slices import Slices


@shows_results
@has_interval
@reads_mapped_pairs
def slices_command(
    read: Reader,
    limits: Limits,
    show: Show,
    file: File,
    by: By = None,
    crosses: Annotated[
        bool, typer.Option("--crosses", help="Add the slices of every two columns together.")
    ] = False,
    worst: Annotated[
        bool,
        typer.Option(
            "--worst",
            help="Search for the worst slices of up to two columns (default: of all columns) in "
            "one half of the groups, and confirm them in the other.",
        ),
    ] = False,
    score_name: Annotated[
        str, typer.Option("--score", metavar="SCORE", help="What to measure in each slice.")
    ] = "CalibScore",
    test_name: Annotated[
        str, typer.Option("--test", metavar="TEST", help="The test of calibration in each slice.")
    ] = "Joint",
) -> None:
    """Look for slices of the data where predictions are not calibrated.

    p-values are adjusted for the number of slices. "detectable" is the smallest error that the
    test would have found, so that silence is not taken for health.

    Examples
    --------
      calibrant slices preds.csv --by genre --by length:5
      calibrant slices preds.csv --by 'genre*length:5' --json
      calibrant slices preds.csv --worst
    """
    from calibrant.calibration.slicing.sliceable import wanted_columns
    from calibrant.cli.output import warnings_as_notes
    from calibrant.results.choices import choose
    from calibrant.verbs import slices

    score, test = choose(score_name, "score"), choose(test_name, "test")
    columns = by or None
    predictions = read.predictions(file, wanted_columns(columns, crosses, worst))
    with warnings_as_notes():
        found = slices(
            predictions,
            columns,
            crosses=crosses,
            worst=worst,
            score=score,
            hypothesis=test,
            interval=limits.interval,
            level=limits.level,
        )
    show(found.table(), found.to_dicts())
    _notes(found, show)


def _notes(found: "Slices", show: Show) -> None:
    for reason in found.left_out.values():
        note(f"left out: {reason}")
    if show.format == "text":
        note(found.sentence)
    if sys.stdout.isatty():
        note(found.signature)
