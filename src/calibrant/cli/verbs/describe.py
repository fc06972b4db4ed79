"""`calibrant describe`."""

from typing import Annotated

import typer

from calibrant.cli.options import (
    INTERVAL,
    Figure,
    File,
    Level,
    Reader,
    Show,
    note,
    reads_pairs,
    shows_results,
)


@shows_results
@reads_pairs
def describe_command(
    read: Reader,
    show: Show,
    file: File,
    more: Annotated[
        list[str] | None,
        typer.Argument(metavar="[FILE...]", help="More files of the same data, or summaries."),
    ] = None,
    output: Figure = None,
    interval: Annotated[
        str,
        typer.Option(
            "--interval",
            metavar="INTERVAL",
            help="normal (approximations that respect groups), or none for values alone.",
            rich_help_panel=INTERVAL,
        ),
    ] = "normal",
    level: Level = 0.95,
) -> None:
    """Describe predictions: base rate, discrimination, and the direction of their errors.

    Examples
    --------
      calibrant describe preds.csv
      calibrant describe preds.csv -o distributions.png
    """
    from calibrant.checks.parameters import check_level
    from calibrant.cli.output import check_figure, warnings_as_notes
    from calibrant.results.choices import wants_normal
    from calibrant.verbs import describe

    wants_normal(interval)
    check_level(level)
    check_figure(output, file)
    pairs = read(file, *(more or ()))
    with warnings_as_notes():
        found = describe(pairs, interval=interval, level=level)
    show(found.table(), [{"name": name} | each for name, each in found.to_dict().items()])
    note(found.sentence)
    if found.certain:
        note(f"The Cox line leaves out {found.certain:g} pairs with q of exactly 0 or 1.")
    if output is not None:
        from calibrant.plots import plot_description, save_figure

        note(f"wrote {save_figure(plot_description(found), output)}")
