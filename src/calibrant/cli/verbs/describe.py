"""`calibrant describe`."""

from typing import Annotated

import typer

from calibrant.cli.options import File, Format, Level, Reader, note, reads_pairs


@reads_pairs
def describe_command(
    read: Reader,
    file: File,
    output: Annotated[
        str | None, typer.Option("-o", "--output", help="Also draw it: .png, .svg or .pdf.")
    ] = None,
    level: Level = 0.95,
    format: Format = None,
) -> None:
    """Say how often y = 1, how well q tells yes from no, and which way predictions lean.

    Examples
    --------
      calibrant describe preds.csv
      calibrant describe preds.csv -o distributions.png
    """
    from calibrant.checks.parameters import check_level
    from calibrant.cli.output import check_figure, chosen_format, render
    from calibrant.verbs import describe

    shown = chosen_format(format)
    check_level(level)
    check_figure(output)
    pairs = read(file)
    found = describe(pairs, level=level)
    records = [{"name": name} | each for name, each in found.to_dict().items()]
    typer.echo(render(shown, found.table(), records))
    note(found.sentence)
    if found.certain:
        note(f"The Cox line leaves out {found.certain:g} pairs with q of exactly 0 or 1.")
    if output is not None:
        from calibrant.plots import plot_description, save_figure

        note(f"wrote {save_figure(plot_description(found), output)}")
