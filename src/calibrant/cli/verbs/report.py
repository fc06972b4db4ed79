"""`calibrant report`."""

from typing import Annotated

import typer

from calibrant.cli.inputs.models import ModelReader, reads_models
from calibrant.cli.options import OUTPUT, Level, Seed
from calibrant.cli.pages import Limit, NoText, Page, called, check_page

ShownColumns = Annotated[
    list[str] | None,
    typer.Option(
        "--show",
        metavar="COLUMN",
        help="Column that examples show; repeatable (default: columns of text).",
        rich_help_panel=OUTPUT,
    ),
]
Title = Annotated[
    str | None,
    typer.Option("--title", help="The title of the page.", rich_help_panel=OUTPUT),
]


@reads_models
def report_command(
    read: ModelReader,
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILES",
            help="One or more files of predictions on the same questions (CSV, TSV, JSON lines, "
            "Parquet; - for standard input), or one file with a column (--q) for each model.",
        ),
    ],
    output: Annotated[
        str,
        typer.Option(
            "-o",
            "--output",
            metavar="FILE",
            help="The page, .html, or - for stdout.",
            rich_help_panel=OUTPUT,
        ),
    ] = "report.html",
    show: ShownColumns = None,
    no_text: NoText = False,
    by: Annotated[
        list[str] | None,
        typer.Option(
            "--by",
            metavar="COLUMN",
            help="Column to slice by, such as genre, or length:5 for five parts by quantiles; "
            "repeatable.",
        ),
    ] = None,
    score: Annotated[
        list[str] | None,
        typer.Option(
            "--score",
            metavar="SCORE",
            help="Score to show; repeatable. Models are compared by the first (default: "
            "CalibScore, Brier and LogLoss).",
        ),
    ] = None,
    key: Annotated[
        list[str] | None,
        typer.Option(
            "--key",
            metavar="COLUMN",
            help="Column that identifies the question, if the files are in different orders.",
        ),
    ] = None,
    own_answers: Annotated[
        bool,
        typer.Option("--own-answers", help="Each model is asked whether its own answer is right."),
    ] = False,
    recalibrate: Annotated[
        bool,
        typer.Option(
            "--recalibrate", help="Also say what recalibration would gain on unseen groups."
        ),
    ] = False,
    title: Title = None,
    limit: Limit = "1MB",
    seed: Seed = None,
    level: Level = 0.95,
) -> None:
    """Make a page that shows where models are wrong, with the examples behind every point.

    The page is one file that needs no network. Drag over the calibration curve, or click one of its
    dots, to see the examples behind it.

    Examples
    --------
      calibrant report preds.parquet -o report.html --show text
      calibrant report preds.parquet --by genre --by length:5 -o report.html
      calibrant report crf.parquet hmm.parquet -o both.html
      calibrant report models.csv --y gold --q crf --q hmm -o both.html
      calibrant report preds.csv --no-text -o - > report.html
    """
    from calibrant.cli.output import warnings_as_notes

    check_page(output, files)
    models = read.predictions(files, key or (), own_answers)
    page = Page(
        scores=score,
        level=level,
        seed=seed,
        title=title or ", ".join(models.predictions),
        limit=limit,
        command=called(),
        by=by or (),
        recalibrate=recalibrate,
    )
    with warnings_as_notes():
        made = page.of_predictions(models, show, not no_text, own_answers)
    page.write(made, output)
