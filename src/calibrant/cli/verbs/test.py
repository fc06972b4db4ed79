"""`calibrant test`."""

from typing import Annotated

import typer

from calibrant.cli.options import File, Format, Reader, note, reads_pairs


@reads_pairs
def test_command(
    read: Reader,
    file: File,
    tests: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="TEST",
            help="Joint (the default), Cumulative, Cox, Spiegelhalter, HosmerLemeshow, "
            "'Consistency(ECE)'.",
        ),
    ] = None,
    fail_below: Annotated[
        float | None, typer.Option("--fail-below", help="Exit 1 if a p-value is below this.")
    ] = None,
    format: Format = None,
) -> None:
    """Ask whether a calibrated model could have produced the data.

    Examples
    --------
      calibrant test preds.csv
      calibrant test preds.csv Cumulative Cox --group sent --fail-below 0.01
    """
    from calibrant.checks.parameters import real_number
    from calibrant.cli.output import chosen_format, render, warnings_as_notes
    from calibrant.results.digits import p_cell
    from calibrant.results.naming import parse
    from calibrant.verbs import test

    shown = chosen_format(format)
    if fail_below is not None:
        fail_below = real_number("--fail-below", fail_below)
    chosen = [parse(text, "test") for text in tests or ["Joint"]]
    pairs = read(file)
    with warnings_as_notes():
        found = [test(pairs, each) for each in chosen]
    rows = [[v.test, f"{v.statistic:.3f}", p_cell(v.p_value, v.least), v.how] for v in found]
    typer.echo(
        render(shown, (["test", "statistic", "p", "by"], rows), [v.to_dict() for v in found])
    )
    if shown == "text":
        for verdict in found:
            note(f"{verdict.test}: {verdict.sentence}")
    failed = [v for v in found if fail_below is not None and v.p_value < fail_below]
    for verdict in failed:
        note(f"{verdict.test}: {verdict.p_text} is below {fail_below:g}.")
    if failed:
        raise typer.Exit(1)
