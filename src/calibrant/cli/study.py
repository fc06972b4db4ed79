"""`calibrant study`: whole experiments."""

from collections.abc import Iterable, Iterator
from typing import Annotated, Any

import typer

from calibrant.cli.options import Format, note

study = typer.Typer(
    help="Remake a whole experiment of the thesis.",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@study.callback()
def _group() -> None:
    """Remake a whole experiment of the thesis."""


@study.command("synthetic")
def synthetic_command(
    output: Annotated[str, typer.Option("-o", "--output", help="Folder for the results.")],
    replicates: Annotated[
        int, typer.Option("--replicates", help="Simulations behind each 99 % range.")
    ] = 300,
    seed: Annotated[int, typer.Option("--seed", help="Seed of all draws.")] = 0,
    format: Format = None,
) -> None:
    """Bin size and sample size against the score: figures 4.7 to 4.11.

    Writes the numbers as CSV and the figures as PNG and SVG, and prints the values of the
    thesis beside the 99 % ranges that simulation gives for four Beta distributions.
    """
    from calibrant.cli.output import chosen_format, render
    from calibrant.studies.synthetic import run_synthetic

    shown = chosen_format(format)
    report = run_synthetic(output, replicates, seed, _track, note)
    header, rows = report.table()
    typer.echo(render(shown, (header, rows), [dict(zip(header, row, strict=True)) for row in rows]))


def _track(items: Iterable[Any], total: int, what: str) -> Iterator[Any]:
    """A progress bar on stderr."""
    from rich.console import Console
    from rich.progress import track

    yield from track(items, what, total=total, console=Console(stderr=True))
