"""`calibrant score-classes`.

The command has the name of the verb `score_classes`, with a dash, as options have.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from calibrant.cli.inputs.classes import Classified, ClassReader, reads_classes
from calibrant.cli.options import OUTPUT, Limits, Show, has_interval, note, shows_results

if TYPE_CHECKING:
    from calibrant.calibration.analyses.classes import ClassScores
    from calibrant.calibration.scores import Score
    from calibrant.pairs import Pairs


@shows_results
@has_interval
@reads_classes
def score_classes_command(
    read: ClassReader,
    limits: Limits,
    show: Show,
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE",
            help="A row per item and a column per class: CSV, TSV, JSON lines or Parquet, plain or "
            ".gz, - for standard input; or .npz with the arrays probabilities (or q), gold (or "
            "y), and optionally labels and group.",
        ),
    ],
    score: Annotated[
        str, typer.Argument(metavar="SCORE", help="A score: CalibScore, ECE, Brier, ...")
    ] = "CalibScore",
    queries: Annotated[
        list[str] | None,
        typer.Option(
            "--query",
            metavar="QUERY",
            help="Score the answers to a query instead: TopLabel, EveryLabel, 'TopK(3)', "
            "\"LabelIs('noun')\"; repeatable.",
        ),
    ] = None,
    rules: Annotated[
        list[str] | None,
        typer.Option(
            "--loss",
            metavar="RULE",
            help="Show a loss of all probabilities of an item instead: Brier or LogLoss; "
            "repeatable.",
        ),
    ] = None,
    output: Annotated[
        str | None,
        typer.Option(
            "-o",
            "--output",
            metavar="FILE",
            help="With --query: write its pairs to a file that other commands read.",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
) -> None:
    """Score every class of a classifier, the worst first, and all of them together.

    Examples
    --------
      calibrant score-classes preds.csv --columns 'prob_*' --gold label
      calibrant score-classes preds.npz ECE
      calibrant score-classes preds.npz --loss LogLoss --loss Brier
      calibrant score-classes preds.csv --columns 'prob_*' --query TopLabel --query 'TopK(3)'
      calibrant score-classes preds.npz --query TopLabel -o pairs.csv
    """
    from calibrant.calibration.scores import Brier
    from calibrant.cli.output import warnings_as_notes
    from calibrant.errors import ParameterError
    from calibrant.results.choices import choose, choose_all

    chosen: Score = choose(score, "score")
    wanted = choose_all(rules, "score") if rules else ()
    if queries and rules:
        raise ParameterError("Give --query or --loss, not both.")
    if queries:
        _score_queries(queries, read, file, chosen, limits, show, output)
        return
    if output is not None:
        raise ParameterError("-o writes the pairs of a query: name one with --query.")
    found = read(file)
    with warnings_as_notes():
        scored = _scored(found, Brier() if wanted else chosen, limits)  # of classes: not shown
        losses = [scored.loss(rule) for rule in wanted]
    if losses:
        from calibrant.results.estimate import Estimates

        show(Estimates(losses).table(), [each.to_dict() for each in losses])
        return
    show(scored.table(), _records(scored))
    if scored.left_out:
        note(f"left out: {', '.join(map(str, scored.left_out))}")


def _scored(found: Classified, score: "Score", limits: Limits) -> "ClassScores":
    from calibrant.verbs import score_classes

    return score_classes(
        found.posterior,
        found.gold,
        score,
        group=found.group,
        interval=limits.interval,
        level=limits.level,
    )


def _records(scored: "ClassScores") -> list[dict[str, Any]]:
    """One record per class, and one for all of them together, whose class is null."""
    empty = {"class": None, "frequency": None, "mean_q": None}
    rows = scored.to_frame().to_dicts()
    return [*rows, {**dict.fromkeys(rows[0]), **scored.summary.to_dict(), **empty}]


def _score_queries(
    queries: Sequence[str],
    read: ClassReader,
    file: str,
    score: "Score",
    limits: Limits,
    show: Show,
    output: str | None,
) -> None:
    """Score the pairs of each query; write them if a file is named."""
    from calibrant.cli.answers import answer_files
    from calibrant.cli.output import check_output, warnings_as_notes
    from calibrant.results.estimate import Estimates
    from calibrant.structures.known_queries import parse_query
    from calibrant.structures.labels.labels import Labels
    from calibrant.tables import check_table
    from calibrant.verbs import ask
    from calibrant.verbs import score as score_pairs

    asked = {repr(each): each for each in map(parse_query, queries)}
    for query in asked.values():
        query.check_about(Labels)
    files = {} if output is None else answer_files(output, asked)
    for each in files.values():
        check_table(each)
        check_output(each, file)
    found = read(file)
    answers = {
        name: ask(found.posterior, found.gold, query, group=found.group)
        for name, query in asked.items()
    }
    with warnings_as_notes():
        estimates = {
            name: score_pairs(pairs, score, interval=limits.interval, level=limits.level)
            for name, pairs in answers.items()
        }
    for name, path in files.items():
        _write(answers[name], {"query": name, **asked[name].keys(found.posterior)}, path)
    header, rows = Estimates(estimates.values()).table()
    table = ["query", *header], [[name, *row] for name, row in zip(asked, rows, strict=True)]
    show(table, [{"query": name} | each.to_dict() for name, each in estimates.items()])


def _write(pairs: "Pairs", keys: dict[str, Any], path: str) -> None:
    from calibrant.tables import write_pairs

    write_pairs(pairs, path, keys)
    note(f"wrote {path}")
