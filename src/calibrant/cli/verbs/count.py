"""`calibrant count`."""

import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from calibrant.cli.options import (
    Figure,
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
    from calibrant.calibration.counting.contrasts import Contrast
    from calibrant.calibration.counting.counts import Counts


@shows_results
def count_command(
    show: Show,
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE",
            help="Predictions: CSV, TSV, JSON lines or Parquet; - for standard input. Labels may "
            "be missing in some rows or in all.",
        ),
    ],
    by: Annotated[
        str | None,
        typer.Option(
            "--by",
            metavar="COLUMN",
            help="Count by a column: its values, length:5 for numbers in five parts, or date:month "
            "(year, quarter, week, day) for dates.",
        ),
    ] = None,
    labels: Annotated[
        str | None,
        typer.Option(
            "--labels",
            metavar="HOW",
            help="How labels were drawn: random, 'random rows' or 'random groups'.",
        ),
    ] = None,
    label_weight: Annotated[
        str | None,
        typer.Option(
            "--label-weight",
            metavar="COLUMN",
            help="Instead: the weight of each label, as calibrant plan writes it.",
        ),
    ] = None,
    gold: Annotated[
        str | None,
        typer.Option("--gold", metavar="FILE", help="Labels in a table of their own."),
    ] = None,
    key: Annotated[
        list[str] | None,
        typer.Option("--key", metavar="COLUMN", help="With --gold: what tells rows apart."),
    ] = None,
    elsewhere: Annotated[
        str | None,
        typer.Option("--elsewhere", metavar="FILE", help="Labelled rows of other documents."),
    ] = None,
    estimator: Annotated[
        str | None,
        typer.Option(
            "--estimator",
            metavar="NAME",
            help="posterior, rectified, recalibrated or shifted (default: by what is given).",
        ),
    ] = None,
    within: Annotated[
        str | None,
        typer.Option(
            "--within", metavar="COLUMN", help="With --elsewhere: a map for each of its values."
        ),
    ] = None,
    target: Annotated[
        str,
        typer.Option(
            "--target",
            metavar="WHAT",
            help="collection: these very documents; population: what they are a sample of.",
        ),
    ] = "collection",
    compare: Annotated[
        str | None,
        typer.Option(
            "--difference", metavar="A,B", help="Also print the share of A minus that of B."
        ),
    ] = None,
    trend: Annotated[
        bool, typer.Option("--trend", help="Also print the trend of the shares.")
    ] = False,
    y: Annotated[
        str | None,
        input_option("--y", metavar="COLUMN", help="Column of labels, 0 or 1, or empty."),
    ] = None,
    no_y: Annotated[bool, input_option("--no-y", help="Ignore a column of labels.")] = False,
    q: Annotated[
        str | None, input_option("--q", metavar="COLUMN", help="Column of predicted probabilities.")
    ] = None,
    weight: Annotated[
        str | None, input_option("--weight", metavar="COLUMN", help="How often each row counts.")
    ] = None,
    no_weight: Annotated[bool, input_option("--no-weight", help="Ignore weights.")] = False,
    group: GroupColumn = None,
    no_group: NoGroup = False,
    source: Annotated[
        str | None,
        input_option("--from", metavar="FORMAT", help="csv, tsv, jsonl or parquet."),
    ] = None,
    level: Level = 0.95,
    seed: Seed = None,
    output: Figure = None,
) -> None:
    """Count the yes answers, by category and in total, with intervals.

    Without labels, the model's own probabilities are added up. Labels drawn at random from the
    same documents correct them, whatever the model. The result says what it assumes.

    Examples
    --------
      calibrant count news.parquet --by date:month --group doc
      calibrant count news.parquet --by date:month --labels random -o protests.png
      calibrant count news.csv --gold labelled.csv --key id --difference 2019,2018
    """
    from calibrant.cli.output import check_figure, warnings_as_notes

    check_figure(output, file, *([] if gold is None else [gold]))
    given: dict[str, Any] = {
        "y": column_or_none("y", y, no_y),
        "q": q,
        "weight": column_or_none("weight", weight, no_weight),
        "group": column_or_none("group", group, no_group),
    }
    with warnings_as_notes():
        found = _counted(
            file,
            given,
            {"by": by, "labels": labels, "estimator": estimator, "target": target},
            {"gold": gold, "key": tuple(key or ()), "label_weight": label_weight},
            within,
            elsewhere,
            source,
            level,
            seed,
        )
        contrasts = _contrasts(found, compare, trend)
    show(found.table(), found.to_dicts())
    _notes(found, contrasts, show)
    if output is not None:
        _draw(found, output)


def _counted(
    file: str,
    given: dict[str, Any],
    how: dict[str, Any],
    labelled: dict[str, Any],
    within: str | None,
    elsewhere: str | None,
    format: str | None,
    level: float,
    seed: int | None,
) -> "Counts":
    """What the verb does, with a note of the columns used."""
    from calibrant.bridges.counted import Asked, counted_from
    from calibrant.calibration.counting.counting import Wanted, count_tallies
    from calibrant.checks.parameters import check_level, check_seed

    wanted = Wanted(**how, within=within, level=check_level(level), seed=check_seed(seed) or 0)
    asked = Asked(**labelled, elsewhere=elsewhere, format=format, note=note)
    tallies, design, other = counted_from(file, asked, given, wanted)
    return count_tallies(tallies, wanted, design, other)


def _contrasts(found: "Counts", compare: str | None, trend: bool) -> "list[Contrast]":
    from calibrant.errors import ParameterError

    contrasts = []
    if compare is not None:
        names = [each.strip() for each in compare.split(",")]
        if len(names) != 2:
            raise ParameterError(
                f"--difference takes two categories with a comma between them, not {compare!r}."
            )
        contrasts.append(found.difference(names[0], names[1]))
    return contrasts + ([found.trend()] if trend else [])


def _notes(found: "Counts", contrasts: "list[Contrast]", show: Show) -> None:
    if show.format == "text":
        for each in contrasts:
            typer.echo(str(each))
    else:
        for each in contrasts:
            note(str(each))
    note(found.sentence)
    for warning in found.warnings:
        note(f"Warning: {warning}")
    if sys.stdout.isatty():
        note(found.signature)


def _draw(found: "Counts", output: str) -> None:
    from calibrant.plots.files import save_figure
    from calibrant.verbs import plot

    axes: Any = plot(found)
    save_figure(axes, output)
    note(f"wrote {output}")
