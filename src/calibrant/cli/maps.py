"""Maps of probabilities that commands learn: their option, their evidence, their file."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from calibrant.cli.options import OUTPUT, Show, note

if TYPE_CHECKING:
    from calibrant.calibration.recalibration.recalibrator import Recalibrator

MapOutput = Annotated[
    str | None,
    typer.Option(
        "-o",
        "--output",
        metavar="FILE",
        help="Save the map, .json, for calibrant apply and --with.",
        rich_help_panel=OUTPUT,
    ),
]

MapFigure = Annotated[
    str | None,
    typer.Option(
        "--figure",
        metavar="FILE",
        help="Also draw the curve before and after, and the map: .png, .svg or .pdf.",
        rich_help_panel=OUTPUT,
    ),
]


def check_map(output: str | None, figure: str | None, *inputs: str) -> None:
    """Refuse files that cannot be written, before anything is computed."""
    from calibrant.cli.output import check_figure, check_output
    from calibrant.errors import ParameterError

    check_figure(figure, *inputs)
    if output is None:
        return
    if not output.lower().endswith(".json"):
        raise ParameterError(f"A map is a file in .json, but -o is {output}.")
    check_output(output, *inputs)


def show_map(found: "Recalibrator", show: Show, output: str | None, figure: str | None) -> None:
    """Show what a map gains, with the verdict as a note; save and draw it if files are named."""
    if show.format in ("json", "csv"):
        show(found.table(), found.to_frame().to_dicts())
    else:
        typer.echo(found.render(show.format))
    note(f"{found.method} ({found.told})" if found.told else found.method)
    note(found.sentence)
    note(found.signature)
    if output is not None:
        found.save(output)
        note(f"wrote {output}")
    if figure is not None:
        from calibrant.plots import save_figure
        from calibrant.plots.recalibration import plot_recalibrator

        note(f"wrote {save_figure(plot_recalibrator(found)[0], figure)}")


def check_method(method: str, score: str) -> None:
    """Refuse words that cannot work before the file is read, which may take long."""
    from calibrant.calibration.scores import Score
    from calibrant.errors import ParameterError
    from calibrant.results.choices import choose

    if Path(method).is_file():
        raise ParameterError(
            f"A map is learnt from one file, but {method} is a second one. The argument after the "
            "file is a method, such as Platt, or auto."
        )
    if method.strip().lower() != "auto":
        choose(method, "recalibrator")
    rule: Score = choose(score, "score")
    if rule.above is not None or rule.below is not None:
        raise ParameterError(
            f"--score must judge all predictions, but {rule!r} judges a range of them: leave "
            "above and below out."
        )
