"""Maps of probabilities that commands learn: their option, their evidence, their file."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from calibrant.cli.options import OUTPUT, Show, note

if TYPE_CHECKING:
    from calibrant.calibration.recalibration.recalibrator import Recalibrator
    from calibrant.pairs import Pairs

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


def load_map(path: str) -> "Recalibrator":
    """The map that a command has saved."""
    from calibrant.calibration.recalibration.recalibrator import Recalibrator
    from calibrant.checks.files import file_name
    from calibrant.errors import CalibrantError, FileError

    try:
        return Recalibrator.load(path)
    except CalibrantError:
        raise
    except (KeyError, IndexError, TypeError, ValueError, RecursionError) as error:
        raise FileError(
            f"{file_name(path)} is not a complete map of this version: make it again with "
            "calibrant recalibrate."
        ) from error


PROPER = ("Brier", "LogLoss", "Spherical")


def check_method(method: str, score: str, rules: Sequence[str] = PROPER) -> None:
    """Refuse words that cannot work before the file is read, which may take long."""
    from calibrant.calibration.scores import Score
    from calibrant.errors import ParameterError
    from calibrant.results.choices import choose
    from calibrant.results.wording import joined

    if Path(method).is_file():
        raise ParameterError(
            f"A map is learnt from one file, but {method} is a second one. The argument after the "
            "file is a method, such as Temperature, or auto."
        )
    if method.strip().lower() != "auto":
        choose(method, "recalibrator")
    rule: Score = choose(score, "score")
    if type(rule).__name__ not in rules:
        raise ParameterError(
            f"{rule!r} is not a proper scoring rule for these data: --score takes {joined(rules)}."
        )
    if rule.above is not None or rule.below is not None:
        raise ParameterError(
            f"--score must judge all predictions, but {rule!r} judges a range of them: leave "
            "above and below out."
        )


def check_finite(pairs: "Pairs", score: str) -> None:
    """Refuse a logarithmic loss that is infinite, and say what to do."""
    from calibrant.calibration.scores import LogLoss
    from calibrant.errors import InputError
    from calibrant.results.choices import choose

    rule = choose(score, "score")
    if not isinstance(rule, LogLoss) or rule.clip:
        return
    wrong = int(((pairs.q == 0) & (pairs.y == 1)).sum() + ((pairs.q == 1) & (pairs.y == 0)).sum())
    if wrong:
        raise InputError(
            f"{wrong} of {len(pairs)} predictions are exactly 0 or 1 and wrong, so their LogLoss "
            "is infinite: judge by Brier, or by --score 'LogLoss(clip=1e-6)'."
        )
