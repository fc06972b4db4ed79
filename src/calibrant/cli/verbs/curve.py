"""`calibrant curve`."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from calibrant.cli.options import File, Format, Level, Reader, note, reads_pairs

if TYPE_CHECKING:
    from calibrant.calibration.curves import Curve

TABLE_ENDINGS = {".csv": "csv", ".json": "json", ".md": "md", ".tex": "latex", ".txt": "text"}


@reads_pairs
def curve_command(
    read: Reader,
    file: File,
    curve_name: Annotated[
        str,
        typer.Argument(
            metavar="CURVE",
            help="AdaptiveBins, 'AdaptiveBins(size=400)', 'UniformBins(count=15)', "
            "LocalLikelihood, 'LocalLikelihood(bandwidth=0.5)', Kernel or Isotonic.",
        ),
    ] = "AdaptiveBins",
    output: Annotated[
        str,
        typer.Option(
            "-o", "--output",
            help="A figure (.png, .svg, .pdf), a table (.csv, .json, .md, .tex, .txt, .parquet), "
            "or - for stdout.",
        ),
    ] = "-",
    also: Annotated[
        list[str] | None, typer.Option("--also", help="Another file to draw with it; repeatable.")
    ] = None,
    panels: Annotated[bool, typer.Option("--panels", help="One panel per file.")] = False,
    level: Level = 0.95,
    band: Annotated[
        str | None,
        typer.Option(
            "--band",
            help="wilson or wald (bins), bootstrap (smooth), confidence or consistency (Isotonic).",
        ),
    ] = None,
    format: Format = None,
) -> None:  # fmt: skip
    """Estimate how often y = 1 for each prediction, as a table or a figure.

    Examples
    --------
      calibrant curve preds.csv -o curve.svg
      calibrant curve crf.csv 'AdaptiveBins(size=400)' --also hmm.csv --panels -o both.png
      calibrant curve preds.csv --format csv > curve.csv
    """
    from calibrant.checks.files import check_writable
    from calibrant.checks.parameters import check_level
    from calibrant.cli.output import chosen_format, warnings_as_notes
    from calibrant.errors import ParameterError
    from calibrant.results.naming import parse
    from calibrant.verbs import curve

    estimator = parse(curve_name, "curve")
    check_level(level)
    estimator.band(band)
    if format is not None and output != "-":
        raise ParameterError("--format is for stdout; a file's ending says what it becomes.")
    ending = Path(output).suffix.lower()
    figure = output != "-" and ending not in (*TABLE_ENDINGS, ".parquet")
    if figure:
        from calibrant.plots.files import figure_format

        figure_format(output, others=(*TABLE_ENDINGS, ".parquet"))
    elif also or panels:
        raise ParameterError(
            "--also and --panels are for figures: give -o a name in .png, .svg or .pdf."
        )
    shown = chosen_format(format if output == "-" else TABLE_ENDINGS.get(ending, "csv"))
    if output != "-":
        check_writable(output)
    files = [file, *(also or [])]
    with warnings_as_notes():
        curves = {
            _name(each, files): curve(read(each), estimator, level=level, band=band)
            for each in files
        }
    if figure:
        _draw(curves, output, panels)
    else:
        _write(next(iter(curves.values())), output, ending, shown)
    if sys.stdout.isatty():
        for name, each in curves.items():
            note(each.signature if len(curves) == 1 else f"{name}: {each.signature}")


def _name(file: str, files: list[str]) -> str:
    """What the legend calls a file: its name, or its path where names are equal."""
    if file == "-":
        return "standard input"
    stems = [Path(each).name.removesuffix(".gz").rsplit(".", 1)[0] for each in files]
    stem = stems[files.index(file)]
    return (stem if stems.count(stem) == 1 else file).replace("$", r"\$")


def _draw(curves: "dict[str, Curve]", output: str, panels: bool) -> None:
    from calibrant.plots import plot_curve, plot_curves, plot_panels, save_figure

    if panels:
        ax = plot_panels(curves)[0]
    elif len(curves) == 1:
        ax = plot_curve(next(iter(curves.values())))
    else:
        ax = plot_curves(curves)
    note(f"wrote {save_figure(ax, output)}")


def _write(curve: "Curve", output: str, ending: str, format: str) -> None:
    from calibrant.checks.files import replacing, write_text
    from calibrant.cli.output import render

    if ending == ".parquet":
        with replacing(output) as temporary:
            curve.to_frame().write_parquet(temporary)
        note(f"wrote {output}")
        return
    text = render(format, curve.table(), curve.to_frame().to_dicts())
    if output == "-":
        typer.echo(text)
    else:
        write_text(output, text + "\n")
        note(f"wrote {output}")
