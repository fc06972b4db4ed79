"""`calibrant compare`."""

from typing import Annotated

import typer

from calibrant.cli.inputs.models import ModelReader, reads_models
from calibrant.cli.options import Limits, Show, has_interval, note, shows_results


@shows_results
@has_interval
@reads_models
def compare_command(
    read: ModelReader,
    limits: Limits,
    show: Show,
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILES",
            help="Two or more files of predictions on the same questions, or one file with a "
            "column (--q) for each model.",
        ),
    ],
    score: Annotated[
        str,
        typer.Option("--score", metavar="SCORE", help="Score to compare by: Brier, ECE, ..."),
    ] = "CalibScore",
    key: Annotated[
        list[str] | None,
        typer.Option(
            "--key",
            metavar="COLUMN",
            help="Column that identifies the question, if the files are in different orders; "
            "repeatable, for keys of several columns.",
        ),
    ] = None,
    own_answers: Annotated[
        bool,
        typer.Option(
            "--own-answers",
            help="Each model is asked whether its own answer is right, so the observations of the "
            "models differ. Also compares their accuracies.",
        ),
    ] = False,
) -> None:
    """Compare models on the same questions.

    Examples
    --------
      calibrant compare crf.parquet hmm.parquet
      calibrant compare a.csv b.csv c.csv --score Brier --key id --group sent
      calibrant compare a.csv b.csv --key sentence --key begin --key end
      calibrant compare models.csv --y gold --q crf --q hmm
      calibrant compare a.csv b.csv --own-answers
      calibrant compare models.csv --own-answers --y a_right --q a_conf --y b_right --q b_conf
    """
    from calibrant.cli.output import warnings_as_notes
    from calibrant.results.choices import choose
    from calibrant.verbs import compare

    chosen = choose(score, "score")
    models = read(files, key or (), own_answers)
    with warnings_as_notes():
        compared = compare(
            models.pairs,
            chosen,
            key=models.keys,
            own_answers=own_answers,
            interval=limits.interval,
            level=limits.level,
        )
    if show.format in ("json", "csv"):
        records = [each | {"p_value": each.get("p_value")} for each in compared.to_dicts()]
        show(compared.table(), records)
        return
    typer.echo(compared.render(show.format))
    note(compared.sentence)
