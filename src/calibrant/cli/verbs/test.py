"""`calibrant test`."""

from typing import TYPE_CHECKING, Annotated

import typer

from calibrant.cli.options import (
    File,
    Reader,
    Seed,
    Show,
    note,
    reads_mapped_pairs,
    shows_results,
    split_files,
)

if TYPE_CHECKING:
    from calibrant.results.verdict import Verdicts

REJECTED = "The interval of a single score may start at 0 all the same: see Consistency."
NOT_REJECTED = "The interval of a single number (score, describe) may show an error all the same."


@shows_results
@reads_mapped_pairs
def test_command(
    read: Reader,
    show: Show,
    file: File,
    tests: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[FILE...] [TEST...]",
            help="More files of the same data, or summaries, which are added. One or more "
            "tests: Joint (the default), Cumulative, Cox, "
            "Spiegelhalter, HosmerLemeshow, 'Consistency(ECE)'.",
        ),
    ] = None,
    seed: Seed = None,
    fail_below: Annotated[
        float | None,
        typer.Option("--fail-below", help="Exit with 1 if a p-value is below this value."),
    ] = None,
) -> None:
    """Test whether a calibrated model could have produced the data.

    Examples
    --------
      calibrant test preds.csv
      calibrant test preds.csv Cumulative Cox --group sent --fail-below 0.01
    """
    from calibrant.checks.parameters import check_seed, real_number
    from calibrant.cli.output import warnings_as_notes
    from calibrant.results.choices import choose_all
    from calibrant.results.verdict import SOME
    from calibrant.verbs import test

    if fail_below is not None:
        fail_below = real_number("--fail-below", fail_below)
    more, names = split_files(tests)
    chosen = choose_all(names or ["Joint"], "test")
    check_seed(seed)
    pairs = read(file, *more)
    with warnings_as_notes():
        found = test(pairs, chosen, seed=seed)
    show(found.table(), [verdict.to_dict() for verdict in found])
    if show.format == "text":
        for verdict in found:
            note(f"{verdict.test}: {verdict.sentence}")
            if verdict.test.startswith("Joint"):
                note(REJECTED if verdict.p_value < SOME else NOT_REJECTED)
    if fail_below is not None:
        _gate(found, fail_below)


def _gate(found: "Verdicts", limit: float) -> None:
    failed = [verdict for verdict in found if not verdict.p_value >= limit]
    for verdict in failed:
        note(f"{verdict.test}: {verdict.p_text} is below {limit:g}.")
    if failed:
        raise typer.Exit(1)
