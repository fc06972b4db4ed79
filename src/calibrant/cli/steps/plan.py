"""`calibrant plan`."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from calibrant.cli.options import (
    OUTPUT,
    GroupColumn,
    Level,
    NoGroup,
    Seed,
    Show,
    column_or_none,
    input_option,
    note,
    shows_results,
)

if TYPE_CHECKING:
    import numpy as np
    import polars
    from numpy.typing import NDArray

    from calibrant.calibration.counting.planning import Plan
    from calibrant.pairs import Pairs
    from calibrant.pairs.tallies import Tallies

ROW = "row"


@shows_results
def plan_command(
    show: Show,
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="Predictions of everything that is to be counted.")
    ],
    width: Annotated[
        float, typer.Option("--width", help="The wanted width of the interval of a share.")
    ],
    by: Annotated[
        str | None,
        typer.Option("--by", metavar="COLUMN", help="In each category, as in calibrant count."),
    ] = None,
    pilot: Annotated[
        str | None,
        typer.Option(
            "--pilot",
            metavar="FILE",
            help="Labelled predictions that tell how large errors are (default: labels in FILE).",
        ),
    ] = None,
    whole: Annotated[
        bool, typer.Option("--draw-groups", help="Draw whole groups (documents), not rows.")
    ] = False,
    even: Annotated[
        float,
        typer.Option(
            "--even",
            help="Part of the chances that is spread evenly, so that weights stay bounded; 1 draws "
            "evenly.",
        ),
    ] = 0.2,
    score: Annotated[
        str | None,
        typer.Option(
            "--score",
            metavar="SCORE",
            help="Plan for an interval of this score instead, such as CalibScore; needs a pilot.",
        ),
    ] = None,
    q: Annotated[
        str | None, input_option("--q", metavar="COLUMN", help="Column of predicted probabilities.")
    ] = None,
    y: Annotated[
        str | None, input_option("--y", metavar="COLUMN", help="Column of labels, 0, 1 or empty.")
    ] = None,
    group: GroupColumn = None,
    no_group: NoGroup = False,
    source: Annotated[
        str | None, input_option("--from", metavar="FORMAT", help="csv, tsv, jsonl or parquet.")
    ] = None,
    level: Level = 0.95,
    seed: Seed = None,
    output: Annotated[
        str | None,
        typer.Option(
            "-o",
            "--output",
            metavar="FILE",
            help="Write the rows to label: all columns, an empty y, and label_weight.",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
) -> None:
    """Plan labels: how many, and which, for an interval of a wanted width.

    Rows are drawn more often where the model is less certain. Their weights keep counts unbiased:
    calibrant count reads them back.

    Examples
    --------
      calibrant plan news.parquet --width 0.05 -o label.csv
      calibrant plan news.parquet --width 0.1 --by date:quarter --pilot pilot.csv -o label.csv
      calibrant count news.parquet --gold label.csv --key row
    """
    from calibrant.checks.parameters import check_level, check_seed
    from calibrant.cli.output import check_output
    from calibrant.tables import check_table

    if output is not None:
        check_table(output)
        check_output(output, file, *([] if pilot is None else [pilot]))
    given: dict[str, Any] = {"q": q, "y": y, "group": column_or_none("group", group, no_group)}
    tallies, frame = _read(file, given, by, source)
    known = _pilot(tallies, pilot, given)
    confidence, start = check_level(level), check_seed(seed) or 0
    found = (
        _for_share(tallies, width, by, whole, known, even, confidence, start)
        if score is None
        else _for_score(tallies, width, score, known, whole, confidence, start)
    )
    show(found.table(), found.to_dicts())
    note(found.sentence)
    if output is not None:
        _write(found.rows, found.weight, frame, tallies, y or "y", output)


def _read(
    file: str, given: dict[str, Any], by: str | None, format: str | None
) -> "tuple[Tallies, polars.DataFrame]":
    """The tallies of all rows, and all their columns."""
    from calibrant.calibration.counting.categories import period_of
    from calibrant.tables.tallied import table_of, tallies_of_table

    table = table_of(file, format)
    columns = [] if by is None else [period_of(by, list(table.names))[0]]
    tallies = tallies_of_table(table, given, columns, note=note).tallies
    return tallies, table.columns(list(table.names))


def _pilot(tallies: "Tallies", pilot: str | None, given: dict[str, Any]) -> "Pairs | None":
    """Labelled pairs of the pilot, or of the file itself; None if there are too few."""
    from calibrant.errors import InputError
    from calibrant.pairs import Pairs
    from calibrant.tables.tallied import table_of, tallies_of_table

    found = tallies
    if pilot is not None:
        found = tallies_of_table(table_of(pilot), given, note=note).tallies
    kept = found.labelled
    if not kept.any() and pilot is not None:
        raise InputError(f"{pilot} has no labels: a pilot is labelled predictions.")
    if not kept.any():
        return None
    group = None if found.group is None else found.group[kept]
    return Pairs(found.gold[kept], found.expected[kept], group=group)


def _for_share(
    tallies: "Tallies",
    width: float,
    by: str | None,
    whole: bool,
    pilot: "Pairs | None",
    even: float,
    level: float,
    seed: int,
) -> "Plan":
    from calibrant.calibration.counting.planning import plan_labels

    return plan_labels(
        tallies, width, by=by, groups=whole, pilot=pilot, even=even, level=level, seed=seed
    )


def _for_score(
    tallies: "Tallies",
    width: float,
    name: str,
    pilot: "Pairs | None",
    whole: bool,
    level: float,
    seed: int,
) -> "Plan":
    """A plan for a score's interval: its width in the pilot falls as 1 / √n."""
    from calibrant.calibration.counting.planning import plan_for_score, random_plan
    from calibrant.errors import InputError
    from calibrant.verbs import score

    if pilot is None:
        raise InputError("A score needs a pilot of labelled rows: give --pilot FILE.")
    found = score(pilot, name, level=level, seed=seed)
    if found.low is None or found.high is None:
        raise InputError(f"{name} has no interval in the pilot, so its width is not known.")
    units = pilot.groups if whole else len(pilot)
    many = plan_for_score(units, found.high - found.low, width)
    return random_plan(tallies, many, width, whole, name, seed)


def _write(
    rows: "NDArray[np.int64]",
    weight: "NDArray[np.float64]",
    frame: "polars.DataFrame",
    tallies: "Tallies",
    y: str,
    output: str,
) -> None:
    """Write what to label: its row, all columns, labels that are known, and weights."""
    import polars

    from calibrant.tables.tallied import DESIGN
    from calibrant.tables.writing import write_frame

    chosen = frame[rows]
    known = polars.Series(y, tallies.gold[rows]).fill_nan(None).cast(polars.Int8)
    kept = chosen.drop([name for name in (y, DESIGN, ROW) if name in chosen.columns])
    number = chosen[ROW] if ROW in frame.columns else polars.Series(ROW, rows + 1)
    write_frame(
        kept.with_columns(number, known, polars.Series(DESIGN, weight)).select(
            ROW, *kept.columns, y, DESIGN
        ),
        output,
    )
    note(f"wrote {output}: fill in {y}, then calibrant count --gold {output} --key {ROW}")
