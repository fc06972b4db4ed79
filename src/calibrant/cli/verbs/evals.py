"""`calibrant evals`."""

from typing import TYPE_CHECKING, Annotated

import typer

from calibrant.cli.inputs.logs import LogReader, reads_logs
from calibrant.cli.options import OUTPUT, Limits, Show, has_interval, note, shows_results
from calibrant.cli.pages import Limit, NoText, Page, called, check_page

if TYPE_CHECKING:
    from calibrant.structures.evals.evals import Evals


@shows_results
@has_interval
@reads_logs
def evals_command(
    read: LogReader,
    limits: Limits,
    show: Show,
    paths: Annotated[
        list[str],
        typer.Argument(metavar="PATHS", help="Logs, or folders of logs of one format."),
    ],
    kind: Annotated[
        list[str] | None,
        typer.Option(
            "--kind",
            metavar="KIND",
            help="Kind of confidence (default: all): choice, choice_per_character, "
            "choice_per_byte, choice_all, averaged, token, sequence, perplexity, stated, agreement "
            "or majority; repeatable.",
        ),
    ] = None,
    against: Annotated[
        str | None,
        typer.Option(
            "--against",
            metavar="MODEL",
            help="Compare all other models with this one, on the questions that both answered.",
        ),
    ] = None,
    score: Annotated[
        str, typer.Option("--score", metavar="SCORE", help="The score of each row.")
    ] = "CalibScore",
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Write the attempts to this file. With a single --kind, every command reads it.",
        ),
    ] = None,
    report: Annotated[
        str | None,
        typer.Option(
            "--report",
            metavar="FILE",
            help="Also make a page (.html) with curves, and with question, answer and gold of the "
            "examples behind every point.",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    no_text: NoText = False,
    limit: Limit = "1MB",
) -> None:
    """Check the confidence of language models, from their evaluation logs.

    Examples
    --------
      calibrant evals results/samples_arc_easy_2026-01-21T03-44-18.jsonl
      calibrant evals attempts.csv --columns stated=conf --kind stated
      calibrant evals logs/ -o attempts.parquet
      calibrant evals gpt-4o.csv gemma.csv --against gpt-4o
      calibrant evals logs/ --kind stated --report report.html
    """
    from calibrant.cli.output import check_output, warnings_as_notes
    from calibrant.tables.writing import check_table
    from calibrant.verbs import score_evals

    if output is not None:
        check_table(output)
        check_output(output, *paths, *read.files)
    if report is not None:
        check_page(report, [*paths, *read.files])
    evals = read(paths)
    with warnings_as_notes():
        found = score_evals(
            evals,
            score,
            kind=kind,
            against=against,
            interval=limits.interval,
            level=limits.level,
            progress=True,
        )
    show(found.table(), found.to_dicts())
    _tell(evals)
    for other in dict.fromkeys(row.against.model for row in found.rows if row.against):
        note(f"difference: the score of each model minus that of {other}, on the same questions")
    if output is not None:
        _write(evals, output, kind or list(evals.kinds))
    if report is not None:
        page = Page(
            [score, "Brier"], limits.level, None, "Confidence of language models", limit, called()
        )
        with warnings_as_notes():
            page.write(page.of_evals(evals, kind, not no_text), report)


def _write(evals: "Evals", output: str, kinds: list[str]) -> None:
    """Write the pairs of a single kind, or all attempts."""
    if len(kinds) == 1:
        evals.save(output, kinds[0])
        note(f"wrote {output}: a row for each answer with a confidence of the kind {kinds[0]}")
        return
    evals.save(output)
    note(f"wrote {output}: all attempts. With a single --kind, other commands can read the file.")


def _tell(evals: "Evals") -> None:
    """Say what was read, what was set aside, and what to log if there is no confidence."""
    from calibrant.structures.evals.evals import FROM_TOKENS

    for each in evals.notes:
        note(each)
    for reason, many in evals.set_aside().items():
        note(f"set aside: {many} of {len(evals)} attempts ({reason})")
    scored = len(evals.scored)
    for kind in evals.kinds:
        missing = evals.without_confidence(kind)
        if missing:
            note(f"{kind}: {missing} of {scored} scored attempts have no confidence of this kind")
    if "logprobs" not in evals.settings and any(kind in FROM_TOKENS for kind in evals.kinds):
        note(
            "Were log-probabilities of tokens logged before or after temperature? Say so with "
            "--logprobs raw or --logprobs processed."
        )
    if not evals.kinds:
        note(
            "These logs hold no confidence. Next time log the log-probabilities of the answer, "
            "several attempts at each question, or ask the model how sure it is."
        )
