"""`calibrant score`."""

import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from calibrant.cli.options import File, Format, Level, Reader, note, reads_pairs

if TYPE_CHECKING:
    from calibrant.calibration.intervals import Interval
    from calibrant.results.estimate import Estimates


@reads_pairs
def score_command(
    read: Reader,
    file: File,
    scores: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="SCORE",
            help="Scores as they print: CalibScore (the default), 'CalibScore(size=400)', "
            "'CalibScore(LocalLikelihood)', CalibMSE, ECE, MCE, SmoothECE, SKCE, ECCE, ICI, E50, "
            "E90, Emax, Brier, LogLoss, Spherical.",
        ),
    ] = None,
    interval: Annotated[
        str, typer.Option("--interval", help="Bootstrap, NormalSampling, or none.")
    ] = "Bootstrap",
    seed: Annotated[
        int | None, typer.Option("--seed", help="Seed of the interval; 0 unless given.")
    ] = None,
    level: Level = 0.95,
    fail_above: Annotated[
        float | None, typer.Option("--fail-above", help="Exit 1 if a score is above this.")
    ] = None,
    format: Format = None,
) -> None:
    """Score predictions, with an interval.

    Rows of one sentence or document are not independent: where the file has a column group,
    sentence, sent_id, doc or the like, or --group names one, intervals resample whole groups.

    Examples
    --------
      calibrant score preds.csv
      calibrant score preds.parquet 'CalibScore(size=400)' Brier --y gold --q prob --group sent
      calibrant score preds.csv --fail-above 0.05
    """
    from calibrant.calibration.scores import Score
    from calibrant.checks.parameters import check_level, real_number
    from calibrant.cli.output import chosen_format, render, warnings_as_notes
    from calibrant.results.estimate import Estimates
    from calibrant.results.naming import parse
    from calibrant.verbs import score

    shown = chosen_format(format)
    check_level(level)
    if fail_above is not None:
        fail_above = real_number("--fail-above", fail_above)
    asked: list[Score] = [parse(text, "score") for text in scores or ["CalibScore"]]
    chosen = _interval(interval, seed)
    pairs = read(file)
    with warnings_as_notes():
        estimates = Estimates(score(pairs, each, interval=chosen, level=level) for each in asked)
    records = [estimate.to_dict() for estimate in estimates]
    typer.echo(render(shown, estimates.table(), records))
    _notes(estimates)
    if fail_above is not None:
        _gate(estimates, fail_above)


def _interval(text: str, seed: int | None) -> "Interval | None":
    from calibrant.results.naming import parse

    if text.lower() == "none":
        return None
    interval = parse(text, "interval")
    return interval if seed is None else replace(interval, seed=seed)  # type: ignore[no-any-return]


def _notes(estimates: "Estimates") -> None:
    for estimate in estimates:
        if estimate.too_small:
            note(f"{estimate.score}: {estimate.too_small} bins are too small to be debiased.")
        if sys.stdout.isatty():
            note(estimate.signature)


def _gate(estimates: "Estimates", limit: float) -> None:
    failed = [estimate for estimate in estimates if not estimate.value <= limit]
    for estimate in failed:
        note(f"{estimate} is above {limit:g}.")
    if failed:
        raise typer.Exit(1)
