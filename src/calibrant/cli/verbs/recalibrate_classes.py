"""`calibrant recalibrate-classes`: the verb `recalibrate`, of a row of classes for each item."""

from typing import Annotated

import typer

from calibrant.cli.inputs.classes import ClassReader, reads_classes
from calibrant.cli.maps import MapFigure, MapOutput, check_map, check_method, show_map
from calibrant.cli.options import Limits, Show, has_interval, shows_results


@shows_results
@has_interval
@reads_classes
def recalibrate_classes_command(
    read: ClassReader,
    limits: Limits,
    show: Show,
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE",
            help="A row per item and a column per class, as for calibrant score-classes.",
        ),
    ],
    method: Annotated[
        str,
        typer.Argument(
            metavar="METHOD",
            help="Temperature, VectorScaling, Dirichlet, 'Dirichlet(apart=0.1)', or auto, which "
            "chooses one of them, or none.",
        ),
    ] = "auto",
    output: MapOutput = None,
    figure: MapFigure = None,
    score: Annotated[
        str,
        typer.Option(
            "--score", metavar="RULE", help="The rule to judge whole rows by: Brier or LogLoss."
        ),
    ] = "Brier",
) -> None:
    """Mend the probabilities of all classes, whose rows still sum to 1.

    The gain is measured on groups (or rows, if there are none) that the map has not seen.

    Examples
    --------
      calibrant recalibrate-classes dev.csv --columns 'prob_*' --gold label -o map.json
      calibrant recalibrate-classes dev.npz Dirichlet --score LogLoss
      calibrant apply map.json test.csv --columns 'prob_*' -o fixed.csv
    """
    from calibrant.cli.output import warnings_as_notes
    from calibrant.verbs import recalibrate

    check_map(output, figure, file)
    check_method(method, score, ("Brier", "LogLoss"))
    given = read(file)
    with warnings_as_notes():
        found = recalibrate(
            given.posterior,
            method,
            gold=given.gold,
            group=given.group,
            score=score,
            interval=limits.interval,
            level=limits.level,
        )
    show_map(found, show, output, figure)
