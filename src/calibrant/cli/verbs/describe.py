"""`calibrant describe`."""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from calibrant.cli.options import (
    INTERVAL,
    By,
    Figure,
    File,
    Level,
    Reader,
    Show,
    note,
    reads_mapped_pairs,
    shows_results,
)

if TYPE_CHECKING:
    from calibrant.calibration.analyses.description import Description
    from calibrant.pairs import Pairs


@shows_results
@reads_mapped_pairs
def describe_command(
    read: Reader,
    show: Show,
    file: File,
    more: Annotated[
        list[str] | None,
        typer.Argument(metavar="[FILE...]", help="More files of the same data, or summaries."),
    ] = None,
    by: By = None,
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
      calibrant describe preds.csv --by genre
    """
    from calibrant.checks.parameters import check_level
    from calibrant.cli.output import check_figure, warnings_as_notes
    from calibrant.results.choices import wants_normal
    from calibrant.verbs import describe

    wants_normal(interval)
    check_level(level)
    check_figure(output, file)
    verb = partial(describe, interval=interval, level=level)
    if by:
        _sliced(read, by, [file, *(more or ())], verb, show, output)
        return
    pairs = read(file, *(more or ()))
    with warnings_as_notes():
        found = verb(pairs)
    show(found.table(), [{"name": name} | each for name, each in found.to_dict().items()])
    note(found.sentence)
    if found.certain:
        note(f"The Cox line leaves out {found.certain:g} pairs with q of exactly 0 or 1.")
    if output is not None:
        from calibrant.plots import plot_description, save_figure

        note(f"wrote {save_figure(plot_description(found), output)}")


def _sliced(
    read: Reader,
    by: list[str],
    files: list[str],
    verb: "Callable[[Pairs], Description]",
    show: Show,
    output: str | None,
) -> None:
    """Show the description of every slice."""
    from calibrant.cli.inputs.sliced import each_slice, joined_records, joined_table, sliced
    from calibrant.cli.output import warnings_as_notes
    from calibrant.errors import ParameterError

    if output is not None:
        raise ParameterError("--by shows a table: leave -o out, or draw slices with curve --by.")
    with warnings_as_notes():
        found = each_slice(sliced(read, by, files), verb)
    records = {
        name: [{"name": what} | value for what, value in each.to_dict().items()]
        for name, each in found.items()
    }
    show(joined_table({name: e.table() for name, e in found.items()}), joined_records(records))
    for name, each in found.items():
        note(f"{name}: {each.sentence}")
