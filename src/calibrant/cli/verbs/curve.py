"""`calibrant curve`."""

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from calibrant.cli.options import (
    INTERVAL,
    OUTPUT,
    By,
    File,
    Level,
    Reader,
    Show,
    note,
    reads_mapped_pairs,
    shows_results,
    split_name,
)

if TYPE_CHECKING:
    from calibrant.bridges.overview import Overview
    from calibrant.calibration.curves import Curve
    from calibrant.cli.inputs.sliced import Table
    from calibrant.pairs import Pairs

TABLES = {".csv": "csv", ".json": "json", ".md": "md", ".tex": "latex", ".txt": "text"}
PARQUET = ".parquet"
T = TypeVar("T")


@shows_results
@reads_mapped_pairs
def curve_command(
    read: Reader,
    show: Show,
    file: File,
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[FILE...] [CURVE]",
            help="More files of the same data, or summaries, which are added. The curve to "
            "estimate: AdaptiveBins (the default of tables), 'AdaptiveBins(size=400)', "
            "'UniformBins(count=15)', LocalLikelihood, 'LocalLikelihood(bandwidth=0.5)', Kernel or "
            "Isotonic.",
        ),
    ] = None,
    output: Annotated[
        str,
        typer.Option(
            "-o",
            "--output",
            metavar="FILE",
            help="A figure (.png, .svg, .pdf), a table (.csv, .json, .md, .tex, .txt, .parquet), "
            "or - for a table on stdout.",
            rich_help_panel=OUTPUT,
        ),
    ] = "-",
    also: Annotated[
        list[str] | None,
        typer.Option(
            "--also", metavar="FILE", help="Another file to draw in the same figure; repeatable."
        ),
    ] = None,
    by: By = None,
    panels: Annotated[
        bool, typer.Option("--panels", help="Draw each file in a separate panel.")
    ] = False,
    band: Annotated[
        str | None,
        typer.Option(
            "--band",
            metavar="BAND",
            help="Bins: wilson (the default) or wald. Smooth curves: robust (the default) or "
            "bootstrap. Isotonic: confidence (the default) or consistency.",
            rich_help_panel=INTERVAL,
        ),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(
            "--seed",
            help="Seed for the bands bootstrap and consistency (default: 0). Other bands are not "
            "resampled.",
            rich_help_panel=INTERVAL,
        ),
    ] = None,
    level: Level = 0.95,
) -> None:
    """Estimate how often y = 1 for each prediction, as a table or a figure.

    A figure without CURVE shows a smooth curve with its band, at most twenty bins as dots, and the
    score.

    Examples
    --------
      calibrant curve preds.csv -o curve.svg
      calibrant curve crf.csv 'AdaptiveBins(size=400)' --also hmm.csv --panels -o both.png
      calibrant curve preds.csv --format csv > curve.csv
      calibrant curve preds.csv --by genre -o genres.svg
    """
    from calibrant.bridges.overview import overview_of
    from calibrant.checks.parameters import check_level, check_seed
    from calibrant.results.choices import choose
    from calibrant.tables import file_names
    from calibrant.verbs import curve

    more, chosen = split_name(words, "CURVE", "")
    estimator = choose(chosen or "AdaptiveBins", "curve")
    how: dict[str, Any] = {"level": check_level(level), "band": band, "seed": check_seed(seed)}
    estimator.refuse_idle_seed(seed, band)
    files = [file, *(also or [])]
    figure = _is_figure(output)
    _check_output(output, [*files, *more], show, several=bool(also) or panels)
    parts = [[file, *more], *([each] for each in also or [])]
    named = dict(zip(file_names(files), parts, strict=True))
    if figure and not chosen and band is None:
        found = _answers(read, by, named, partial(overview_of, level=level))
        _draw_usual(found, output, panels or bool(by))
        _sign({name: each.score.signature for name, each in found.items()})
        return
    curves = _answers(read, by, named, lambda pairs: curve(pairs, estimator, **how))
    if figure:
        _draw(curves, output, panels or bool(by))
    else:
        _write(curves, output, show, sliced=bool(by))
    _sign({name: each.signature for name, each in curves.items()})


def _answers(
    read: Reader,
    by: list[str] | None,
    named: dict[str, list[str]],
    verb: "Callable[[Pairs], T]",
) -> dict[str, T]:
    """The answer for every slice of one file, or for the files of every name."""
    from calibrant.cli.inputs.sliced import each_slice, sliced
    from calibrant.cli.output import warnings_as_notes

    with warnings_as_notes():
        if by:
            return each_slice(sliced(read, by, [f for each in named.values() for f in each]), verb)
        return {name: verb(read(*each)) for name, each in named.items()}


def _sign(signatures: dict[str, str]) -> None:
    """Print the signatures on a terminal."""
    if sys.stdout.isatty():
        for name, signature in signatures.items():
            note(signature if len(signatures) == 1 else f"{name}: {signature}")


def _is_figure(output: str) -> bool:
    return output != "-" and Path(output).suffix.lower() not in (*TABLES, PARQUET)


def _check_output(output: str, files: list[str], show: Show, several: bool) -> None:
    """Refuse outputs that cannot be written, before reading anything."""
    from calibrant.cli.output import check_output
    from calibrant.errors import ParameterError
    from calibrant.plots.files import figure_format

    if show.given and output != "-":
        raise ParameterError("--format is for stdout; the extension of a file sets its format.")
    if _is_figure(output):
        figure_format(output, others=(*TABLES, PARQUET))
    elif several:
        raise ParameterError(
            "--also and --panels are for figures: give -o a name in .png, .svg or .pdf."
        )
    if output != "-":
        check_output(output, *files)


def _draw_usual(found: "dict[str, Overview]", output: str, panels: bool) -> None:
    """Draw the default picture of pairs."""
    from calibrant.plots import save_figure
    from calibrant.plots.overviews import plot_overviews

    if len(found) == 1:
        found = dict.fromkeys([""], *found.values())
    elif not panels:  # matplotlib would read text between dollar signs as a formula
        found = {name.replace("$", r"\$"): each for name, each in found.items()}
    drawn = plot_overviews(found, panels=panels and len(found) > 1)
    note(f"wrote {save_figure(drawn[0] if isinstance(drawn, list) else drawn, output)}")


def _draw(curves: "dict[str, Curve]", output: str, panels: bool) -> None:
    from calibrant.plots import plot_curve, plot_curves, plot_panels, save_figure

    # matplotlib would read text between dollar signs as a formula
    plain = {name.replace("$", r"\$"): curve for name, curve in curves.items()}
    if panels:
        ax = plot_panels(curves)[0]
    elif len(curves) == 1:
        ax = plot_curve(next(iter(curves.values())))
    else:
        ax = plot_curves(plain)
    note(f"wrote {save_figure(ax, output)}")


def _write(curves: "dict[str, Curve]", output: str, show: Show, sliced: bool) -> None:
    from calibrant.checks.files import replacing, write_text
    from calibrant.cli.output import render

    table, records = _table(curves, sliced)
    if output == "-":
        show(table, records)
        return
    ending = Path(output).suffix.lower()
    if ending == PARQUET:
        import polars

        with replacing(output) as temporary:
            polars.DataFrame(records, infer_schema_length=None).write_parquet(temporary)
    else:
        write_text(output, render(TABLES[ending], table, records) + "\n")
    note(f"wrote {output}")


def _table(curves: "dict[str, Curve]", sliced: bool) -> "tuple[Table, list[dict[str, Any]]]":
    """The table of a curve, or of several with the name of the slice."""
    from calibrant.cli.inputs.sliced import joined_records, joined_table

    records = {
        name: [
            row | {"level": curve.level, "signature": curve.signature}
            for row in curve.to_frame().to_dicts()
        ]
        for name, curve in curves.items()
    }
    tables = {name: curve.table() for name, curve in curves.items()}
    if sliced:
        return joined_table(tables), joined_records(records)
    return next(iter(tables.values())), next(iter(records.values()))
